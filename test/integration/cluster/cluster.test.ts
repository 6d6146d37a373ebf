import { expect } from 'chai';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { issue, makeCa } from '../../support/tls.ts';
import { orbManifest } from '../../support/orbs.ts';
import { spawnCluster, startNpmCluster, type Answer, type RunningCluster } from '../../support/cluster/npm-cluster.ts';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

const BASE = 'manifests/kubernetes/base';
const ORB = 'orb/example.echo-1.0.0';
const ORB_ID = 'example.echo@1.0.0';
const FREE = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
const SOON_MS = 10_000;
const STUB_HOST = 'stub.orbs.internal';

const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
const textOutput = ({ body }: Answer): unknown => memberOf(body, 'outputs', 'text');
const withTemplate = (template: string): string => JSON.stringify({ spec: { execution: { body_template: template } } });

const originOf = ({ port }: TestProvider): string => `http://127.0.0.1:${port}`;

/** Row of a table that kubectl prints, by its columns. */
function rowOf(table: string, name: string): Readonly<Record<string, string>> {
  const [head = '', ...rows] = table.trimEnd().split('\n');
  const cells = (rows.find((row) => row.startsWith(`${name} `)) ?? '').split(/\s+/);
  return Object.fromEntries(head.split(/\s+/).map((column, index) => [column, cells[index] ?? '']));
}

