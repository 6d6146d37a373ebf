import { expect } from 'chai';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import { effectiveProvider, providersInOrder, type ProviderChoice } from '../../../../core/orb/effective-provider.ts';
import type { FailoverPin } from '../../../../core/failover/types.ts';
import { aProvider } from '../../../support/a-provider.ts';
import { aPin, aStatus } from '../../../support/failover.ts';

const HOURS_168 = 604_800_000;
const at = { now: 100 };

const orb = (
  order: readonly string[],
  pin?: Partial<FailoverPin>,
  failover?: ProviderChoice['failover'],
): ProviderChoice => ({
  pin: pin === undefined ? undefined : aPin({ expiresAt: 101, ...pin }),
  failover,
  order,
  providers: new Map(['a', 'b', 'c'].map((name) => [name, aProvider(name)])),
});
const pinState = aStatus().pin;
const pinned = (change: Partial<typeof pinState>): ProviderChoice['failover'] =>
  aStatus('a', { pin: { ...pinState, ...change } });
const ramp = (percent: number, provider = 'b'): ProviderChoice['failover'] =>
  aStatus('a', { ramp: { provider, percent, stepStartedAt: 0, trial: false } });

const chosen = (choice: ProviderChoice, runId: string): string | undefined =>
  providersInOrder(choice, { ...at, runId, sha256 })[0]?.name;

describe('effectiveProvider (failover.md §1)', () => {
  const rows: readonly [string, ProviderChoice, string][] = [
    ['the first in order', orb(['a', 'b']), 'a'],
    ['a pin that has not ended', orb(['a', 'b'], {}), 'b'],
    ['not a pin that ends now', orb(['a', 'b'], { expiresAt: 100 }), 'a'],
    ['not a pin to an unresolved provider', orb(['a', 'b'], { provider: 'z' }), 'a'],
    ['a pin to a provider outside the order', orb(['a', 'b'], { provider: 'c' }), 'c'],
    ['a pin of any length that nobody has seen yet', orb(['a', 'b'], { expiresAt: 10 * HOURS_168 }), 'b'],
    [
      'a long pin within 168 hours of when it was seen',
      orb(['a', 'b'], { expiresAt: 10 * HOURS_168 }, pinned({ firstSeen: { id: 'swp_1', at: 101 - HOURS_168 } })),
      'b',
    ],
    [
      'not a long pin after them',
      orb(['a', 'b'], { expiresAt: 10 * HOURS_168 }, pinned({ firstSeen: { id: 'swp_1', at: 100 - HOURS_168 } })),
      'a',
    ],
    [
      'a pin of another id, however long ago one was seen',
      orb(['a', 'b'], {}, pinned({ firstSeen: { id: 'swp_0', at: 100 - HOURS_168 } })),
      'b',
    ],
    [
      'not a pin with mode once that was handled',
      orb(['a', 'b'], { mode: 'once' }, pinned({ handledId: 'swp_1' })),
      'a',
    ],
    ['not a pin that was overridden', orb(['a', 'b'], {}, pinned({ overriddenId: 'swp_1' })), 'a'],
    ['the active provider of the status', orb(['a', 'b'], undefined, aStatus('c')), 'c'],
    ['not one that the manifest no longer has', orb(['b', 'a'], undefined, aStatus('z')), 'b'],
    ['not a ramp, without a run', orb(['a', 'b'], undefined, ramp(99)), 'a'],
  ];
  for (const [why, choice, expected] of rows) {
    it(`is ${why}`, () => expect(effectiveProvider(choice, at)).to.equal(expected));
  }

  it('puts the pinned provider first and keeps the manifest order after it', () => {
    const names = providersInOrder(orb(['a', 'b', 'c'], { provider: 'c' }), at).map(({ name }) => name);
    expect(names).to.deep.equal(['c', 'a', 'b']);
  });

  describe('on a ramp', () => {
    it('takes a run by the first four bytes of its digest, big-endian', () => {
      const digest = sha256(new TextEncoder().encode('run-0'));
      const rank = new DataView(Uint8Array.from(digest).buffer).getUint32(0) % 100;
      expect(chosen(orb(['a', 'b'], undefined, ramp(rank)), 'run-0')).to.equal('a');
      expect(chosen(orb(['a', 'b'], undefined, ramp(rank + 1)), 'run-0')).to.equal('b');
    });

    it('takes about its share of the runs', () => {
      const choice = orb(['a', 'b'], undefined, ramp(10));
      const taken = Array.from({ length: 2000 }, (_, index) => chosen(choice, `run_${index}`));
      expect(taken.filter((name) => name === 'b').length).to.be.within(150, 250);
    });

    it('is not followed to an unresolved provider, and not against a pin', () => {
      expect(chosen(orb(['a'], undefined, ramp(99, 'z')), 'run-0')).to.equal('a');
      expect(chosen(orb(['a'], { provider: 'c' }, ramp(99)), 'run-0')).to.equal('c');
    });
  });
});
