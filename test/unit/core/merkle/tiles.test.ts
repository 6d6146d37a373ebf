import { expect } from 'chai';
import fc from 'fast-check';
import {
  entryBundle,
  hasTile,
  isEdgeOf,
  openEntryBundle,
  parseTilePath,
  tileBytes,
  tileLayout,
  tilePath,
} from '../../../../core/merkle/tiles.ts';
import { treeOf } from './a-tree.ts';
import { entriesOf, mth } from './rfc6962.ts';

describe('tilePath', () => {
  const rows: readonly (readonly [level: number | 'entries', index: number, width: number, path: string])[] = [
    [0, 0, 256, 'tile/0/000'],
    [0, 5, 1, 'tile/0/005.p/1'],
    [1, 999, 255, 'tile/1/999.p/255'],
    [2, 1000, 256, 'tile/2/x001/000'],
    ['entries', 1_000_000, 256, 'tile/entries/x001/x000/000'],
    ['entries', 1_234_067, 3, 'tile/entries/x001/x234/067.p/3'],
  ];
  for (const [level, index, width, path] of rows) {
    it(`is ${path}`, () => expect(tilePath({ level, index, width })).to.equal(path));
  }
});

describe('tileLayout', () => {
  it('has floor(size / 256^level) hashes in each level', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (size) => {
        const expected = Array.from({ length: 8 }, (_, level) => Math.floor(size / 256 ** level));
        const layout = tileLayout(size);
        expect(layout.map(({ full, partialWidth }) => full * 256 + partialWidth)).to.deep.equal(
          expected.filter((hashes) => hashes > 0),
        );
        expect(layout.every(({ level, partialWidth }, at) => level === at && partialWidth < 256)).to.equal(true);
      }),
    );
  });
});

describe('tileBytes', () => {
  const entries = entriesOf(600);
  const node = treeOf(entries).nodesAt(600);

  it('holds the leaf hashes of its range', () => {
    const bytes = tileBytes({ level: 0, index: 2, width: 88 }, node);
    expect(bytes.length).to.equal(88 * 32);
    const [first = new Uint8Array(0)] = entries.slice(512);
    expect(Buffer.compare(bytes.subarray(0, 32), mth([first]))).to.equal(0);
  });

  it('holds one hash for each 256 leaves a level higher', () => {
    const bytes = tileBytes({ level: 1, index: 0, width: 2 }, node);
    expect(Buffer.compare(bytes, Buffer.concat([mth(entries.slice(0, 256)), mth(entries.slice(256, 512))]))).to.equal(
      0,
    );
  });
});

describe('entryBundle', () => {
  it('can be cut into its entries again', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (entries) => {
        const bytes = Buffer.from(entryBundle(entries));
        const read: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += 2 + bytes.readUInt16BE(at)) {
          read.push(bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at)));
        }
        expect(read.map((entry) => entry.toString('hex'))).to.deep.equal(
          entries.map((entry) => Buffer.from(entry).toString('hex')),
        );
      }),
    );
  });

  it('takes 65535 bytes and refuses one more', () => {
    expect(entryBundle([new Uint8Array(65_535)]).length).to.equal(65_537);
    expect(() => entryBundle([new Uint8Array(65_536)])).to.throw(RangeError);
  });
});

describe('openEntryBundle', () => {
  it('reads what entryBundle writes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (entries) => {
        expect(openEntryBundle(entryBundle(entries))).to.deep.equal(entries);
      }),
    );
  });

  for (const [why, bytes] of [
    ['half a length', [0]],
    ['fewer bytes than their length', [0, 2, 7]],
  ] as const) {
    it(`refuses ${why}`, () => expect(openEntryBundle(Uint8Array.from(bytes))).to.equal(undefined));
  }
});

describe('parseTilePath', () => {
  const place = fc.record({
    level: fc.oneof(fc.nat(63), fc.constant('entries' as const)),
    index: fc.nat(2 ** 31),
    width: fc.integer({ min: 1, max: 256 }),
  });

  it('reads what tilePath writes', () => {
    fc.assert(
      fc.property(place, (given) => {
        expect(parseTilePath(tilePath(given))).to.deep.equal(given);
      }),
    );
  });

  const refused: readonly string[] = [
    'tile/0/0',
    'tile/00/000',
    'tile/64/000',
    'tile/0/x000/001',
    'tile/0/x001',
    'tile/0/001/000',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p',
    'tile/-1/000',
    'tile/data/000',
    'tile/0/000/',
    '/tile/0/000',
    'tile/0/x999/x999/x999/x999/x999/999',
  ];
  for (const path of refused) it(`refuses ${path}`, () => expect(parseTilePath(path)).to.equal(undefined));
});

describe('tiles of a tree', () => {
  it('are those of its layout, and partial ones only at its edge', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200_000 }), (size) => {
        for (const { level, full, partialWidth } of tileLayout(size)) {
          const partial = { level, index: full, width: partialWidth };
          if (full > 0) expect(hasTile({ level, index: full - 1, width: 256 }, size)).to.equal(true);
          expect(hasTile({ level, index: full, width: 256 }, size)).to.equal(false);
          if (partialWidth > 0) expect([hasTile(partial, size), isEdgeOf(partial, size)]).to.deep.equal([true, true]);
          expect(hasTile({ ...partial, width: partialWidth + 1 }, size)).to.equal(false);
          expect(isEdgeOf({ ...partial, width: partialWidth + 1 }, size)).to.equal(false);
          if (partialWidth > 1) expect(isEdgeOf({ ...partial, width: partialWidth - 1 }, size)).to.equal(false);
        }
      }),
    );
  });
});
