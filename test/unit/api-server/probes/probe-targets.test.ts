import { expect } from 'chai';
import { probesRequestedAt, probeTargets } from '../../../../api-server/probes/probe-targets.ts';
import type { BreakerState } from '../../../../core/failover/metrics.ts';
import type { FailoverStatus } from '../../../../core/failover/types.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { compileOrb } from '../../../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../../../core/orb/compiled-orb.ts';
import { orbManifest } from '../../../support/orbs.ts';
import { aPin, aStatus, NOW, MINUTE, swapManifest } from '../../../support/failover.ts';

const others = swapManifest();
type Members = Readonly<Record<string, unknown>>;
const OTHERS: Members = { provider: 'a', providers: others.providers, swap_config: others.swap_config };

const orbWith = (state: Partial<Pick<CompiledOrb, 'failover' | 'pin'>>, members = OTHERS): CompiledOrb => {
  const text = orbManifest('acme.mail@1.0.0', { url: 'https://provider.example/', manifest: members });
  const manifest: unknown = JSON.parse(text);
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  const compiled = compileOrb(manifest, { namespace: 'acme', allowedOrigins: [] });
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return { ...compiled.value, ...state };
};
const written = (active: string, change: Partial<FailoverStatus> = {}) => ({ failover: aStatus(active, change) });

type Breakers = Readonly<Record<string, BreakerState>>;
const NAMED_LIKE_MEMBERS = { provider: 'constructor' };
const rows: readonly [string, CompiledOrb, Breakers, string][] = [
  ['all but the first when nothing is written', orbWith({}), {}, 'b c'],
  ['all but the active one', orbWith(written('b')), {}, 'a c'],
  ['all but the pinned one', orbWith({ ...written('b'), pin: aPin({ provider: 'c' }) }), {}, 'a b'],
  [
    'all but the active one when the pin has ended',
    orbWith({ ...written('b'), pin: aPin({ provider: 'c', expiresAt: NOW }) }),
    {},
    'a c',
  ],
  ['all when no breaker is closed', orbWith({}), { a: 'open', b: 'half_open', c: 'open' }, 'a b c'],
  ['all but the active one when one breaker is closed', orbWith({}), { a: 'open', b: 'open', c: 'closed' }, 'b c'],
  ['all but the active one when one was never called', orbWith({}), { a: 'open', b: 'open' }, 'b c'],
  ['none when the only one is named like a member of every object', orbWith({}, NAMED_LIKE_MEMBERS), {}, ''],
  ['all while the operator asks', orbWith(written('b', { probeRequestedAt: NOW - 5 * MINUTE })), {}, 'a b c'],
  [
    'all but the active one when it asked long ago',
    orbWith(written('b', { probeRequestedAt: NOW - 6 * MINUTE })),
    {},
    'a c',
  ],
];

describe('probeTargets (failover.md §7)', () => {
  for (const [what, orb, breakers, expected] of rows) {
    it(`are ${what}`, () => {
      expect([...probeTargets(orb, { now: NOW, breakers })].join(' ')).to.equal(expected);
    });
  }

  it('are told by the newest request, as long as it is not old', () => {
    expect(probesRequestedAt(orbWith(written('b', { probeRequestedAt: NOW - 1 })), NOW)).to.equal(NOW - 1);
    expect(probesRequestedAt(orbWith(written('b', { probeRequestedAt: NOW - 6 * MINUTE })), NOW)).to.equal(undefined);
    expect(probesRequestedAt(orbWith(written('b')), NOW)).to.equal(undefined);
    expect(probesRequestedAt(orbWith({}), NOW)).to.equal(undefined);
  });
});
