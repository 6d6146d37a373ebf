import { expect } from 'chai';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseInputs } from '../../../../cli/run/inputs.ts';
import { ioOf } from '../../../support/cli-io.ts';

describe('parseInputs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-inputs-'));
  const file = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  after(() => rmSync(folder, { recursive: true }));

  const text = file('text', 'two\nlines\n');
  const list = file('list.json', '[1, "a"]');
  const whole = file('whole.json', '{"a": 1, "b": "x"}');
  const binary = file('binary', Uint8Array.of(0xff, 0xfe));

  const accepted: readonly [string, readonly string[], string | undefined, unknown][] = [
    ['nothing', [], undefined, {}],
    ['text', ['a=b'], undefined, { a: 'b' }],
    ['digits as text', ['a=5'], undefined, { a: '5' }],
    ['empty text', ['a='], undefined, { a: '' }],
    ['text with separators in it', ['a=b=c:=d'], undefined, { a: 'b=c:=d' }],
    ['text of several lines', ['a=b\nc'], undefined, { a: 'b\nc' }],
    ['JSON', ['a:=5', 'b:=true', 'c:={"d":[1.5]}'], undefined, { a: 5, b: true, c: { d: [1.5] } }],
    ['a text that begins with @', ['a:="@x"'], undefined, { a: '@x' }],
    ['a file, byte for byte', [`a=@${text}`], undefined, { a: 'two\nlines\n' }],
    ['a file with JSON', [`a:=@${list}`], undefined, { a: [1, 'a'] }],
    ['standard input', ['a=@-'], undefined, { a: 'from stdin' }],
    ['all of a file', [], whole, { a: 1, b: 'x' }],
    ['a file and more', ['c=z'], whole, { a: 1, b: 'x', c: 'z' }],
    ['the name of an inherited member', ['__proto__=x'], undefined, Object.fromEntries([['__proto__', 'x']])],
  ];
  for (const [why, words, input, expected] of accepted) {
    it(`reads ${why}`, async () => {
      expect(await parseInputs(words, input, ioOf({ stdin: 'from stdin' }))).to.deep.equal(expected);
    });
  }

  const refused: readonly [string, readonly string[], string | undefined, number, string][] = [
    ['a word without a separator', ['a'], undefined, 64, 'inputs are written name=text'],
    ['a name that no input can have', ['a-b=c'], undefined, 64, 'inputs are written name=text'],
    ['no name', ['=c'], undefined, 64, 'inputs are written name=text'],
    ['a name given twice', ['a=1', 'a:=1'], undefined, 64, 'the input a is given twice'],
    ['a name of the file given again', ['a=1'], whole, 64, 'the input a is given twice'],
    ['standard input twice', ['a=@-', 'b:=@-'], undefined, 64, 'only once'],
    ['standard input twice, once as the whole', ['a=@-'], '-', 64, 'only once'],
    ['no JSON', ['a:=b'], undefined, 2, 'a:=…: invalid-json'],
    ['JSON with a member twice', ['a:={"b":1,"b":2}'], undefined, 2, 'duplicate-key at /b'],
    ['an integer that parsing rounds', ['a:=9007199254740993'], undefined, 2, 'integer-out-of-range'],
    ['a file that is not there', ['a=@/nowhere/x'], undefined, 2, '/nowhere/x: there is no such file'],
    ['a folder', [`a=@${folder}`], undefined, 2, 'it is a folder'],
    ['a file that is not UTF-8', [`a=@${binary}`], undefined, 2, 'it is not UTF-8'],
    ['a whole that is no object', [], list, 2, 'inputs are a JSON object'],
  ];
  for (const [why, words, input, exit, message] of refused) {
    it(`refuses ${why}`, async () => {
      const outcome = await parseInputs(words, input, ioOf({})).catch((error: unknown) => error);
      expect(outcome).to.include({ exit });
      expect(String(outcome)).to.include(message);
    });
  }
});
