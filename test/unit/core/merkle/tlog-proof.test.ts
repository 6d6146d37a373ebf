import { expect } from 'chai';
import fc from 'fast-check';
import { formatTlogProof, parseTlogProof } from '../../../../core/merkle/tlog-proof.ts';

const NOTE = 'orbs.example/log\n1\nroot\n\n— orbs.example/log sig\n';
const HASH = Buffer.alloc(32, 7).toString('base64');
const text = (...lines: readonly string[]): string => [...lines, '', NOTE].join('\n');
const FIRST = 'c2sp.org/tlog-proof@v1';
const GOOD = text(FIRST, 'index 12', HASH, HASH);

describe('parseTlogProof', () => {
  it('reads back what formatTlogProof wrote', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.array(hash, { maxLength: 63 }), (index, hashes) => {
        const parsed = parseTlogProof(formatTlogProof({ index, hashes, checkpoint: NOTE }));
        expect([parsed?.index, parsed?.checkpoint]).to.deep.equal([index, NOTE]);
        expect(parsed?.hashes.map((bytes) => [...bytes])).to.deep.equal(hashes.map((bytes) => [...bytes]));
      }),
    );
  });

  const accepted: readonly (readonly [why: string, proof: string, hashes: number])[] = [
    ['a proof', GOOD, 2],
    ['a tree of one leaf', text(FIRST, 'index 0'), 0],
    ['extra data, which it ignores', text(FIRST, 'extra AAAA', 'index 12', HASH), 1],
  ];
  for (const [why, proof, hashes] of accepted) {
    it(`accepts ${why}`, () => expect(parseTlogProof(proof)?.hashes.length).to.equal(hashes));
  }

  const refused: readonly (readonly [why: string, proof: string])[] = [
    ['another version', GOOD.replace('@v1', '@v2')],
    ['white space before the first line', ` ${GOOD}`],
    ['a carriage return', GOOD.replace('@v1\n', '@v1\r\n')],
    ['an index with a leading zero', text(FIRST, 'index 012', HASH)],
    ['a negative index', text(FIRST, 'index -1', HASH)],
    ['an index that is no exact number', text(FIRST, 'index 9007199254740993', HASH)],
    ['an index with something behind it', text(FIRST, 'index 12 ', HASH)],
    ['no index', text(FIRST, HASH)],
    ['extra data behind the index', text(FIRST, 'index 12', 'extra AAAA', HASH)],
    ['extra data that is not base64', text(FIRST, 'extra AAA', 'index 12', HASH)],
    ['extra data twice', text(FIRST, 'extra AAAA', 'extra AAAA', 'index 12')],
    ['empty extra data', text(FIRST, 'extra ', 'index 12', HASH)],
    ['a hash of 31 bytes', text(FIRST, 'index 12', Buffer.alloc(31).toString('base64'))],
    ['a hash in another spelling', text(FIRST, 'index 12', HASH.replace('=', ''))],
    ['64 hashes', text(FIRST, 'index 12', ...Array.from({ length: 64 }, () => HASH))],
    ['no empty line', `${FIRST}\nindex 12\n${HASH}\n`],
    ['nothing', ''],
  ];
  for (const [why, proof] of refused) {
    it(`refuses ${why}`, () => expect(parseTlogProof(proof)).to.equal(undefined));
  }
});
