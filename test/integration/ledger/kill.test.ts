import { spawn, type ChildProcess } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { LedgerError, type Ledger, type Publication } from '../../../adapters/ledger/port.ts';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import { incidentIdOf, semanticKeyOf, SOURCE } from '../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../support/ledger-rows.ts';
import { checkLog } from '../../support/check-log.ts';
import { foldedTwice } from '../../support/memory-fold.ts';
import { LINE, publishEntry } from '../../support/reputation-rows.ts';
import { refusal } from '../../support/refusal.ts';
import { testLogKey, testLogKeyPublic, testLedgerOptions } from '../../support/sqlite-ledger.ts';

const LOAD = fileURLToPath(new URL('../../support/ledger-load.ts', import.meta.url));
const SHARED = semanticKeyOf('what every delivery tells');
const KILLS = 8;
const CONCURRENCY = [1, 8, 32, 64];

/** What a writer said before it was killed. */
interface Acknowledged {
  /** Run ids. */
  readonly started: Set<string>;
  /** Run id → SHA-256 of the receipt's JWS. */
  readonly finished: Map<string, string>;
  /** Receipt id of a swap → SHA-256 of its JWS. */
  readonly swapped: Map<string, string>;
  /** Ids of versions. */
  readonly published: Set<string>;
  /** Ids of deliveries. */
  readonly accepted: Set<string>;
  readonly mapped: Set<string>;
  /** Size → note. */
  readonly signed: Map<number, string>;
}

function note(said: Acknowledged, line: string): void {
  const [kind, first = '', second = ''] = line.split(' ');
  if (kind === 'started') said.started.add(first);
  if (kind === 'finished') said.finished.set(first, second);
  if (kind === 'swapped') said.swapped.set(first, second);
  if (kind === 'published') said.published.add(first);
  if (kind === 'accepted') said.accepted.add(first);
  if (kind === 'mapped') said.mapped.add(first);
  if (kind === 'signed') said.signed.set(Number(first), Buffer.from(second, 'base64').toString('utf8'));
}

async function allPublications(ledger: Ledger): Promise<readonly Publication[]> {
  const all: Publication[] = [];
  for (;;) {
    const more = await ledger.publications(all.at(-1)?.change ?? 0);
    if (more.length === 0) return all;
    all.push(...more);
  }
}

/** A publication has all that it wrote, whether it was acknowledged or not; and the log has no other. */
async function checkPublications(ledger: Ledger, acknowledged: ReadonlySet<string>): Promise<void> {
  const all = await allPublications(ledger);
  const known = new Set(all.map(({ orbId }) => orbId));
  expect(
    [...acknowledged].filter((orbId) => !known.has(orbId)),
    'lost publications',
  ).to.deep.equal([]);
  for (const { orbId, logIndex, manifestDigest } of all) {
    expect(await ledger.entries(logIndex, logIndex + 1), orbId).to.deep.equal([publishEntry(orbId, manifestDigest)]);
    expect((await ledger.testReport(orbId))?.logIndex, `report of ${orbId}`).to.equal(logIndex + 1);
    expect(await ledger.publicManifest(manifestDigest), `manifest of ${orbId}`).to.equal(orbId.split('.').at(-1));
  }
  const { events } = await ledger.lineEvidence(LINE, 'acme');
  expect(events.filter(({ entry }) => entry.kind === 'publish').length, 'publish entries').to.equal(all.length);
  const [found, expected] = await foldedTwice(ledger);
  expect(found).to.deep.equal(expected);
}

