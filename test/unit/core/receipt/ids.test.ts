import { expect } from 'chai';
import fc from 'fast-check';
import { isReceiptId, isRunId, newId, uuidv7 } from '../../../../core/receipt/ids.ts';

const zeros = (bytes: number): Uint8Array => new Uint8Array(bytes);
const ones = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(255);

describe('newId (RFC 9562 §5.7)', () => {
  const rows: readonly [string, number, (bytes: number) => Uint8Array, string][] = [
    ['the smallest', 0, zeros, '00000000-0000-7000-8000-000000000000'],
    ['the largest', 2 ** 48 - 1, ones, 'ffffffff-ffff-7fff-bfff-ffffffffffff'],
    ['the example of the RFC, as far as its time goes', 0x017f22e279b0, zeros, '017f22e2-79b0-7000-8000-000000000000'],
    ['a time with a fraction as its whole milliseconds', 1.9, zeros, '00000000-0001-7000-8000-000000000000'],
  ];
  for (const [why, now, random, expected] of rows) {
    it(`makes ${why}`, () => expect(uuidv7(now, random)).to.equal(expected));
  }

  const times = fc.nat(2 ** 48 - 1);
  const chance = fc.uint8Array({ minLength: 10, maxLength: 10 });

  it('makes ids that its own guards take, and no others', () => {
    fc.assert(
      fc.property(times, chance, (now, bytes) => {
        const receipt = newId('rcpt_', now, () => bytes);
        const run = newId('run_', now, () => bytes);
        expect([isReceiptId(receipt), isRunId(run), isReceiptId(run), isRunId(receipt)]).to.deep.equal([
          true,
          true,
          false,
          false,
        ]);
      }),
    );
  });

  it('sorts by time, whatever the chance', () => {
    fc.assert(
      fc.property(times, times, chance, chance, (a, b, one, other) => {
        fc.pre(a < b);
        expect(uuidv7(a, () => one) < uuidv7(b, () => other)).to.equal(true);
      }),
    );
  });

  it('keeps 74 bits of chance: every bit of it shows', () => {
    const seen = new Set<string>();
    for (let bit = 0; bit < 80; bit += 1) {
      const bytes = new Uint8Array(10);
      bytes[bit >> 3] = 0x80 >> (bit & 7);
      seen.add(uuidv7(0, () => bytes));
    }
    expect(seen.size).to.equal(74 + 1);
  });

  const refused: readonly [string, string][] = [
    ['another prefix', 'run_017f22e2-79b0-7000-8000-000000000000'],
    ['capitals', 'rcpt_017F22E2-79b0-7000-8000-000000000000'],
    ['version 4', 'rcpt_017f22e2-79b0-4000-8000-000000000000'],
    ['another variant', 'rcpt_017f22e2-79b0-7000-c000-000000000000'],
    ['a final newline', 'rcpt_017f22e2-79b0-7000-8000-000000000000\n'],
    ['something before it', ' rcpt_017f22e2-79b0-7000-8000-000000000000'],
  ];
  for (const [why, text] of refused) {
    it(`takes no ${why} for a receipt id`, () => expect(isReceiptId(text)).to.equal(false));
  }
});
