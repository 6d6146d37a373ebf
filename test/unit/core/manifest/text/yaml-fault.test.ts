import { expect } from 'chai';
import { parseDocuments } from '../../../../../core/manifest/parse-text.ts';

/** The first finding of a text: place and advice. */
function first(text: string): string {
  const [finding] = parseDocuments(text, 'yaml').flatMap(({ findings }) => findings);
  return finding === undefined ? 'nothing' : `${finding.line}:${finding.column} ${finding.detail}`;
}

describe('an error of YAML says what to change, and where:', () => {
  const rows: readonly (readonly [why: string, text: string, place: string, advice: string])[] = [
    ['a tab', 'a: 1\nb:\n\tc: 1\n', '3:1', 'replace the tab'],
    ['a tab behind spaces', 'a:\n  b:\n  \tc: 2\n', '3:3', 'replace the tab'],
    ['an open brace', 'a: 1\nb: { c: 1\nd: 2\n', '2:4', 'Nothing closes this "{"'],
    ['an open brace at the end', 'inputs:\n  a: { type: string\n', '2:6', 'Nothing closes this "{"'],
    ['an open brace before another map', 'a: {type: string\nb: {type: string}\n', '1:4', 'add "}"'],
    ['an open bracket', 'a: [1, 2\nb: 3\n', '1:4', 'Nothing closes this "["'],
    ['an open quote', 'a: "x\nb: 2\n', '3:1', 'no closing "'],
    ['a second colon', 'a: Bearer: x\n', '1:4', 'quote the value'],
    ['a reserved character', 'a: @x\n', '1:4', 'quote the value'],
    ['a colon without space', 'a:1\nb: 2\n', '1:1', 'NAME: VALUE'],
    ['another column', 'a:\n  b: 1\n c: 2\n', '3:1', 'the same column'],
    ['an unquoted placeholder', 'a: 1\nb: {{inputs.x}}\n', '2:4', 'quote the value'],
    ['an unquoted placeholder with spaces', 'b: {{ inputs.x }}\n', '1:4', 'quote the value'],
    ['an unquoted placeholder with more', 'b: {{inputs.x}}/y\n', '1:4', 'quote the value'],
    ['an unquoted placeholder in a flow map', 'a: { b: {{inputs.x}} }\n', '1:9', 'quote the value'],
    ['the second unquoted placeholder of a line', 'a: {b: 1, c: {{inputs.y}}/z}\n', '1:14', 'quote the value'],
    ['an unquoted placeholder in a list', '- {{inputs.x}}\n', '1:3', 'quote the value'],
  ];
  for (const [why, text, place, advice] of rows)
    it(why, () => {
      expect(first(text)).to.include(`${place} `).and.to.include(advice);
    });

  it('never repeats the text, which may be a Secret', () => {
    for (const [, text] of rows) expect(first(text.replaceAll(/[a-z]+/g, 'sesame'))).not.to.include('sesame');
  });
});
