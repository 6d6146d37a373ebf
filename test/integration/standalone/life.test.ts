import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import {
  outputWith,
  runStandalone,
  startStandalone,
  temporaryFolder,
  type Standalone,
} from '../../support/standalone.ts';
import { checkKilled } from '../../chaos/check-killed.ts';
import { emptyWitness } from '../../chaos/witness.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const FREE = ['--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0'];
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

const run = (standalone: Standalone, name: string): Promise<Response> =>
  standalone.post('/orbisets/default/execute', { orb_id: `t.${name}@1.0.0`, inputs: { text: 'x' } });

const receiptOf = async (response: Response): Promise<string> =>
  /rcpt_[\w-]+/.exec(await response.text())?.[0] ?? 'no receipt';

describe('the life of a standalone', function () {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;
  let receipt = '';

  const resources = (): Readonly<Record<string, string>> => ({
    'ok.json': orbManifest('t.ok@1.0.0', { url: `http://127.0.0.1:${provider.port}/ok` }),
    'slow.json': orbManifest('t.slow@1.0.0', { url: `http://127.0.0.1:${provider.port}/slow` }),
    'held.json': orbManifest('t.held@1.0.0', { url: `http://127.0.0.1:${provider.port}/held` }),
  });
  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];

  before(async () => {
    provider = await startProvider();
    standalone = await startStandalone({ resources: resources(), flags: flags() });
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('is ready once it answers, and says what runs and how to call it', async () => {
    expect((await standalone.get('/readyz')).status).to.equal(200);
    expect((await standalone.get('/livez')).status).to.equal(200);
    const health: unknown = await (await standalone.get('/health', { authorization: '' })).json();
    expect(health).to.include({ status: 'ok' }).and.to.have.all.keys('status', 'version', 'uptime_seconds');
    await outputWith(standalone, 'Stop: Ctrl-C'); // the last line of the greeting
    expect(standalone.output()).to.include(standalone.ready.url).and.to.include(standalone.ready.api_key);
    expect(standalone.output()).to.include('trust add https://orbs.localhost --root');
    expect(standalone.output()).to.include(`http://127.0.0.1:${provider.port} is allowed`);
  });

  it('keeps keys, ledger, vault and the ready file from other users of the machine', () => {
    expect(modeOf(join(dirname(standalone.data), 'ready.json'))).to.equal('600');
    const entries = readdirSync(standalone.data, { recursive: true, withFileTypes: true });
    const open = entries
      .map((entry) => ({ path: join(entry.parentPath, entry.name), wanted: entry.isDirectory() ? '700' : '600' }))
      .filter(({ path, wanted }) => modeOf(path) !== wanted);
    expect(open.map(({ path }) => path)).to.deep.equal([]);
    expect(modeOf(standalone.data)).to.equal('700');
    expect(readdirSync(join(standalone.data, 'api-keys')).length).to.equal(1);
  });

  it('refuses a second process on the same data while the first goes on, and says which one holds it', async () => {
    const ended = await runStandalone([...FREE, '--data', standalone.data]);
    expect(ended.code).to.equal(1);
    expect(ended.stderr).to.include(`process ${standalone.child.pid}`);
    expect(ended.stderr).not.to.include('    at ');
    expect((await run(standalone, 'ok')).status).to.equal(200);
  });

  it('refuses a port that is taken, and names the flag', async () => {
    const data = temporaryFolder();
    const taken = new URL(standalone.ready.url).host;
    const ended = await runStandalone([...FREE.slice(2), '--listen', taken, '--data', data]);
    rmSync(data, { recursive: true });
    expect(ended.code).to.equal(1);
    expect(ended.stderr).to.include(`can't listen on ${taken}`).and.to.include('--listen');
  });

  it('refuses a port that is taken for the metrics, and names the flag', async () => {
    const data = temporaryFolder();
    const taken = new URL(standalone.ready.url).host;
    const ended = await runStandalone([...FREE.slice(0, 2), '--metrics-listen', taken, '--data', data]);
    rmSync(data, { recursive: true });
    expect(ended.code).to.equal(1);
    expect(ended.stderr).to.include('--metrics-listen').and.not.to.include('    at ');
  });

  it('names both ports that are taken at once, with flags that take free ones, and opens no data', async () => {
    const data = join(temporaryFolder(), 'data');
    const [taken, metrics] = [new URL(standalone.ready.url).host, new URL(standalone.ready.metrics_url).host];
    const ended = await runStandalone(['--listen', taken, '--metrics-listen', metrics, '--data', data]);
    const wasMade = existsSync(data);
    rmSync(dirname(data), { recursive: true });
    expect([ended.code, wasMade]).to.deep.equal([1, false]);
    expect(ended.stderr).to.include(`can't listen on ${taken}`).and.to.include(`can't listen on ${metrics}`);
    expect(ended.stderr).to.include('free ports: --listen 127.0.0.1:0 --metrics-listen 127.0.0.1:0');
  });

  it('refuses a folder of resources that is not there, in one line', async () => {
    const data = join(temporaryFolder(), 'data');
    const ended = await runStandalone([...FREE, '--resources', '/no/such/folder', '--data', data]);
    rmSync(dirname(data), { recursive: true });
    expect(ended).to.deep.equal({
      code: 64,
      stdout: '',
      stderr: '--resources /no/such/folder: there is no such folder; name the folder that holds your manifests\n',
    });
  });

  const usage: readonly (readonly [string, readonly string[], string])[] = [
    ['an address that others can reach', ['--listen', '0.0.0.0:8080'], 'loopback only'],
    ['such an address for the metrics', ['--metrics-listen', '192.168.1.1:9464'], 'loopback only'],
    ['an unknown flag', ['--lissten', '127.0.0.1:0'], '--lissten'],
    ['an argument without a flag', ['start'], 'start'],
    ['an issuer without https', ['--issuer', 'http://orbs.example'], '--issuer'],
    ['an exception that is no origin', [...FREE, '--egress-allow', 'nowhere'], 'nowhere'],
    ['a CA that is not there', [...FREE, '--egress-ca', '/no/such/file'], '/no/such/file'],
  ];
  for (const [what, args, said] of usage) {
    it(`ends with 64 for ${what}`, async () => {
      const data = temporaryFolder();
      const ended = await runStandalone([...args, '--data', join(data, 'data')]);
      rmSync(data, { recursive: true });
      expect(`${ended.code} ${ended.stderr}`).to.match(/^64 /).and.to.include(said);
    });
  }

  it('prints its help and ends with 0', async () => {
    const { code, stdout } = await runStandalone(['--help']);
    expect(code).to.equal(0);
    expect(stdout).to.include('--ready-file').and.to.include('Example:');
  });

  it('refuses environment variables that weaken TLS', async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    const ended = await runStandalone([...FREE, '--data', '/nowhere']).finally(
      () => delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'],
    );
    expect(ended.code).to.equal(78);
    expect(ended.stderr).to.include('NODE_TLS_REJECT_UNAUTHORIZED');
  });

  it('ends runs in flight with 200 when it is asked to stop, takes no new ones, and ends with 0', async () => {
    const slow = Array.from({ length: 8 }, () => run(standalone, 'slow'));
    receipt = await receiptOf(await run(standalone, 'ok'));
    while (provider.seen.filter(({ url }) => url === '/slow').length < 8) await delay(20);
    const stopped = standalone.stop();
    const answers = await Promise.all(slow);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));
    expect(await stopped).to.equal(0);
    const refused = await run(standalone, 'ok').then(
      ({ status }) => status,
      () => 'no connection',
    );
    expect(refused).to.equal('no connection');
    const ledger = await checkKilled(standalone.data, emptyWitness());
    expect(ledger.faults).to.deep.equal([]);
    expect(ledger.open).to.equal(0);
  });

  it('refuses another issuer on the same data', async () => {
    const ended = await runStandalone([...FREE, '--data', standalone.data, '--issuer', 'https://other.example']);
    expect(ended.code).to.equal(78);
    expect(ended.stderr).to.include('--issuer https://orbs.localhost');
  });

  it('goes on after a restart: the same key, the same receipts, the same log; the key is not shown again', async () => {
    const before = standalone.ready.api_key;
    standalone = await startStandalone({ data: dirname(standalone.data), resources: resources(), flags: flags() });
    expect(standalone.ready.api_key).to.equal(before);
    expect(standalone.output()).not.to.include(before);
    const stored: unknown = await (await standalone.get(`/receipts/${receipt}`)).json();
    expect(isJsonObject(stored) && stored['signature_valid']).to.equal(true);
    expect((await run(standalone, 'ok')).status).to.equal(200);
  });

  it('stops at once at the second signal', async () => {
    const held = run(standalone, 'held').catch(() => undefined);
    const before = provider.seen.length;
    while (provider.seen.length === before) await delay(20);
    const stopped = standalone.stop('SIGINT');
    await delay(1500); // sooner it counts as the same Ctrl-C, passed on by terminal and parent
    process.kill(standalone.child.pid ?? 0, 'SIGINT');
    expect(await stopped).to.equal(130);
    await held;
  });
});

