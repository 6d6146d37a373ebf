import { expect } from 'chai';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkKilled } from '../../chaos/check-killed.ts';
import { emptyWitness, takeCheckpoint, type Observations } from '../../chaos/witness.ts';
import { faultyDisk, type FaultyDisk } from '../../support/disk-faults/disk-faults.ts';
import { orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { codeOf, startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';

const BODY = { orb_id: 't.ok@1.0.0', inputs: { text: 'x' } };
const RECEIPT_ID = /"receipt_id":"(rcpt_[^"]+)"/;
const CALLERS = 8;
const LOAD_MS = 1500;

const sizeIn = (note: string): number => Number(note.split('\n')[1]);

const run = (platform: Standalone): Promise<Response> => platform.post('/orbisets/default/execute', BODY);

/** Runs until the platform is killed; notes what was acknowledged. */
async function call(platform: Standalone, seen: Observations): Promise<void> {
  for (;;) {
    const answer = await run(platform);
    const id = RECEIPT_ID.exec(await answer.text())?.[1];
    if (answer.status === 200 && id !== undefined) seen.acknowledged.add(id);
    else seen.faults.push(`a run was answered with ${answer.status}`);
  }
}

describe('a standalone whose disk fails, skips or tears what it is to keep (reliability.md R15)', function suite() {
  this.timeout(180_000);
  let folder: string;
  let data: string;
  let provider: TestProvider;
  let disk: FaultyDisk;
  let seen: Observations;
  let platform: Standalone;

  before(async () => {
    provider = await startProvider();
  });
  after(() => provider.close());
  beforeEach(async function startOrSkip() {
    folder = temporaryFolder();
    data = join(folder, 'data');
    seen = emptyWitness();
    const found = faultyDisk(folder);
    if (found === undefined) {
      process.stdout.write('      skipped: it needs Linux and a C compiler (apt-get install gcc libc6-dev)\n');
      this.skip();
    }
    disk = found;
    platform = await start();
    expect((await run(platform)).status).to.equal(200);
  });
  afterEach(async () => {
    await platform?.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const start = (): Promise<Standalone> =>
    startStandalone({
      data: folder,
      resources: { 'ok.json': orbManifest('t.ok@1.0.0', { url: `http://127.0.0.1:${provider.port}/ok` }) },
      flags: ['--egress-allow', `http://127.0.0.1:${provider.port}`],
      env: disk.env,
    });

  /** Size of the log that the head outside the ledger has; 0: there is none yet. */
  const headSize = (): number => {
    const file = `${data}.log-head`;
    return existsSync(file) ? sizeIn(readFileSync(file, 'utf8')) : 0;
  };

  /** Runs one after another until something holds. @returns the first receipt */
  async function runUntil(holds: () => boolean): Promise<string> {
    let first = '';
    while (!holds()) {
      const answer = await run(platform);
      expect(answer.status).to.equal(200);
      first ||= RECEIPT_ID.exec(await answer.text())?.[1] ?? '';
      await delay(100);
    }
    return first;
  }

  /** Loads it, kills it under the load, and takes from its ledger what a power loss takes. */
  async function loadAndLosePower(): Promise<void> {
    // The kill breaks the connections: only answers that were complete before it count.
    const callers = Array.from({ length: CALLERS }, () => call(platform, seen).catch(() => undefined));
    await delay(LOAD_MS);
    const note = await platform.get('/log/checkpoint');
    takeCheckpoint(seen, await note.text());
    await platform.stop('SIGKILL');
    await Promise.all(callers);
    disk.losePower(data);
  }

  /** It starts on what is left, and runs; then nothing that it has ever acknowledged is missing. */
  async function expectNothingLost(): Promise<void> {
    platform = await start();
    expect((await run(platform)).status).to.equal(200);
    expect(await platform.stop()).to.equal(0);
    expect((await checkKilled(data, seen)).faults).to.deep.equal([]);
  }

  it('loses no acknowledged receipt with the power when its syncs are honest', async () => {
    await loadAndLosePower();
    expect(seen.acknowledged.size).to.be.greaterThan(20);
    await expectNothingLost();
  });

  it('acknowledges nothing while syncs fail, says why, and heals; nothing that it acknowledged is lost with the power', async () => {
    disk.set('fail');
    const calls = provider.seen.length;
    for (let count = 0; count < 10; count += 1) {
      const answer = await run(platform);
      expect([answer.status, codeOf(await answer.json())]).to.deep.equal([503, 'ledger-unavailable']);
    }
    expect(provider.seen.length).to.equal(calls);
    expect((await platform.get('/readyz')).status).to.equal(200);
    expect((await platform.get('/receipts')).status).to.equal(200);
    disk.set('honest');
    expect((await run(platform)).status).to.equal(200);
    await loadAndLosePower();
    expect(platform.output())
      .to.include('its disk reports an error')
      .and.not.to.match(/^ {4}at /m);
    await expectNothingLost();
  });

  it('loses no acknowledged receipt when the power loss tears what was just being written', async () => {
    disk.set('tear');
    await loadAndLosePower();
    expect(seen.acknowledged.size).to.be.greaterThan(20);
    disk.set('honest');
    await expectNothingLost();
  });

  // The head is kept outside every 15 s: what was signed since is not known at the next start.
  it('refuses runs when a disk that only said it had synced lost what the head outside knows', async () => {
    const kept = await runUntil(() => headSize() > 0);
    disk.set('skip');
    const durable = headSize();
    await runUntil(() => headSize() > durable);
    await loadAndLosePower();
    disk.set('honest');
    platform = await start();
    const answer = await run(platform);
    expect([answer.status, codeOf(await answer.json())]).to.deep.equal([503, 'ledger-forked']);
    expect((await platform.get(`/receipts/${kept}`)).status).to.equal(200);
    const note = await platform.get('/log/checkpoint');
    expect(note.status === 200 ? sizeIn(await note.text()) : 0).to.be.at.most(durable);
  });
});
