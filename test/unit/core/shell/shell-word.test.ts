import { expect } from 'chai';
import { shellWord } from '../../../../core/shell/shell-word.ts';

describe('shellWord', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['https://orbs.example:8443/a', 'https://orbs.example:8443/a'],
    ['', "''"],
    ['two words', "'two words'"],
    ["it's", String.raw`'it'\''s'`],
    ['$(id)', "'$(id)'"],
    ['a\nb', "'a\nb'"],
  ];
  for (const [text, word] of rows)
    it(`writes ${JSON.stringify(text)} as ${word}`, () => {
      expect(shellWord(text)).to.equal(word);
    });
});
