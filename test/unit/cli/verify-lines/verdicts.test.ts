import { expect } from 'chai';
import { add, exitOf, NO_LINES, summaryOf, type Counts } from '../../../../cli/verify-lines/verdicts.ts';

describe('the exit code of a file of lines', () => {
  const rows: readonly (readonly [why: string, counts: Partial<Counts>, exit: number, summary: string])[] = [
    ['only valid lines', { valid: 3 }, 0, '3 lines: 3 valid'],
    ['one line that is not trusted', { valid: 3, untrusted: 1 }, 3, '4 lines: 1 untrusted, 3 valid'],
    [
      'one undecidable line',
      { valid: 3, untrusted: 9, undecidable: 1 },
      2,
      '13 lines: 1 undecidable, 9 untrusted, 3 valid',
    ],
    [
      'one tampered line',
      { valid: 3, untrusted: 9, undecidable: 9, tampered: 1 },
      1,
      '22 lines: 1 tampered, 9 undecidable, 9 untrusted, 3 valid',
    ],
    ['a single line', { tampered: 1 }, 1, '1 line: 1 tampered'],
  ];
  for (const [why, counts, exit, summary] of rows) {
    it(`is ${exit} for ${why}`, () => {
      const all = add(NO_LINES, { ...NO_LINES, ...counts });
      expect([exitOf(all), summaryOf(all)]).to.deep.equal([exit, summary]);
    });
  }
});
