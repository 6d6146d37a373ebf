import { expect } from 'chai';
import { PassThrough } from 'node:stream';
import { terminalInput } from '../../../../cli/io/terminal-input.ts';

const typing = async (
  keys: readonly (string | Uint8Array)[],
): Promise<{ readonly line: unknown; readonly modes: readonly boolean[]; readonly shown: string }> => {
  const modes: boolean[] = [];
  const shown: string[] = [];
  const source = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => modes.push(on) });
  const pending = terminalInput(source, (text) => void shown.push(text)).readHidden('value: ');
  for (const key of keys) source.write(key);
  const line: unknown = await pending
    .then((bytes) => Buffer.from(bytes).toString('utf8'))
    .catch((error: unknown) => error);
  return { line, modes, shown: shown.join('') };
};

describe('terminalInput', () => {
  const rows: readonly [string, readonly (string | Uint8Array)[], string][] = [
    ['up to Enter', ['ab', 'c\r'], 'abc'],
    ['up to a line feed, and nothing behind it', ['abc\ndef'], 'abc'],
    ['up to the end of input', ['abc', '\u0004'], 'abc'],
    ['without what was erased', ['abx\u007fc\r'], 'abc'],
    ['without a whole letter that was erased', ['aü\u007f世\u0008b\r'], 'ab'],
    ['a letter in two parts', [Uint8Array.of(0xc3), Uint8Array.of(0xbc), '\r'], 'ü'],
    ['nothing erased from nothing', ['\u007fa\r'], 'a'],
  ];
  for (const [why, keys, expected] of rows) {
    it(`reads a hidden line ${why}`, async () => {
      const { line, modes, shown } = await typing(keys);
      expect(line).to.equal(expected);
      expect(modes).to.deep.equal([true, false]);
      expect(shown).to.equal('value: \n');
    });
  }

  it('gives the terminal back when the typing is stopped', async () => {
    const { line, modes } = await typing(['ab', '\u0003']);
    expect(line).to.include({ message: 'stopped', exit: 2 });
    expect(modes).to.deep.equal([true, false]);
  });

  it('reads everything up to the limit, and no more', async () => {
    const source = new PassThrough();
    source.end('12345');
    expect(await terminalInput(source, () => undefined).read(5)).to.deep.equal(Buffer.from('12345'));
    const longer = new PassThrough();
    longer.end('123456');
    const error: unknown = await terminalInput(longer, () => undefined)
      .read(5)
      .catch((fault: unknown) => fault);
    expect(error).to.include({ exit: 2 });
  });
});
