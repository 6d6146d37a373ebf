import { expect } from 'chai';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, outputWith, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { command } from '../../../hack/control-plane/command.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What a command line did. */
interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @returns the id of its receipt, or the code of the problem */
async function run(platform: Standalone): Promise<string> {
  const { orbiset, orb_id, inputs } = platform.ready;
  const answer = await platform.post(`/orbisets/${orbiset}/execute`, { orb_id, inputs });
  const body: unknown = await answer.json();
  if (answer.status !== 200) return `${answer.status} ${codeOf(body)}`;
  return /"receipt_id":"(rcpt_[\w-]+)"/.exec(JSON.stringify(body))?.[1] ?? '';
}

async function bundle(platform: Standalone, receiptId: string): Promise<string> {
  const read = async (): Promise<string> =>
    (await platform.get(`/receipts/${receiptId}`, { accept: 'application/vnd.orb.bundle+json' })).text();
  return lastAnswer(read, (text) => !text.includes('"tlog_proof":null'));
}

async function metric(platform: Standalone, name: string): Promise<string | undefined> {
  const text = await (await fetch(platform.ready.metrics_url)).text();
  return new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1];
}

describe('a standalone ledger that is not the one that was signed last (trust.md §2.3)', function suite() {
  this.timeout(120_000);
  let folder: string;
  let backup: string;
  let running: Standalone | undefined;
  beforeEach(() => {
    folder = temporaryFolder();
    backup = join(folder, 'backup.sqlite');
  });
  afterEach(async () => {
    await running?.stop('SIGKILL');
    running = undefined;
    rmSync(folder, { recursive: true });
  });

  const data = (): string => join(folder, 'data');
  const headFile = (): string => join(folder, 'data.log-head');
  const orb = (...args: readonly string[]): Promise<Ran> =>
    command(process.execPath, [join(ROOT, 'cli/main.ts'), ...args], {
      env: { ...process.env, ORB_CONFIG_DIR: join(folder, 'config') },
    });

  async function start(): Promise<Standalone> {
    running = await startStandalone({ data: folder });
    return running;
  }

  /** Verdict about a bundle with the root that the platform's own keys folder holds, and nothing remembered. */
  async function verdict(text: string): Promise<string> {
    const file = join(folder, 'bundle.json');
    writeFileSync(file, text);
    rmSync(join(folder, 'config'), { recursive: true, force: true });
    const jwk = readFileSync(join(data(), 'keys', 'root.jwk'), 'utf8').trim();
    expect((await orb('trust', 'add', 'https://orbs.localhost', '--root', jwk)).code).to.equal(0);
    const { code, stdout } = await orb('verify', file);
    return `${code} ${stdout.split(':')[0]}`;
  }

  /** A run, a backup, a second run, the backup restored. @returns both receipts, and the bundle of the lost one */
  async function restored(): Promise<{ readonly old: string; readonly lost: string; readonly lostBundle: string }> {
    const platform = await start();
    const old = await run(platform);
    const made = await orb('ledger', 'backup', backup, '--data', data());
    expect(made.code, made.stderr).to.equal(0);
    const lost = await run(platform);
    const lostBundle = await bundle(platform, lost);
    expect(await platform.stop()).to.equal(0);
    const back = await orb('ledger', 'restore', backup, '--data', data(), '--force');
    expect(back.code, back.stderr).to.equal(0);
    return { old, lost, lostBundle };
  }

  it('refuses runs with 503 ledger-forked, signs nothing, and goes on reading', async () => {
    const { old, lost } = await restored();
    const head = readFileSync(headFile(), 'utf8');
    const platform = await start();
    expect(await outputWith(platform, 'nothing is signed')).to.include('the history of the ledger is in doubt');
    const before = await (await platform.get('/log/checkpoint')).text();
    const { orbiset, orb_id, inputs } = platform.ready;
    const refused = await platform.post(`/orbisets/${orbiset}/execute`, { orb_id, inputs });
    expect(refused.status).to.equal(503);
    expect(await refused.json())
      .to.include({ code: 'ledger-forked' })
      .and.to.have.property('next')
      .that.includes('orb ledger adopt');
    expect(await metric(platform, 'orb_log_consistent')).to.equal('0');
    const reads = await Promise.all(
      ['/health', '/readyz', `/receipts/${old}`, `/receipts/${lost}`].map(
        async (path) => (await platform.get(path)).status,
      ),
    );
    expect(reads).to.deep.equal([200, 200, 200, 404]);
    expect(await platform.stop()).to.equal(0);
    expect(readFileSync(headFile(), 'utf8')).to.equal(head);
    const again = await start();
    expect(await (await again.get('/log/checkpoint')).text()).to.equal(before);
  });

  it('runs again after an adoption, and receipts from before verify', async () => {
    const { old, lostBundle } = await restored();
    const adopted = await orb('ledger', 'adopt', '--new-origin', '--data', data(), '--yes');
    expect([adopted.code, adopted.stdout], adopted.stderr).to.deep.equal([0, 'orbs.localhost/log-2\n']);
    const platform = await start();
    const young = await run(platform);
    expect(young).to.match(/^rcpt_/);
    expect(await metric(platform, 'orb_log_consistent')).to.equal('1');
    for (const text of [await bundle(platform, old), await bundle(platform, young), lostBundle])
      expect(await verdict(text)).to.equal('0 valid');
    const keys = join(folder, 'orb-keys.json');
    writeFileSync(keys, await (await platform.get('/.well-known/orb-keys.json')).text());
    const byNewest = await orb('verify', join(folder, 'bundle.json'), '--keys', keys);
    expect([byNewest.code, byNewest.stdout.includes('which was given up for orbs.localhost/log-2')]).to.deep.equal([
      3,
      true,
    ]);
    expect(await platform.stop()).to.equal(0);
    expect(readFileSync(headFile(), 'utf8')).to.match(/^orbs\.localhost\/log-2\n/);
    expect(await run(await start())).to.match(/^rcpt_/);
  });

  it('notices a data folder that was deleted', async () => {
    const first = await start();
    await run(first);
    expect(await first.stop()).to.equal(0);
    rmSync(data(), { recursive: true });
    expect(await run(await start())).to.equal('503 ledger-forked');
  });

  it('goes on after a kill, whose last receipts the head does not know', async () => {
    const first = await start();
    await run(first);
    expect(await first.stop()).to.equal(0);
    const size = (): string | undefined => readFileSync(headFile(), 'utf8').split('\n')[1];
    const kept = size();
    const second = await start();
    const receipt = await run(second);
    await second.stop('SIGKILL');
    expect([existsSync(headFile()), size()]).to.deep.equal([true, kept]);
    const third = await start();
    expect((await third.get(`/receipts/${receipt}`)).status).to.equal(200);
    expect(await run(third)).to.match(/^rcpt_/);
  });
});
