import { expect } from 'chai';
import type { EvidenceOrigin } from '../../../../core/failover/evidence.ts';
import { FIRST_STEP, stepFailover, unreportedSwaps, type StepInput } from '../../../../core/failover/step.ts';
import type { MetricsSnapshot } from '../../../../core/failover/metrics.ts';
import { NO_MEMORY, type FailoverInput } from '../../../../core/failover/types.ts';
import {
  anInput,
  aPin,
  aRecord,
  aStatus,
  busy,
  fresh,
  idle,
  MINUTE,
  NOW,
  probed,
  traffic,
} from '../../../support/failover.ts';

const origin: EvidenceOrigin = { source: 'process', evaluatedAt: NOW, querySha256: null, promql: () => ({}) };
const slow = fresh({ a: busy(traffic(100, 1000)), b: probed(260), c: idle });
const broken = busy(traffic(0, 0, { attempts: 20, bad: 20 }));
const dead = busy(traffic(0, 0), { breaker: 'open' });
const down = fresh({ a: broken, b: dead, c: dead });
const unusable = (since: number): MetricsSnapshot => ({ state: 'unusable', why: 'http', since });

function step(change: Partial<FailoverInput> = {}, before: Partial<StepInput> = {}): ReturnType<typeof stepFailover> {
  const { memory: rules, ...input } = anInput(change);
  return stepFailover({ input, memory: { ...FIRST_STEP, rules }, origin, ...before });
}

const reasons = ({ events }: ReturnType<typeof stepFailover>): readonly string[] => events.map(({ reason }) => reason);

const ago = (minutes: number, seq: number): ReturnType<typeof aRecord> =>
  aRecord({ at: NOW - minutes * MINUTE, seq, receiptId: `rcpt_${seq}` });

describe('stepFailover', () => {
  it('leaves everything as it is while nothing happens', () => {
    const { swap, health, events, status } = step();
    expect({ swap, health, events }).to.deep.equal({
      swap: undefined,
      health: 'up',
      events: [],
    });
    expect(status).to.deep.equal(aStatus());
  });

  it('gives a swap its evidence, and its Event the id of its receipt', () => {
    const { swap, status, events } = step({ metrics: slow, memory: { ...NO_MEMORY, degraded: 2 } });
    expect(swap).to.include({ seq: 1, to: 'b', receiptId: 'rcpt_new' });
    expect(swap?.evidence).to.include('"source":"process"');
    expect(status.history.at(-1)).to.deep.equal(swap);
    expect(events.map(({ id }) => id)).to.deep.equal(['rcpt_new']);
  });

  it('swaps without evidence when the query failed: only a person does that', () => {
    const { swap } = step({ pin: aPin(), metrics: unusable(NOW) }, { origin: null });
    expect(swap).to.include({ reason: 'manual', evidence: null });
  });

  it('counts since when nothing could be decided on, whatever kept it from that', () => {
    const nan = fresh({ a: busy(traffic(100, 1, { pq: { kind: 'none', why: 'nan' } })), b: idle, c: idle });
    const first = step({ metrics: nan });
    expect(first.memory.unusableSince).to.equal(NOW);
    const second = step({ now: NOW + MINUTE, metrics: unusable(NOW + MINUTE) }, { memory: first.memory });
    expect(second.memory.unusableSince).to.equal(NOW);
    expect(step({ now: NOW + MINUTE, metrics: unusable(NOW - MINUTE) }).memory.unusableSince).to.equal(NOW - MINUTE);
    expect(step({}, { memory: second.memory }).memory.unusableSince).to.equal(null);
  });

  it('counts since when the latency of the active provider has two series, which nothing can be decided on', () => {
    const twice = { kind: 'none', why: 'multiple-series' } as const;
    const first = step({ metrics: fresh({ a: busy(traffic(100, 1, { pq: twice, p50: twice })), b: idle, c: idle }) });
    expect([first.output.verdict.kind, first.memory.unusableSince]).to.deep.equal(['inconclusive', NOW]);
    expect(step({}, { memory: first.memory }).memory.unusableSince).to.equal(null);
  });

  it('reports once that all are down, and knows it until one works', () => {
    const first = step({ metrics: down });
    expect(reasons(first)).to.deep.equal(['AllProvidersDown']);
    expect(first.health).to.equal('down');
    const again = step({ metrics: down, now: NOW + 10 * MINUTE }, { memory: first.memory });
    expect(reasons(again)).to.deep.equal([]);
    const blind = step({ metrics: unusable(NOW) }, { memory: again.memory });
    expect([blind.health, blind.memory.isDown]).to.deep.equal(['unknown', true]);
    expect(step({}, { memory: blind.memory }).memory.isDown).to.equal(false);
  });

  it('says nothing of the providers while a pin holds one of them', () => {
    const pinned = step({ pin: aPin({ mode: 'hard', provider: 'a' }), metrics: down });
    expect(pinned.health).to.equal('unknown');
  });

  const rows: readonly [string, Parameters<typeof unreportedSwaps>[0], readonly string[]][] = [
    ['nothing without a status', null, []],
    ['nothing without a swap', aStatus(), []],
    ['the swap of the leader before', aStatus('b', { history: [ago(1, 1)] }), ['rcpt_1']],
    ['every swap of the leaders before', aStatus('b', { history: [ago(3, 1), ago(2, 2)] }), ['rcpt_1', 'rcpt_2']],
    ['nothing of long ago', aStatus('b', { history: [ago(11, 1)] }), []],
  ];
  for (const [what, status, receiptIds] of rows) {
    it(`has a new leader tell ${what}`, () => {
      const events = unreportedSwaps(status, NOW);
      expect(events.map(({ reason, id }) => [reason, id])).to.deep.equal(
        receiptIds.map((id) => ['ProviderChanged', id]),
      );
    });
  }
});
