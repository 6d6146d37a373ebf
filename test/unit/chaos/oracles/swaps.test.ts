import { expect } from 'chai';
import { checkSwaps, SwapWitness } from '../../../chaos/rig/oracles/swaps.ts';

type Members = Readonly<Record<string, unknown>>;

const swap = (seq: number, from: string, to: string, change: Members = {}): Members => ({
  seq,
  from,
  to,
  reason: 'latency',
  epoch: 1,
  receiptId: `rcpt_${seq}`,
  ...change,
});
const there = swap(1, 'a', 'b');
const back = swap(2, 'b', 'a');

const anOrb = (history: readonly Members[], failover: Members = {}): unknown => ({
  metadata: { namespace: 'n', name: 'orb', uid: 'u' },
  status: {
    failover: { swapSeq: history.length, activeProvider: history.at(-1)?.['to'] ?? 'a', history, ...failover },
  },
});
const reported = (receiptId: string, more: Members = {}): unknown => ({
  metadata: { name: `orb-${receiptId.replaceAll('_', '-')}` },
  reason: 'ProviderChanged',
  note: 'from a to b',
  ...more,
});
const events = [reported('rcpt_1'), reported('rcpt_2')];

function faultsOf(states: readonly unknown[], seen: readonly unknown[] = events): readonly string[] {
  const witness = new SwapWitness();
  for (const state of states) witness.saw(state);
  return [...witness.faults(), ...checkSwaps(witness.orbs(), seen)];
}

describe('oracle h: swaps', () => {
  it('finds nothing wrong with numbers in a row, one Event each', () => {
    expect(faultsOf([anOrb([]), anOrb([there]), anOrb([there, back])])).to.deep.equal([]);
  });

  it('remembers swaps that the status has forgotten', () => {
    expect(faultsOf([anOrb([there]), anOrb([back], { swapSeq: 2 })])).to.deep.equal([]);
  });

  it('takes an Orb that was made again for another one', () => {
    const again = { metadata: { namespace: 'n', name: 'orb', uid: 'other' }, status: {} };
    expect(faultsOf([anOrb([there]), again], [reported('rcpt_1')])).to.deep.equal([]);
  });

  const wrong: readonly (readonly [why: string, states: readonly unknown[], seen: readonly unknown[]])[] = [
    ['a number that is missing', [anOrb([back], { swapSeq: 2 })], [reported('rcpt_2')]],
    ['a number that was given twice', [anOrb([there]), anOrb([swap(1, 'a', 'c')])], [reported('rcpt_1')]],
    ['a receipt that was changed', [anOrb([there]), anOrb([{ ...there, receiptId: 'rcpt_3' }])], [reported('rcpt_3')]],
    ['a counter that is behind', [anOrb([there, back], { swapSeq: 1 })], events],
    ['a swap from where nothing was', [anOrb([there, swap(2, 'c', 'a')])], events],
    ['a swap to itself', [anOrb([there, swap(2, 'b', 'b')])], events],
    ['another active provider', [anOrb([there, back], { activeProvider: 'b' })], events],
    ['the epoch of an earlier leader', [anOrb([there, { ...back, epoch: 0 }])], events],
    ['a swap without an Event', [anOrb([there, back])], [reported('rcpt_1')]],
    ['an Event that was told again', [anOrb([there])], [reported('rcpt_1', { series: { count: 2 } })]],
    ['an Event of no swap', [anOrb([there])], [reported('rcpt_1'), reported('rcpt_9')]],
  ];
  for (const [why, states, seen] of wrong)
    it(`finds ${why}`, () => expect(faultsOf(states, seen)).to.not.have.lengthOf(0));
});
