import { expect } from 'chai';
import {
  effectiveProvider,
  providersInOrder,
  type ProviderChoice,
} from '../../../../core/failover/effective-provider.ts';
import { aProvider } from '../../../support/a-provider.ts';

const orb = (order: readonly string[], pin?: { provider: string; expiresAt: number }): ProviderChoice => ({
  pin,
  order,
  providers: new Map(['a', 'b', 'c'].map((name) => [name, aProvider(name)])),
});

describe('effectiveProvider (failover.md §1)', () => {
  const rows: readonly [string, ProviderChoice, string][] = [
    ['the first in order', orb(['a', 'b']), 'a'],
    ['an unexpired pin', orb(['a', 'b'], { provider: 'b', expiresAt: 101 }), 'b'],
    ['not a pin that expires now', orb(['a', 'b'], { provider: 'b', expiresAt: 100 }), 'a'],
    ['not a pin to an unresolved provider', orb(['a', 'b'], { provider: 'z', expiresAt: 101 }), 'a'],
    ['a pin that ends in 168 hours', orb(['a', 'b'], { provider: 'b', expiresAt: 100 + 604_800_000 }), 'b'],
    ['not a pin that ends later', orb(['a', 'b'], { provider: 'b', expiresAt: 101 + 604_800_000 }), 'a'],
    ['a pin to a provider outside the order', orb(['a', 'b'], { provider: 'c', expiresAt: 101 }), 'c'],
  ];
  for (const [why, choice, expected] of rows) {
    it(`is ${why}`, () => expect(effectiveProvider(choice, 100)).to.equal(expected));
  }

  it('puts the pinned provider first and keeps the manifest order after it', () => {
    const names = providersInOrder(orb(['a', 'b', 'c'], { provider: 'c', expiresAt: 101 }), 100).map(
      ({ name }) => name,
    );
    expect(names).to.deep.equal(['c', 'a', 'b']);
  });
});
