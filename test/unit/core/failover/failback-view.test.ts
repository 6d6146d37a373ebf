import { expect } from 'chai';
import { failbackView, type FailbackInput, type FailbackView } from '../../../../core/failover/failback-view.ts';
import { resolveSwapConfig } from '../../../../core/failover/resolve-swap-config.ts';
import { RULE_TEXTS } from '../../../../core/failover/rule-texts.ts';
import { RULES, type ResolvedSwapConfig } from '../../../../core/failover/types.ts';

const NOW = 1_000_000;
const TICK = 15_000;
const execution = { type: 'http', method: 'GET', url: 'https://api.example.com/' } as const;

function configOf(swap: object = {}): ResolvedSwapConfig {
  const config = resolveSwapConfig({
    orb_id: 'a.b@1.0.0',
    provider: 'main',
    description: '',
    inputs: {},
    outputs: {},
    execution,
    swap_config: { fallbacks: ['backup'], ...swap },
    providers: { backup: { execution } },
  });
  if (config === undefined) throw new TypeError('there is a swap_config');
  return config;
}

const base: FailbackInput = {
  now: NOW,
  config: configOf(),
  active: 'backup',
  primaryResolved: true,
  failover: { holds: [], frozen: null, ramp: null },
  pinnedUntil: undefined,
  evaluation: { at: NOW - 5000, recovered: 12 },
};
const hold = (until: number): object => ({ provider: 'main', until, level: 1 });
const ramp = (trial: boolean): object => ({ provider: 'main', percent: 10, stepStartedAt: NOW, trial });
const frozen = { until: NOW + 70_000, reason: 'flapping' };

const rows: readonly (readonly [why: string, change: object, view: Partial<FailbackView>])[] = [
  ['the primary is active', { active: 'main' }, { ready: false, nextPossible: null, blockedBy: [] }],
  ['nothing is in the way', {}, { ready: true, nextPossible: NOW, blockedBy: [] }],
  [
    'evaluations are missing: one tick each from the last one',
    { evaluation: { at: NOW - 5000, recovered: 4 } },
    { ready: false, nextPossible: NOW - 5000 + 8 * TICK, blockedBy: ['streak'] },
  ],
  [
    'the last missing evaluation is late: from now on',
    { evaluation: { at: NOW - 60_000, recovered: 11 } },
    { nextPossible: NOW + 1, blockedBy: ['streak'] },
  ],
  [
    'the hold lasts longer than the streak',
    {
      evaluation: { at: NOW, recovered: 11 },
      failover: { holds: [hold(NOW + 90_000)], frozen: null, ramp: null },
    },
    { nextPossible: NOW + 90_000, blockedBy: ['streak', 'hold_down'] },
  ],
  ['the hold is over', { failover: { holds: [hold(NOW)], frozen: null, ramp: null } }, { ready: true, blockedBy: [] }],
  [
    'another provider is held',
    { failover: { holds: [{ provider: 'backup', until: NOW + 1, level: 1 }], frozen: null, ramp: null } },
    { ready: true, blockedBy: [] },
  ],
  ['a pin holds', { pinnedUntil: NOW + 5 }, { ready: false, nextPossible: NOW + 5, blockedBy: ['pin'] }],
  [
    'swaps are frozen',
    { failover: { holds: [], frozen, ramp: null } },
    { nextPossible: NOW + 70_000, blockedBy: ['freeze'] },
  ],
  [
    'a person decides: ready all the same',
    { config: configOf({ failback: { mode: 'manual' } }) },
    { ready: true, nextPossible: null, blockedBy: ['manual_mode'] },
  ],
  [
    'there are no metrics: nobody knows when',
    { evaluation: undefined },
    { ready: false, nextPossible: null, blockedBy: ['metrics'] },
  ],
  ['the primary has no execution', { primaryResolved: false }, { nextPossible: null, blockedBy: ['no_primary'] }],
  [
    'a trial is running',
    { failover: { holds: [], frozen: null, ramp: ramp(true) } },
    { ready: false, nextPossible: null, blockedBy: ['ramp'] },
  ],
  [
    'the way back has begun',
    { failover: { holds: [hold(NOW + 9)], frozen: null, ramp: ramp(false) } },
    { ready: false, nextPossible: null, blockedBy: [] },
  ],
  [
    'nothing is probed: the end of the hold is enough',
    {
      config: configOf({ probe: { mode: 'none' } }),
      evaluation: { at: NOW, recovered: 0 },
      failover: { holds: [hold(NOW + 9)], frozen: null, ramp: null },
    },
    { nextPossible: NOW + 9, blockedBy: ['hold_down'] },
  ],
  ['nothing was written of the Orb yet', { failover: undefined }, { ready: true, blockedBy: [] }],
];

describe('failbackView', () => {
  for (const [why, change, expected] of rows)
    it(`when ${why}`, () => {
      expect(failbackView({ ...base, ...change })).to.deep.include(expected);
    });
});

describe('RULE_TEXTS', () => {
  it('says something of its own for every rule, without a number', () => {
    const texts = RULES.map((rule) => RULE_TEXTS[rule]);
    expect(new Set(texts).size).to.equal(RULES.length);
    for (const text of texts) expect(text).to.match(/^[a-z][^0-9]{10,100}$/);
  });
});
