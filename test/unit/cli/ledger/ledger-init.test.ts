import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { loadKeys } from '../../../../adapters/keys/load-keys.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';

const linesOf = ({ err }: CliResult): readonly string[] => err.split('\n').filter((line) => line.includes('kubectl'));
const fileIn = (line = ''): string => / > (\S+)\)$/.exec(line)?.[1] ?? '';

describe('orb ledger init', () => {
  let cli: TestCli;
  let cluster: ACluster;
  const init = (...argv: readonly string[]): Promise<CliResult> =>
    cli.run(['ledger', 'init', ...argv], { openCluster: cluster.open });
  beforeEach(() => {
    cli = aCli();
    cluster = aCluster();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('makes the folder of npm start once, and prints the line that pins its root', async () => {
    const made = await init('--data', cli.folder);
    expect(made.exit).to.equal(0);
    const keys = await loadKeys(join(cli.folder, 'keys'));
    expect(made.out).to.equal(`orb trust add https://orbs.localhost --root '${JSON.stringify(keys.root.jwk)}'\n`);
    expect(made.err).to.include('permanently; set your own with --issuer URL').and.to.include('root.pem');
    const before = readFileSync(join(cli.folder, 'keys', 'receipt.pem'), 'utf8');
    const again = await init('--data', cli.folder);
    expect([again.exit, again.out, again.err.includes('kept')]).to.deep.equal([0, made.out, true]);
    expect(readFileSync(join(cli.folder, 'keys', 'receipt.pem'), 'utf8')).to.equal(before);
  });

  it('prints no private key', async () => {
    const { out, err } = await init('--data', cli.folder);
    for (const file of readdirSync(join(cli.folder, 'keys')).filter((name) => /pem|\.key$/.test(name))) {
      const [line = ''] = readFileSync(join(cli.folder, 'keys', file), 'utf8')
        .split('\n')
        .filter((text) => /^[\w+/=-]{20,}$/.test(text));
      expect(line.length, file).to.be.greaterThan(20);
      expect(`${out}${err}`).not.to.include(line);
    }
  });

  it('makes one Secret, under its default name or the one that is given', async () => {
    const named = ['--secret=mine', '-n', 'other', '--issuer', 'https://orbs.example'];
    for (const argv of [['--secret'], ['--secret', 'second'], named]) expect((await init(...argv)).exit).to.equal(0);
    const made = cluster.kube
      .objects(KINDS.secret)
      .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
    expect(made).to.deep.equal(['orb-system/orb-platform-keys', 'orb-system/second', 'other/mine']);
  });

  it('keeps what is there, of any issuer unless one is named, and refuses another', async () => {
    const first = await init('--secret', '--issuer', 'https://orbs.example');
    expect(first.err).not.to.include('for good');
    const before = cluster.kube.objects(KINDS.secret);
    expect((await init('--secret')).out).to.equal(first.out);
    const other = await init('--secret', '--issuer', 'https://other.example');
    expect([other.exit, other.out]).to.deep.equal([2, '']);
    expect(other.err).to.include('--issuer https://orbs.example keeps it');
    expect(cluster.kube.objects(KINDS.secret)).to.deep.equal(before);
  });

  it('refuses a Secret that holds something else', async () => {
    const metadata = { name: 'orb-platform-keys', namespace: 'orb-system' };
    cluster.kube.put(KINDS.secret, { apiVersion: 'v1', kind: 'Secret', metadata, data: {} });
    const { exit, err } = await init('--secret');
    expect([exit, err.includes('There is no root.jwk in the Secret')]).to.deep.equal([2, true]);
  });

  it('makes no other keys where the platform has signed, and says how they come back', async () => {
    const metadata = { name: 'orb-log-head', namespace: 'orb-system' };
    cluster.kube.put(KINDS.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} });
    for (const argv of [['--secret'], ['--secret=misspelt', '--issuer', 'https://orbs.example']]) {
      const { exit, out, err } = await init(...argv);
      expect([exit, out, cluster.kube.objects(KINDS.secret)]).to.deep.equal([2, '', []]);
      expect(err).to.include('ConfigMap orb-log-head').and.to.include('from its backup').and.to.include('start again');
    }
    expect((await init('--secret', '-n', 'other')).exit).to.equal(0);
    cluster.kube.remove(KINDS.configMap, metadata);
    const made = await init('--secret');
    cluster.kube.put(KINDS.configMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} });
    expect([made.exit, (await init('--secret')).out]).to.deep.equal([0, made.out]);
  });

  it('prints lines of one cluster, with a file for each root', async () => {
    const one = linesOf(
      await init('--secret', 'one', '--issuer', 'https://one.example:8443', '--kubeconfig', '/my config'),
    );
    const other = linesOf(await init('--secret', 'other', '--issuer', 'https://one.example:8443'));
    expect([one.length, other.length]).to.deep.equal([2, 2]);
    for (const line of one) {
      const calls = line.split('kubectl').slice(1);
      for (const call of calls) expect(call).to.match(/^ --kubeconfig '\/my config' --context production /);
    }
    for (const line of other) expect(line).to.include('kubectl --context production ');
    expect(fileIn(one[0])).to.match(/^root-one\.example-8443-[\w-]{8}\.pem$/);
    expect(fileIn(one[0])).not.to.equal(fileIn(other[0]));
  });

  it('names the cluster before it makes anything', async () => {
    let reported = '';
    cluster.kube.before = () => void (reported ||= lines.join(''));
    const lines: string[] = [];
    const err = (text: string): void => void lines.push(text);
    await cli.run(['ledger', 'init', '--secret'], { openCluster: cluster.open, err });
    expect(reported).to.equal('cluster: context production, https://kube.example:6443\n');
  });

  const wrong: readonly [string, readonly string[]][] = [
    ['no place', []],
    ['two places', ['--secret', '--data', 'x']],
    ['a name given twice', ['--secret=a', 'b']],
    ['a name that is none', ['--secret', '../x']],
    ['two namespaces', ['--secret', '-n', 'a', '--platform-namespace', 'b']],
    ['an issuer without https', ['--secret', '--issuer', 'http://orbs.example']],
    ['an issuer with a path', ['--secret', '--issuer', 'https://orbs.example/x']],
  ];
  for (const [why, argv] of wrong) {
    it(`refuses ${why}`, async () => {
      expect((await init(...argv)).exit).to.equal(64);
      expect(cluster.kube.objects(KINDS.secret)).to.deep.equal([]);
    });
  }
});