describe('npm run cluster', function suite() {
  this.timeout(180_000);

  describe('by a wrong command line', () => {
    it('ends with 64 and its help before anything starts', async () => {
      const wrong: readonly (readonly [readonly string[], string])[] = [
        [['--nope'], '--nope'],
        [['--listen', 'nowhere'], '--listen takes HOST:PORT'],
        [['--listen', '0.0.0.0:8080'], 'loopback only'],
        [['--log-level', 'loud'], '--log-level is one of'],
        [['--issuer', 'http://orbs.example'], '--issuer takes an https origin'],
        [['--egress-stub', 'https://api.example.com'], 'ORIGIN=ADDRESS:PORT'],
      ];
      for (const [args, reported] of wrong) {
        const child = spawnCluster(args);
        expect(await child.exited, args.join(' ')).to.equal(64);
        expect(child.output().stderr).to.include(reported).and.include('npm run cluster -- [options]');
        expect(child.output().stdout).to.equal('');
      }
    });

    it('says in one line that a port is busy, and leaves no process', async () => {
      const holder = createServer();
      const port = await listenOnLoopback(holder);
      const taken = `127.0.0.1:${port}`;
      const began = performance.now();
      const child = spawnCluster(['--listen', '127.0.0.1:0', '--metrics-listen', taken]);
      expect(await child.exited).to.equal(1);
      expect(performance.now() - began).to.be.below(SOON_MS);
      holder.close();
      const { stdout, stderr } = child.output();
      expect(stdout).to.equal('');
      expect(stderr).to.match(
        /^can't listen on \S+ \(EADDRINUSE\): .* choose another address by --metrics-listen \(free ports: --metrics-listen 127\.0\.0\.1:0\)\n$/,
      );
      expect(stderr).to.include(taken);
      if (process.platform === 'linux') expect(stderr).to.include(`the process ${process.pid} (node`);
      expect(await child.members()).to.deep.equal([]);
    });
  });

  it('stops what has started when it is asked to while it starts', async () => {
    const child = spawnCluster(FREE);
    await child.untilSaid('is ready; installing');
    const folders = await child.folders();
    expect(folders).to.have.length(1);
    expect(await child.end('SIGTERM')).to.equal(130);
    expect(await child.members()).to.deep.equal([]);
    expect(folders.filter((folder) => existsSync(folder))).to.deep.equal([]);
    expect(child.output().stdout).to.equal('');
  });

  it('ends soon on Ctrl-C in the first moments, which stops etcd before the server that waits for it', async () => {
    const child = spawnCluster(FREE);
    const folders = await waitFor(async () => {
      const found = await child.folders();
      return found.length === 0 ? undefined : found;
    }, SOON_MS);
    const began = performance.now();
    expect(await child.end('SIGINT', 'group')).to.equal(130);
    expect(performance.now() - began).to.be.below(SOON_MS);
    expect(await child.members()).to.deep.equal([]);
    for (const folder of folders ?? []) rmSync(folder, { recursive: true, force: true });
  });

  describe('once it is ready', () => {
    let cluster: RunningCluster;
    const kubectl = (...args: readonly string[]): Promise<string> => cluster.kubectl('-n', 'walk', ...args);
    const execute = (text = 'Hello'): Promise<Answer> => cluster.execute('walk.default', ORB_ID, { text });
    const until = (wanted: (answer: Answer) => boolean): Promise<Answer | undefined> =>
      waitFor(async () => {
        const answer = await execute();
        return wanted(answer) ? answer : undefined;
      }, SOON_MS);
    const patch = (what: string, body: string): Promise<string> => kubectl('patch', what, '--type=merge', '-p', body);
    const left = (kinds: string): Promise<string> => kubectl('get', kinds, '-o', 'name');

    let allowed: TestProvider;
    let stub: TestProvider;

    before(async () => {
      const authority = makeCa();
      const { key, certificate } = issue(authority, { names: [STUB_HOST] });
      [allowed, stub] = await Promise.all([startProvider(), startProvider({ key, cert: certificate })]);
      const ca = join(mkdtempSync(join(tmpdir(), 'orb-cluster-ca-')), 'ca.pem');
      writeFileSync(ca, authority.certificate);
      const origins = [
        '--egress-allow',
        originOf(allowed),
        '--egress-stub',
        `https://${STUB_HOST}=127.0.0.1:${stub.port}`,
      ];
      cluster = await startNpmCluster([...origins, '--egress-ca', ca]);
      rmSync(dirname(ca), { recursive: true });
      await cluster.kubectl('create', 'namespace', 'walk');
    });
    after(async () => {
      await cluster.end('SIGKILL', 'group');
      await Promise.all([allowed.close(), stub.close()]);
    });

    it('prints three commands that do what they promise in a shell of their own', async () => {
      const { stdout } = cluster.output();
      const [, block = ''] = /^Next, in another terminal:\n(.*?)\n\n/ms.exec(stdout) ?? [];
      const lines = block.split('\n');
      expect(lines).to.have.length(3);
      const script = ['shopt -s expand_aliases', ...lines].join('\n');
      const ran = await command('bash', ['-euo', 'pipefail', '-c', script]);
      expect(ran.code, ran.stderr).to.equal(0);
      expect(ran.stdout).to.match(/default +orb\.orbs\.dev\/example\.echo-1\.0\.0 +echo +\S+ +True +Ready/);
      expect(ran.stdout).to.include('"status":"completed"').and.include('"text":"Hello, Orb"');
      expect(stdout).to.include(cluster.ready.kubectl).and.include(cluster.ready.api_key);
    });

    it('writes a ready file by which the example is executed', async () => {
      const { orbiset, orb_id, inputs, metrics_url } = cluster.ready;
      const { status, body } = await cluster.execute(orbiset, orb_id, inputs);
      expect([status, memberOf(body, 'outputs', 'text')]).to.deep.equal([200, memberOf(inputs, 'text')]);
      expect(await (await fetch(metrics_url)).text()).to.include('# HELP');
    });

    it('takes Orbiset, Secrets and Orbs by server-side apply, and they become Ready', async () => {
      await kubectl('apply', '--server-side', '-k', BASE);
      await kubectl('wait', 'orbs,orbisets', '--all', '--for=condition=Ready', '--timeout=30s');
      const row = rowOf(await kubectl('get', 'orb'), 'example.echo-1.0.0');
      expect([row['PROVIDER'], row['READY']]).to.deep.equal(['echo', 'True']);
      expect(row['AGE']).to.match(/^\d+s$/);
    });

    it('takes the same by client-side apply in another namespace, and a second apply changes nothing', async () => {
      await cluster.kubectl('create', 'namespace', 'walk-client');
      const other = (...args: readonly string[]): Promise<string> => cluster.kubectl('-n', 'walk-client', ...args);
      await other('apply', '-k', BASE);
      await other('wait', 'orbs,orbisets', '--all', '--for=condition=Ready', '--timeout=30s');
      const versions = (): Promise<string> =>
        other('get', 'orbs,orbisets,secrets', '-o', 'jsonpath={.items[*].metadata.resourceVersion}');
      const before = await versions();
      await other('apply', '-k', BASE);
      // Seven Orbs, their Orbiset, and a Secret for each of their providers.
      expect(before.split(' ')).to.have.length(16);
      expect(await versions()).to.equal(before);
      // Its exit code is 1 when there is a difference.
      expect(await cluster.tryKubectl(['-n', 'walk-client', 'diff', '-k', BASE])).to.deep.include({
        code: 0,
        stdout: '',
      });
      expect(await cluster.tryKubectl(['-n', 'walk', 'diff', '--server-side', '-k', BASE])).to.deep.include({
        code: 0,
      });
      await cluster.kubectl('delete', 'namespace', 'walk-client', '--timeout=60s');
    });

    it('executes over HTTP, with a receipt that can be fetched', async () => {
      const { status, body } = await execute();
      expect([status, memberOf(body, 'status'), memberOf(body, 'outputs')]).to.deep.equal([
        200,
        'completed',
        { text: 'Hello', words: 1 },
      ]);
      const id = memberOf(body, 'receipt', 'receipt_id');
      const receipt = await cluster.get(`/receipts/${String(id)}?namespace=walk`);
      expect([receipt.status, receipt.text.includes(String(id))]).to.deep.equal([200, true]);
    });

    it('has a provider that takes the token of the Secret and no other', async () => {
      const documents = parseAllDocuments(await kubectl('get', 'secret', 'echo', '-o', 'yaml'));
      const token = memberOf(documents[0]?.toJS(), 'data', 'ECHO_TOKEN');
      expect(Buffer.from(String(token), 'base64').toString('utf8')).to.equal('replace-me');
      await patch('secret/echo', JSON.stringify({ stringData: { ECHO_TOKEN: 'replaced' } }));
      const refused = await until(({ body }) => memberOf(body, 'status') !== 'completed');
      expect(refused?.text).to.include('401');
      await patch('secret/echo', JSON.stringify({ stringData: { ECHO_TOKEN: 'replace-me' } }));
      expect((await until(({ status }) => status === 200))?.status).to.equal(200);
    });

    it('executes Orbs of an origin that was allowed, and of one that goes to a stub', async () => {
      for (const [origin, { seen }] of [
        [originOf(allowed), allowed],
        [`https://${STUB_HOST}`, stub],
      ] as const) {
        const spec: unknown = JSON.parse(orbManifest('t.origin@1.0.0', { url: `${origin}/ok` }));
        const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 't.origin-1.0.0' }, spec };
        const applied = await cluster.tryKubectl(['-n', 'walk', 'apply', '-f', '-'], JSON.stringify(object));
        expect(applied.code, applied.stderr).to.equal(0);
        await kubectl('wait', 'orb/t.origin-1.0.0', '--for=condition=Ready', '--timeout=30s');
        const answer = await waitFor(async () => {
          const found = await cluster.execute('walk.default', 't.origin@1.0.0', { text: origin });
          return found.status === 404 ? undefined : found;
        }, SOON_MS);
        expect([answer?.status, memberOf(answer?.body, 'outputs')], answer?.text).to.deep.equal([200, { id: 'id-1' }]);
        expect(seen.map(({ url, body }) => [url, body])).to.deep.equal([['/ok', `{"text":"${origin}"}`]]);
        await kubectl('delete', 'orb/t.origin-1.0.0');
        await waitFor(async () => {
          const { status } = await cluster.execute('walk.default', 't.origin@1.0.0', { text: '' });
          return status === 404 ? true : undefined;
        }, SOON_MS);
        seen.length = 0;
      }
    });

    it('executes an edit', async () => {
      await patch(ORB, withTemplate('{"text":"{{inputs.text}} (edited)"}'));
      await kubectl('wait', ORB, '--for=jsonpath={.status.observedGeneration}=2', '--timeout=30s');
      expect(textOutput((await until((answer) => textOutput(answer) !== 'Hello')) ?? (await execute()))).to.equal(
        'Hello (edited)',
      );
      await kubectl('wait', ORB, '--for=condition=Ready', '--timeout=10s');
    });

    it('refuses at once what the schema can tell, with the field and what it takes', async () => {
      const body = JSON.stringify({ spec: { execution: { method: 'FETCH' } } });
      const { code, stderr } = await cluster.tryKubectl(['-n', 'walk', 'patch', ORB, '--type=merge', '-p', body]);
      expect(code).to.equal(1);
      expect(stderr).to.include('spec.execution.method').and.include('supported values: "GET"');
    });

    it('says in kubectl describe what to write when an edit breaks an Orb, and the old version runs on', async () => {
      await patch(ORB, withTemplate('{"text":"{{inputs.txt}}"}'));
      await kubectl('wait', ORB, '--for=condition=Stalled', '--timeout=30s');
      const described = await kubectl('describe', ORB);
      expect(described).to.match(/Reason: +ManifestInvalid/);
      expect(described).to.match(
        /Message: +spec\.execution\.body_template: No input is named "txt".*Did you mean "text"\?/,
      );
      expect(described).to.match(/Warning +ManifestInvalid .*spec\.execution\.body_template/);
      expect(rowOf(await kubectl('get', 'orb'), 'example.echo-1.0.0')['READY']).to.equal('False');
      // The API may see the edit later than the operator did.
      for (let times = 0; times < 10; times += 1) {
        expect(textOutput(await execute())).to.equal('Hello (edited)');
        await delay(100);
      }
    });

    it('is mended by an edit that follows what it said', async () => {
      await patch(ORB, withTemplate('{"text":"{{inputs.text}} (mended)"}'));
      await kubectl('wait', ORB, '--for=condition=Ready', '--timeout=30s');
      expect((await until((answer) => textOutput(answer) === 'Hello (mended)'))?.status).to.equal(200);
      expect(await kubectl('describe', ORB)).to.not.match(/Type: +Stalled/);
    });

    it('leaves nothing of what is deleted one by one', async () => {
      await kubectl('delete', ORB);
      const withoutOrb = await until(({ status }) => status === 404);
      expect(memberOf(withoutOrb?.body, 'code')).to.equal('orb-not-found');
      expect(await left('rolebindings')).to.include('orb-vault-reader');
      await kubectl('delete', 'orbiset/default');
      const withoutOrbiset = await until(({ body }) => memberOf(body, 'code') !== 'orb-not-found');
      expect([withoutOrbiset?.status, memberOf(withoutOrbiset?.body, 'code')]).to.deep.equal([
        404,
        'orbiset-not-found',
      ]);
      // The garbage collector looks for kinds that are new to it every 30 s.
      await kubectl('wait', 'rolebinding/orb-vault-reader', '--for=delete', '--timeout=90s');
      await kubectl('delete', '--ignore-not-found', '-k', BASE);
      expect(await left('orbs,orbisets,orbpublications,rolebindings,secrets')).to.equal('');
    });

    it('leaves nothing of a namespace that is deleted as a whole', async () => {
      await kubectl('apply', '--server-side', '-k', BASE);
      await kubectl('wait', 'orbs,orbisets', '--all', '--for=condition=Ready', '--timeout=30s');
      expect((await until(({ status }) => status === 200))?.status).to.equal(200);
      await cluster.kubectl('delete', 'namespace', 'walk', '--timeout=60s');
      expect((await until(({ status }) => status === 404))?.status).to.equal(404);
      const everywhere = ['get', 'orbs,orbisets,rolebindings,secrets', '-A', '--no-headers'];
      expect((await cluster.kubectl(...everywhere)).split('\n').filter((row) => row.startsWith('walk '))).to.deep.equal(
        [],
      );
    });

    it('stops everything on Ctrl-C, removes its folder, and ends with 0', async () => {
      const running = await cluster.members();
      // etcd, kube-apiserver, kube-controller-manager, operator, API, and itself.
      expect(running).to.have.length(6);
      expect(await cluster.end('SIGINT', 'group')).to.equal(0);
      expect(await cluster.members()).to.deep.equal([]);
      expect(existsSync(cluster.folder)).to.equal(false);
    });
  });
});