/** Each accepted delivery waits or was mapped, and what was mapped took effect once, whether it was acknowledged or not. */
async function checkDeliveries(ledger: Ledger, { accepted, mapped }: Acknowledged): Promise<void> {
  const waiting = new Set((await ledger.acceptedDeliveries({ limit: 200 })).map(({ deliveryId }) => deliveryId));
  const { accepted: left, done } = await ledger.deliveryCounts(SOURCE);
  expect(waiting.size, 'deliveries that wait').to.equal(left);
  for (const deliveryId of accepted) {
    const { items } = await ledger.signals('acme', { limit: 3, deliveryId });
    const own = items.filter(({ semanticKey }) => semanticKey !== SHARED);
    expect(own.length, `signals of ${deliveryId}`).to.equal(waiting.has(deliveryId) ? 0 : 1);
    expect(own[0]?.repeatCount ?? 0).to.equal(0);
  }
  expect(
    [...mapped].filter((deliveryId) => waiting.has(deliveryId)),
    'mapped deliveries that wait again',
  ).to.deep.equal([]);
  const signals = await ledger.signals('acme', { limit: 1, until: LEDGER_NOW });
  const [shared] = signals.items;
  expect(shared?.semanticKey).to.equal(SHARED);
  expect(1 + (shared?.repeatCount ?? 0), 'times that all told').to.equal(done);
  expect((await ledger.incident('acme', incidentIdOf(1)))?.revision, 'changes of the incident').to.equal(done);
}

const linesOf = (output: string): readonly string[] => output.slice(0, output.lastIndexOf('\n') + 1).split('\n');

describe('a killed ledger', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orb-kill-'));
  const file = join(folder, 'data', 'ledger.sqlite');
  const keyFile = join(folder, 'log.pem');
  const said: Acknowledged = {
    started: new Set(),
    finished: new Map(),
    swapped: new Map(),
    published: new Set(),
    accepted: new Set(),
    mapped: new Set(),
    signed: new Map(),
  };
  let child: ChildProcess | undefined;

  before(() => writeFileSync(keyFile, testLogKey.privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 }));
  after(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const open = (): Promise<Ledger> => openSqliteLedger(testLedgerOptions(file));

  /** Lets a writer work for a while, kills it, and reads what it had said. */
  async function writeAndKill(round: number): Promise<void> {
    const concurrency = CONCURRENCY[round % CONCURRENCY.length] ?? 1;
    const args = [LOAD, file, keyFile, round * 1_000_000, concurrency];
    child = spawn(process.execPath, args.map(String), {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('latin1')));
    // The last of what a run says: a slow disk may take longer for the first than the load lasts.
    while (!output.includes('mapped') && child.exitCode === null) await delay(5);
    const locked = await refusal(open());
    expect(locked).to.be.instanceOf(LedgerError).with.property('code', 'ledger-locked');
    expect(locked).to.have.property('message').that.includes(`process ${child.pid}`);
    await delay(100 + round * 83);
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
    for (const line of linesOf(output)) note(said, line);
  }

  for (let round = 0; round < KILLS; round += 1) {
    it(`has lost nothing that it acknowledged before kill ${round + 1} of ${KILLS}`, async () => {
      const before = said.finished.size;
      await writeAndKill(round);
      expect(said.finished.size).to.be.greaterThan(before);
      expect(said.swapped.size).to.be.greaterThan(0);
      expect(said.published.size).to.be.greaterThan(0);
      const ledger = await open();
      const running = new Set((await ledger.overdueRuns(Number.MAX_SAFE_INTEGER, 1_000_000)).map(({ runId }) => runId));
      for (const [runId, digest] of said.finished) {
        const stored = await ledger.receiptOfRun('acme', runId);
        expect(stored && hash('sha256', stored.jws), `receipt of ${runId}`).to.equal(digest);
      }
      for (const [receiptId, digest] of said.swapped) {
        const stored = await ledger.swapReceipt('acme', receiptId);
        expect(stored && hash('sha256', stored.jws), `receipt ${receiptId} of a swap`).to.equal(digest);
      }
      for (const runId of said.started) {
        const known = running.has(runId) || (await ledger.receiptOfRun('acme', runId)) !== undefined;
        expect(known, `start of ${runId}`).to.equal(true);
      }
      for (const [size, text] of said.signed) {
        expect((await ledger.checkpointCovering(size - 1))?.note, `checkpoint of ${size}`).to.equal(text);
      }
      await checkPublications(ledger, said.published);
      expect(said.mapped.size).to.be.greaterThan(0);
      await checkDeliveries(ledger, said);
      const closedRuns = [...said.finished.keys()].map((runId) => ({ tenant: 'acme', runId }));
      const checked = await checkLog(ledger, { logKey: testLogKeyPublic, tenants: ['acme'], closedRuns });
      expect((await ledger.checkpoint())?.size).to.equal(checked.size);
      await ledger.close();
    });
  }
});
