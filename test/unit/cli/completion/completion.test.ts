import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { candidates } from '../../../../cli/completion/candidates.ts';
import { verbs } from '../../../../cli/verbs.ts';
import { aCli, type TestCli } from '../../../support/cli-io.ts';
import { NO_ORBS } from '../../../support/no-orbs.ts';

const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await candidates(verbs, words, NO_ORBS)).words;

describe('completion', () => {
  let cli: TestCli;
  before(() => (cli = aCli()));
  after(() => rmSync(cli.folder, { recursive: true }));

  it('offers verbs, the second half of a verb, and flags that are not given yet', async () => {
    expect(await complete('')).to.include.members(['run', 'receipts', 'keys', 'help']);
    expect(await complete('rec')).to.deep.equal(['receipts']);
    expect(await complete('receipts', '')).to.deep.equal(['get', 'list']);
    expect(await complete('help', 'keys', 'c')).to.deep.equal(['create']);
    expect(await complete('keys', 'create', '--te')).to.deep.equal(['--tenant']);
    expect(await complete('keys', 'create', '--tenant', 'a', '--te')).to.deep.equal(['--tenant']);
    expect(await complete('run', '--orbiset', 'x', '--orbi')).to.deep.equal([]);
  });

  it('offers formats behind -o, values of a flag, files where a file is meant, and nothing behind an unknown verb', async () => {
    expect(await complete('run', '-o', '')).to.deep.equal(['json', 'yaml', 'name']);
    expect(await complete('signals', 'send', 'acme/hook', '--sample', 'g')).to.deep.equal(['grafana', 'github']);
    expect(await complete('incidents', '')).to.include.members(['list', 'ack', 'withdraw']);
    expect(await candidates(verbs, ['run', '--key-file', 'x'], NO_ORBS)).to.deep.equal({ words: [], files: true });
    expect((await candidates(verbs, ['verify', ''], NO_ORBS)).files).to.equal(true);
    expect((await candidates(verbs, ['keys', 'revoke', ''], NO_ORBS)).files).to.equal(false);
    expect(await candidates(verbs, ['nosuch', ''], NO_ORBS)).to.deep.equal({ words: [], files: false });
  });

  it('offers every flag of every verb', async () => {
    for (const entry of verbs)
      for (const { name } of (await entry.load()).flags)
        expect(await complete(...entry.name.split(' '), `--${name}`), entry.name).to.include(`--${name}`);
  });

  it('answers scripts and kubectl one candidate a line, then what else to offer', async () => {
    expect((await cli.run(['__complete', 'receipts', 'l'])).out).to.equal('list\n:4\n');
    expect((await cli.run(['__complete', 'validate', ''])).out).to.equal(':0\n');
  });

  it('has a script for bash that fills in what is offered', async () => {
    const { out } = await cli.run(['completion', 'bash']);
    const fake = 'orb() { [ "$*" = "__complete receipts l" ] && printf "list\\n:4\\n"; }';
    const ask =
      'COMP_LINE="orb receipts l"; COMP_POINT=14; COMP_WORDS=(orb receipts l); COMP_CWORD=2; _orb; echo "${COMPREPLY[*]}"';
    const { stdout, stderr } = spawnSync('bash', ['-c', `${out}\n${fake}\n${ask}`], { encoding: 'utf8' });
    expect([stdout, stderr]).to.deep.equal(['list\n', '']);
  });

  it('has scripts for zsh and fish, and for no other shell', async () => {
    for (const shell of ['zsh', 'fish'])
      expect((await cli.run(['completion', shell])).out).to.include('orb __complete');
    expect((await cli.run(['completion', 'tcsh'])).exit).to.equal(64);
  });
});
