import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readVaultFile } from '../../../../adapters/vault-file/vault-file.ts';
import { aCli, patientClock, type CliResult, type TestCli } from '../../../support/cli-io.ts';

describe('orb secrets', () => {
  let cli: TestCli;
  const path = (name = 'default.default'): string => join(cli.folder, 'vault', `${name}.yaml`);
  const secrets = (argv: readonly string[], stdin: string | Uint8Array = 'a-long-value'): Promise<CliResult> =>
    cli.run(['secrets', ...argv, '--data', cli.folder], { stdin });
  const setPatiently = (name: string): Promise<CliResult> => {
    const argv = ['secrets', 'set', name, '--host', 'a.example', '--data', cli.folder];
    return cli.run(argv, { stdin: name, clock: patientClock });
  };
  const stored = async (): Promise<readonly unknown[]> =>
    (await readVaultFile(path())).map(({ name, value, hosts }) => [name, Buffer.from(value).toString('utf8'), hosts]);
  beforeEach(() => (cli = aCli()));
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('stores the value of standard input for its hosts and prints no value', async () => {
    const { exit, out, err } = await secrets(['set', 'K', '--host', 'API.example.com.', '--host', '*.b.example']);
    expect([exit, out]).to.deep.equal([0, '']);
    expect(err)
      .to.include('added K for api.example.com, *.b.example')
      .and.to.include(path())
      .and.not.to.include('a-long-value');
    expect(await stored()).to.deep.equal([['K', 'a-long-value', ['api.example.com', '*.b.example']]]);
    expect(statSync(path()).mode & 0o777).to.equal(0o600);
  });

  it('lists names and hosts, never values', async () => {
    await secrets(['set', 'K', '--host', 'a.example']);
    const text = await secrets(['list']);
    const data = await secrets(['list', '-o', 'json']);
    expect(text.out).to.include('K').and.to.include('a.example');
    expect(JSON.parse(data.out)).to.deep.equal({ secrets: [{ name: 'K', hosts: ['a.example'] }] });
    expect((await secrets(['list', '-o', 'name'])).out).to.equal('K\n');
    expect(text.out + data.out)
      .not.to.include('a-long-value')
      .and.not.to.include(Buffer.from('a-long-value').toString('base64'));
  });

  it('replaces a value, adds its hosts and keeps the other entries', async () => {
    await secrets(['set', 'A', '--host', 'a.example'], 'first-value');
    await secrets(['set', 'B', '--host', 'b.example'], 'second-value');
    const { err } = await secrets(['set', 'A', '--host', 'c.example'], 'third-value');
    expect(err).to.include('replaced A for a.example, c.example').and.to.include('; --replace-hosts keeps only');
    expect(await stored()).to.deep.equal([
      ['A', 'third-value', ['a.example', 'c.example']],
      ['B', 'second-value', ['b.example']],
    ]);
  });

  it('replaces the hosts where it is told to', async () => {
    await secrets(['set', 'A', '--host', 'a.example'], 'first-value');
    const { err } = await secrets(['set', 'A', '--host', 'c.example', '--replace-hosts'], 'third-value');
    expect(err).to.include('replaced A for c.example in').and.not.to.include('keeps only');
    expect(await stored()).to.deep.equal([['A', 'third-value', ['c.example']]]);
  });

  it('keeps every entry when several are set at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `K${index}`);
    await Promise.all(names.map(setPatiently));
    expect((await secrets(['list', '-o', 'name'])).out).to.equal(names.map((name) => `${name}\n`).join(''));
  });

  it('removes an entry, and says when there is none', async () => {
    await secrets(['set', 'K', '--host', 'a.example']);
    expect((await secrets(['remove', 'K'])).exit).to.equal(0);
    expect(await stored()).to.deep.equal([]);
    expect((await secrets(['remove', 'K'])).exit).to.equal(2);
  });

  it('has a vault for each Orbiset', async () => {
    await secrets(['set', 'K', '--host', 'a.example', '-n', 'acme', '--orbiset', 'support']);
    expect(existsSync(path('acme.support'))).to.equal(true);
    expect(existsSync(path())).to.equal(false);
  });

  const values: readonly [string, string | Uint8Array, string, string][] = [
    ['removes one line feed and says so', 'a-long-value\n', 'a-long-value', 'one trailing newline was removed'],
    ['removes one line end of two characters', 'a-long-value\r\n', 'a-long-value', 'one trailing newline was removed'],
    ['removes no more than one', 'a-long-value\n\n', 'a-long-value\n', 'can not be sent in a header'],
    ['keeps spaces', ' a-long-value ', ' a-long-value ', 'added'],
    ['keeps letters of all kinds', 'Schlüssel-世界', 'Schlüssel-世界', 'added'],
    ['warns of a value too short to be redacted', 'short', 'short', 'can not be redacted'],
  ];
  for (const [what, stdin, expected, message] of values) {
    it(what, async () => {
      const { exit, err } = await secrets(['set', 'K', '--host', 'a.example'], stdin);
      expect(exit).to.equal(0);
      expect(err).to.include(message);
      expect(await stored()).to.deep.equal([['K', expected, ['a.example']]]);
    });
  }

  it('asks for the value where standard input is a terminal, without an echo of its own', async () => {
    const asked: string[] = [];
    const readHidden = async (prompt: string): Promise<Uint8Array> => {
      asked.push(prompt);
      return Buffer.from('typed-value');
    };
    const input = { isTerminal: true, read: async () => Buffer.from('not this'), readHidden };
    await cli.run(['secrets', 'set', 'K', '--host', 'a.example', '--data', cli.folder], { input });
    expect(asked).to.deep.equal(['value of K (not shown): ']);
    expect(await stored()).to.deep.equal([['K', 'typed-value', ['a.example']]]);
  });

  const refused: readonly [string, readonly string[], string | Uint8Array, number, string][] = [
    ['no host', ['K'], 'a-long-value', 64, '--host HOST is missing'],
    ['a host with a scheme', ['K', '--host', 'https://a.example'], 'a-long-value', 64, 'no scheme, port or path'],
    ['a host with a port', ['K', '--host', 'a.example:443'], 'a-long-value', 64, 'no scheme, port or path'],
    ['a star in the middle', ['K', '--host', 'a.*.example'], 'a-long-value', 64, 'no scheme, port or path'],
    ['a star without a suffix', ['K', '--host', '*.'], 'a-long-value', 64, 'no scheme, port or path'],
    ['a value as an argument', ['K=hunter2', '--host', 'a.example'], 'a-long-value', 64, 'never from an argument'],
    ['a second argument', ['K', 'x', '--host', 'a.example'], 'a-long-value', 64, 'too many arguments'],
    ['a name that no manifest can write', ['K y', '--host', 'a.example'], 'a-long-value', 2, 'an entry has letters'],
    ['an empty value', ['K', '--host', 'a.example'], '', 2, 'holds no value'],
    ['a line end alone', ['K', '--host', 'a.example'], '\n', 2, 'holds no value'],
    ['a value that is not UTF-8', ['K', '--host', 'a.example'], Uint8Array.of(0xff, 0xfe), 2, 'it is not UTF-8'],
    [
      'an Orbiset that is a path',
      ['K', '--host', 'a.example', '--orbiset', '../../x'],
      'a-long-value',
      64,
      '--orbiset',
    ],
    ['a namespace with a dot', ['K', '--host', 'a.example', '-n', 'a.b'], 'a-long-value', 64, '--namespace'],
  ];
  for (const [why, argv, stdin, code, message] of refused) {
    it(`stores nothing for ${why}`, async () => {
      const { exit, err } = await secrets(['set', ...argv], stdin);
      expect(exit).to.equal(code);
      expect(err).to.include(message).and.not.to.include('hunter2');
      expect(existsSync(join(cli.folder, 'vault'))).to.equal(false);
    });
  }

  it('leaves a file alone that it did not write, and quotes nothing of it', async () => {
    mkdirSync(join(cli.folder, 'vault'));
    writeFileSync(path(), 'entries: [{name: K, value_b64: "hunter2!", hosts: [a.example]}]\n');
    const { exit, err } = await secrets(['set', 'B', '--host', 'a.example']);
    expect(exit).to.equal(2);
    expect(err).to.include('/entries/0/value_b64 is not base64').and.not.to.include('hunter2');
    expect(readFileSync(path(), 'utf8')).to.include('hunter2!');
  });
});