const canMount = (folder: string): boolean =>
  spawnSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=12m', 'orb-test', folder]).status === 0;

describe('a standalone whose disk is full', function () {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const filler = join(folder, 'filler');
  let mounted = false;
  let provider: TestProvider;
  let standalone: Standalone | undefined;

  // Without the right to mount (no root) a small disk can't be had.
  before(async function mountOrSkip() {
    mounted = canMount(folder);
    if (!mounted) this.skip();
    provider = await startProvider();
    const url = `http://127.0.0.1:${provider.port}/ok`;
    standalone = await startStandalone({
      data: folder,
      resources: { 'ok.json': orbManifest('t.ok@1.0.0', { url }) },
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`],
    });
  });
  after(async () => {
    await standalone?.stop();
    if (mounted) {
      await provider.close();
      spawnSync('/bin/umount', [folder]);
    }
    rmSync(folder, { recursive: true });
  });

  it('answers runs with 503, serves what it has, and heals when there is room again', async () => {
    if (standalone === undefined) throw new TypeError('not started');
    const running = standalone;
    const receipt = await receiptOf(await run(running, 'ok'));
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 200_000));
    const statuses: number[] = [];
    let last = '';
    for (let count = 0; count < 3000 && statuses.filter((status) => status === 503).length < 5; count += 1) {
      const answer = await run(running, 'ok');
      statuses.push(answer.status);
      last = await answer.text();
    }
    expect([...new Set(statuses)].toSorted((a, b) => a - b)).to.deep.equal([200, 503]);
    expect(last).to.include('"ledger-unavailable"');
    expect((await running.get('/readyz')).status).to.equal(200);
    expect((await running.get(`/receipts/${receipt}`)).status).to.equal(200);

    rmSync(filler);
    const healed = await lastAnswer(
      async () => (await run(running, 'ok')).status,
      (status) => status === 200,
    );
    expect(healed).to.equal(200);
    expect(await running.stop()).to.equal(0);
    const seen = emptyWitness();
    seen.acknowledged.add(receipt);
    writeFileSync(filler, Buffer.alloc(statfsSync(folder).bavail * bsize));
    const full = await runStandalone([...FREE, '--data', join(folder, 'second')]);
    expect(full.code).to.equal(1);
    expect(full.stderr).to.match(
      /the ledger \S+ can't be opened: its disk is full|the folder can't be made or written/,
    );
    expect(full.stderr).not.to.include('    at ');
    rmSync(filler);
    const ledger = await checkKilled(join(folder, 'data'), seen);
    expect(ledger.faults).to.deep.equal([]);
    expect(ledger.receipts).to.be.at.least(statuses.filter((status) => status === 200).length + 2);
  });
});

describe('a standalone beside other programs', () => {
  it('takes the free port for :0, not the one that it would take by default', async () => {
    const holders: Server[] = [];
    for (const port of [8080, 9464]) {
      const server = createServer();
      server.on('error', () => undefined); // somebody else holds it already: as good
      server.listen(port, '127.0.0.1');
      holders.push(server);
    }
    const standalone = await startStandalone({ resources: {} });
    expect(new URL(standalone.ready.url).port).not.to.equal('8080');
    expect((await fetch(standalone.ready.metrics_url)).status).to.equal(200);
    await standalone.stop();
    for (const server of holders) server.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });
});
