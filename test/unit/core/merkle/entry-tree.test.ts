import { expect } from 'chai';
import { sha256 } from '../../../../adapters/keys/primitives.ts';
import { EntryTree } from '../../../../core/merkle/entry-tree.ts';
import { entriesOf, mth } from './rfc6962.ts';

const ENTRIES = entriesOf(1300);
const bundle = (index: number): readonly Uint8Array[] => ENTRIES.slice(index * 256, (index + 1) * 256);

describe('EntryTree', () => {
  const tree = new EntryTree(sha256);
  for (const index of [0, 1, 2]) tree.add(bundle(index));

  it('has the root of RFC 6962 for every number of entries', () => {
    const empty = new EntryTree(sha256);
    for (const size of [0, 1, 2, 255])
      expect(empty.rootWith(ENTRIES.slice(0, size))).to.deep.equal(Uint8Array.from(mth(ENTRIES.slice(0, size))));
    for (const size of [768, 769, 1000, 1023]) {
      expect(tree.rootWith(ENTRIES.slice(768, size))).to.deep.equal(Uint8Array.from(mth(ENTRIES.slice(0, size))));
    }
  });

  it('knows a bundle again', () => expect(tree.isBundle(1, bundle(1))).to.equal(true));

  const others: readonly (readonly [why: string, index: number, entries: readonly Uint8Array[]])[] = [
    ['another bundle', 1, bundle(0)],
    ['one entry changed', 1, bundle(1).with(7, Uint8Array.of(1))],
    ['two entries swapped', 1, [...bundle(1).slice(0, 254), ...bundle(1).slice(254).toReversed()]],
    ['an entry less', 1, bundle(1).slice(0, 255)],
    ['nothing', 1, []],
    ['a bundle that was not added', 3, bundle(3)],
  ];
  for (const [why, index, entries] of others) {
    it(`does not take ${why} for it`, () => expect(tree.isBundle(index, entries)).to.equal(false));
  }

  it('adds full bundles only', () => {
    expect(() => tree.add(bundle(3).slice(1))).to.throw(RangeError);
    expect(() => tree.add([])).to.throw(RangeError);
  });
});
