import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { verbs } from '../../../cli/verbs.ts';
import { aCli, type TestCli } from '../../support/cli-io.ts';

/** Verbs without `-o json`, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  dev: 'runs a server, which writes a ready file',
  'example traffic': 'prints a line every 5 s until it is stopped',
  'example slow': 'changes the example, and has no result',
  'example fail': 'changes the example, and has no result',
  'example heal': 'changes the example, and has no result',
  'ledger init': 'writes files',
  'ledger backup': 'writes a file',
  'ledger restore': 'writes a file',
  'ledger adopt': 'writes files',
  completion: 'prints a script',
};

describe('-o json', () => {
  let cli: TestCli;
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('is taken by every verb that has a result', async () => {
    const loaded = await Promise.all(verbs.map(async ({ name, load }) => ({ name, verb: await load() })));
    const without = loaded.filter(({ verb }) => !verb.flags.some(({ short }) => short === 'o')).map(({ name }) => name);
    expect(without.toSorted()).to.deep.equal(Object.keys(WITHOUT).toSorted());
  });

  it('says what was changed in the vault, the keys and the pinned roots', async () => {
    const data = ['--data', cli.folder, '-o', 'json'];
    const run = async (...argv: readonly string[]): Promise<unknown> => {
      const { exit, out, err } = await cli.run(argv, { stdin: 'a-long-value' });
      expect(exit, err).to.equal(0);
      const value: unknown = JSON.parse(out);
      return value;
    };
    const file = `${cli.folder}/vault/default.default.yaml`;
    expect(await run('secrets', 'set', 'K', '--host', 'a.example', ...data)).to.deep.equal({
      entry: 'K',
      hosts: ['a.example'],
      file,
      replaced: false,
    });
    expect(await run('secrets', 'remove', 'K', ...data)).to.deep.equal({ entry: 'K', file });
    const key = await run('keys', 'create', '--tenant', 'acme', ...data);
    expect(key).to.have.keys('key', 'key_id', 'valid_until', 'stored_in');
    expect(await cli.run(['keys', 'create', '--tenant', 'acme', '--data', cli.folder, '-o', 'wide'])).to.include({
      exit: 64,
    });
  });
});
