import { expect } from 'chai';
import { mkdirSync, rmSync } from 'node:fs';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aCluster, type ACluster } from '../../../support/kube/a-cluster.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';

const VALUE = 'a-secret-value';
const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('orb secrets on a cluster', () => {
  let cli: TestCli;
  let cluster: ACluster;
  const secrets = (argv: readonly string[], stdin = VALUE): Promise<CliResult> =>
    cli.run(['secrets', ...argv, '--kubeconfig', '/my config'], { openCluster: cluster.open, stdin });
  const orbiset = (secretsOf: readonly object[], more: object = {}): void =>
    void cluster.kube.put(KINDS.orbiset, {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orbiset',
      metadata: { name: 'default', namespace: 'acme' },
      spec: { vault: { secrets: secretsOf } },
      ...more,
    });
  const data = (): unknown =>
    cluster.kube.objects(KINDS.secret).map(({ metadata, data: held }) => [metadata.name, held]);
  beforeEach(() => {
    cli = aCli();
    cluster = aCluster();
  });
  afterEach(() => rmSync(cli.folder, { recursive: true }));

  it('writes the value into the namespace of the context and prints the line for the Orbiset, nothing else', async () => {
    orbiset([]);
    const { exit, out, err } = await secrets(['set', 'API_KEY', '--host', 'a.example']);
    expect(exit).to.equal(0);
    expect(data()).to.deep.equal([['api-key', { API_KEY: encoded(VALUE) }]]);
    expect(out).to.equal(
      `kubectl --kubeconfig '/my config' --context production patch orbiset default -n acme --type json -p '[{"op":"add","path":"/spec/vault/secrets/-","value":{"name":"api-key","allowedHosts":["a.example"],"keys":["API_KEY"]}}]'\n`,
    );
    expect(err).not.to.include(VALUE);
  });

  it('has a field manager for each key: applying one takes no other away', async () => {
    orbiset([]);
    const long = 'K'.repeat(253);
    for (const key of ['A', 'B', long]) await secrets(['set', key, '--host', 'a.example', '--secret', 'both']);
    expect(data()).to.deep.equal([['both', { A: encoded(VALUE), B: encoded(VALUE), [long]: encoded(VALUE) }]]);
    const managers = cluster.kube.requests.flatMap(({ verb, fieldManager = '' }) =>
      verb === 'apply' ? [fieldManager] : [],
    );
    expect(managers.slice(0, 2)).to.deep.equal(['orb-cli.A', 'orb-cli.B']);
    expect(managers[2]?.length).to.be.lessThan(129);
  });

  it('binds by --bind, looking again when somebody else changed the Orbiset in between', async () => {
    orbiset([]);
    let patches = 0;
    cluster.kube.before = ({ verb, kind }) => {
      if (verb !== 'patch' || kind !== 'Orbiset') return;
      patches += 1;
      if (patches === 1) orbiset([{ name: 'rival', allowedHosts: ['*'], keys: ['R'] }]);
    };
    const { exit, out, err } = await secrets(['set', 'API_KEY', '--host', 'a.example', '--bind']);
    expect([exit, out]).to.deep.equal([0, '']);
    expect(err).to.include('the Orbiset acme/default binds it for a.example');
    expect(cluster.kube.objects(KINDS.orbiset)[0]?.spec).to.deep.equal({
      vault: {
        secrets: [
          { name: 'rival', allowedHosts: ['*'], keys: ['R'] },
          { name: 'api-key', allowedHosts: ['a.example'], keys: ['API_KEY'] },
        ],
      },
    });
    expect((await secrets(['set', 'API_KEY', '--host', 'a.example'])).out).to.equal('');
  });

  it('writes nothing with --bind where there is no Orbiset, and prints what makes one', async () => {
    const { exit, err } = await secrets(['set', 'API_KEY', '--host', 'a.example', '--bind', '-n', 'tenant']);
    expect([exit, data()]).to.deep.equal([2, []]);
    expect(err).to.include('"metadata":{"namespace":"tenant","name":"default"}').and.to.include('apply --server-side');
  });

  it('reads no value where it can not be bound', async () => {
    orbiset([{ name: 'other', allowedHosts: ['*'], keys: ['API_KEY', 'B'] }]);
    const input = {
      isTerminal: false,
      read: () => Promise.reject(new Error('read')),
      readHidden: () => Promise.reject(new Error('read')),
    };
    const argv = ['secrets', 'set', 'API_KEY', '--host', 'a.example', '--context', 'c'];
    const { exit, err } = await cli.run(argv, { openCluster: cluster.open, input });
    expect([exit, err.includes('all its values share these hosts')]).to.deep.equal([2, true]);
  });

  it('names the cluster before the value is read', async () => {
    orbiset([]);
    const lines: string[] = [];
    let reported = '';
    const read = async (): Promise<Uint8Array> => {
      reported = lines.join('');
      return Buffer.from(VALUE);
    };
    const some = { openCluster: cluster.open, err: (text: string): void => void lines.push(text) };
    const argv = ['secrets', 'set', 'API_KEY', '--host', 'a.example', '--context', 'production'];
    await cli.run(argv, { ...some, input: { isTerminal: false, read, readHidden: read } });
    expect(reported).to.equal('cluster: context production, https://kube.example:6443\n');
  });

  it('says that a login goes before the folder here', async () => {
    const before = process.cwd();
    process.chdir(cli.folder);
    try {
      mkdirSync('.orb');
      await cli.run(['login', '--context', 'production'], { openCluster: cluster.open });
      const some = { openCluster: cluster.open, stdin: VALUE };
      const { err } = await cli.run(['secrets', 'set', 'API_KEY', '--host', 'a.example'], some);
      expect(err).to.include('context production').and.to.include('give --data .orb to use it');
      const named = ['secrets', 'set', 'API_KEY', '--host', 'a.example', '--context', 'production'];
      expect((await cli.run(named, some)).err).not.to.include('--data .orb');
    } finally {
      process.chdir(before);
    }
  });

  it('replaces what it wrote itself, and what somebody else wrote only by --force, whom it names', async () => {
    const set = (...more: readonly string[]): Promise<CliResult> =>
      secrets(['set', 'KEY', '--host', 'a.example', '--secret', 'shared', ...more], 'another-value');
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'shared', namespace: 'acme' } };
    const theirs = { ...body, data: { KEY: encoded('their-value'), MORE: encoded('more') } };
    const by = { fieldManager: 'helm' };
    await cluster.kube.apply(KINDS.secret, theirs, by, new AbortController().signal);
    const { exit, out, err } = await set();
    expect([exit, out, data()]).to.deep.equal([2, '', [['shared', theirs.data]]]);
    expect(err).to.include('KEY of the Secret acme/shared was written by helm').and.to.include('--force');
    expect(err).not.to.include('another-value');
    expect((await set('--force')).exit).to.equal(0);
    expect(data()).to.deep.equal([['shared', { KEY: encoded('another-value'), MORE: encoded('more') }]]);
    expect((await secrets(['set', 'KEY', '--host', 'a.example', '--secret', 'shared'], 'a-third-value')).exit).to.equal(
      0,
    );
  });

  const refusals: readonly [string, readonly string[], string][] = [
    ['is immutable', ['FieldValueForbidden'], 'kubectl delete secret shared -n acme'],
    ['is full', ['FieldValueTooLong'], 'more than 1 MiB'],
    ['takes no such key', ['FieldValueRequired'], 'kubectl describe secret shared -n acme'],
  ];
  for (const [why, causes, next] of refusals) {
    it(`says what to do where a Secret ${why}`, async () => {
      cluster.kube.before = ({ verb }) => {
        if (verb === 'apply') throw kubeError(422, 'Invalid', causes);
      };
      const { exit, err } = await secrets(['set', 'KEY', '--host', 'a.example', '--secret', 'shared']);
      expect([exit, err.includes(next), err.includes('--secret NAME')]).to.deep.equal([2, true, true]);
    });
  }

  it('shows no argument that is one too many: it may be the value', async () => {
    const { exit, err } = await secrets(['set', 'KEY', VALUE, '--host', 'a.example']);
    expect([exit, err.includes('too many arguments'), err.includes(VALUE)]).to.deep.equal([64, true, false]);
  });

  it('lists what is bound with what the API found of it, and reads no Secret', async () => {
    const missing = [
      { secret: 's', entry: 'B', reason: 'KeyMissing' },
      { secret: 'gone', reason: 'SecretNotFound' },
    ];
    orbiset(
      [
        { name: 's', allowedHosts: ['a.example'], keys: ['A', 'B'] },
        { name: 'gone', allowedHosts: ['*'], keys: { C: 'c' } },
        { name: 'all', allowedHosts: ['*'] },
      ],
      { status: { vault: { entries: ['A'], missing } } },
    );
    const { out } = await secrets(['list', '-o', 'json']);
    const listed: unknown = JSON.parse(out);
    const rows = [
      ['A', 's', 'present'],
      ['B', 's', 'KeyMissing'],
      ['C', 'gone', 'SecretNotFound'],
      ['*', 'all', 'unknown'],
    ];
    expect(listed).to.have.property('secrets').with.lengthOf(rows.length);
    for (const [index, [name, secret, state]] of rows.entries())
      expect(listed).to.have.nested.property(`secrets[${index}]`).that.includes({ name, secret, state });
    expect(cluster.kube.requests.map(({ kind }) => kind)).to.deep.equal(['Orbiset']);
    expect((await secrets(['list', '-n', 'elsewhere', '-o', 'name'])).out).to.equal('');
    expect((await secrets(['list', '-A', '-o', 'name'])).out).to.equal('A\nB\nC\n*\n');
    expect((await secrets(['list', '-A', '-n', 'x'])).exit).to.equal(64);
    expect((await secrets(['list'])).out).to.match(/^NAMESPACE +ORBISET +ENTRY +HOSTS +SECRET +STATE\nacme /);
  });

  it('removes one key of several, and a Secret with its last', async () => {
    orbiset([{ name: 'both', allowedHosts: ['a.example'], keys: ['A', 'B'] }]);
    for (const key of ['A', 'B']) await secrets(['set', key, '--host', 'a.example']);
    const first = await secrets(['remove', 'A']);
    expect(first.out).to.include('"op":"remove","path":"/spec/vault/secrets/0/keys/0"');
    expect(data()).to.deep.equal([['both', { B: encoded(VALUE) }]]);
    const second = await secrets(['remove', 'B', '--bind']);
    expect([second.exit, second.out, data()]).to.deep.equal([0, '', []]);
    expect((await secrets(['remove', 'B', '--secret', 'both'])).err).to.include('there is no B in a Secret acme/both');
  });

  it('refuses flags of a cluster where npm start is meant', async () => {
    const local = ['--data', cli.folder];
    for (const flag of ['--bind', '--force', '--secret=x'])
      expect((await cli.run(['secrets', 'set', 'A', '--host', 'a.example', flag, ...local])).exit).to.equal(64);
    expect((await cli.run(['secrets', 'list', '-A', ...local])).exit).to.equal(64);
  });
});
