import { expect } from 'chai';
import fc from 'fast-check';
import { Document, Scalar } from 'yaml';
import { parseDocuments } from '../../../../../core/manifest/parse-text.ts';

const POINTER = '/when';

/** Line and column in the file of a place in the text at `/when`. */
function placeOf(file: string, format: 'json' | 'yaml', line: number, column: number): string {
  const [document] = parseDocuments(file, format);
  const finding = { code: 'type-error', pointer: POINTER, detail: '', severity: 'error', line, column } as const;
  const [found] = document?.withInnerPlaces([finding]) ?? [];
  return `${found?.line}:${found?.column}`;
}

const ROWS: readonly (readonly [why: string, file: string, place: readonly [number, number], expected: string])[] = [
  ['a plain text', 'when: orb.scor < 1\n', [1, 5], '1:11'],
  ['a text in single quotes with a quote', "when: 'orb.name == ''a'' && orb.scor < 1'\n", [1, 20], '1:29'],
  ['a text in double quotes with escapes', 'when: "orb.name == \\"a\\" && orb.scor < 1"\n', [1, 20], '1:29'],
  [
    'a text with an escape of its code',
    'when: "\\x6frb.name == \\u0022a\\U00000022 && orb.scor < 1"\n',
    [1, 20],
    '1:44',
  ],
  ['a tab and a line as escapes', 'when: "orb.name == \'a\'\\n\\t&& orb.scor < 1"\n', [2, 5], '1:30'],
  ['a block', 'when: |\n  orb.score < 1\n  && orb.scor < 1\n', [2, 4], '3:6'],
  ['a folded block, whose lines are one', 'when: >-\n  orb.score < 1\n  && orb.scor < 1\n', [1, 18], '3:6'],
  ['a plain text of two lines', 'when: orb.score < 1\n  && orb.scor < 1\n', [1, 18], '2:6'],
  ['the end of a text', 'when: "orb.score <" # less\n', [1, 12], '1:19'],
  ['a text with an anchor', 'when: &it orb.scor < 1\nit: *it\n', [1, 5], '1:15'],
  ['a text with Windows line ends', 'when: |\r\n  orb.score < 1\r\n  && orb.scor < 1\r\n', [2, 4], '3:6'],
  ['an alias of a text elsewhere', 'it: &it orb.scor < 1\nwhen: *it\n', [1, 5], '2:7'],
];

describe('the place of a finding in an expression', () => {
  for (const [why, file, [line, column], expected] of ROWS)
    it(`is found in ${why}`, () => {
      expect(placeOf(file, 'yaml', line, column)).to.equal(expected);
    });

  it('is found in JSON', () => {
    expect(placeOf('{\n "when": "orb.name == \\"a\\" && orb.scor < 1"}', 'json', 1, 20)).to.equal('2:32');
  });

  it('is that of the value when there is no text at the pointer', () => {
    expect(placeOf('when: [1]\n', 'yaml', 1, 3)).to.equal('1:7');
  });

  it('names the same character however the text is written', () => {
    const styles = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'] as const;
    const words = fc.array(fc.constantFrom('orb.score', '<', '"a b"', "'é'", '&&', '\n', '🙂', '\\'), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.constantFrom(...styles), fc.nat(), (parts, style, seed) => {
        const text = parts.join(' ');
        const scalar = new Scalar(text);
        scalar.type = style;
        const file = new Document({ when: scalar }).toString();
        const [parsed] = parseDocuments(file, 'yaml');
        fc.pre(parsed?.ok === true && text.trim() !== '');
        // Characters that are not escaped anywhere, so that the file shows them as they are.
        const marks = [...text.matchAll(/[a-z&<🙂]/gu)];
        const mark = marks[seed % Math.max(1, marks.length)];
        fc.pre(mark !== undefined && mark.index >= 0);
        const before = text.slice(0, mark.index).split('\n');
        const [line, column] = placeOf(file, 'yaml', before.length, (before.at(-1)?.length ?? 0) + 1)
          .split(':')
          .map(Number);
        const found = file.split('\n')[(line ?? 0) - 1]?.slice((column ?? 0) - 1) ?? '';
        expect(found.startsWith(mark[0]), `${file} at ${line}:${column}`).to.equal(true);
      }),
    );
  });
});
