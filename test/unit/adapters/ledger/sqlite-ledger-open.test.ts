import { DatabaseSync } from 'node:sqlite';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { LedgerError, type IdempotencyClaim } from '../../../../adapters/ledger/port.ts';
import { SCHEMA_VERSION } from '../../../../adapters/ledger/sqlite-writer/schema.ts';
import { openSqliteLedger } from '../../../../adapters/ledger/sqlite-ledger.ts';
import { checkLog } from '../../../support/check-log.ts';
import { aFinish, aStart, aSwap, runIdOf } from '../../../support/ledger-rows.ts';
import { aDelivery, ROOMY } from '../../../support/ingest-rows.ts';
import { makeOlder } from '../../../support/older-ledger.ts';
import {
  anEvaluation,
  aPromotion,
  anAudit,
  anOrg,
  aPublication,
  aReport,
  DIGEST,
  ORB,
  orgEntry,
  retractionEntry,
  statusEntry,
  testReportEntry,
} from '../../../support/reputation-rows.ts';
import { aFinishPolicy, aStartPolicy, aViolation, someFacts } from '../../../support/policy-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { openDiskFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

function checkLedgerError(error: unknown, code: LedgerError['code'], message: RegExp): void {
  expect(error).to.be.instanceOf(LedgerError).with.property('code', code);
  expect(error).to.have.property('message').that.matches(message);
}

/** `threadId` of a worker that has ended. */
const ENDED = -1;

describe('openSqliteLedger', () => {
  let fixture: SqliteFixture;
  let scratch: string;
  beforeEach(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'orb-scratch-'));
    fixture = await openDiskFixture();
  });
  afterEach(async () => {
    await checkLog(await fixture.current(), { logKey: fixture.logKey, tenants: ['acme'] });
    await fixture.dispose();
    rmSync(scratch, { recursive: true });
  });

  it('refuses a ledger that is open already, at once, and names the process', async () => {
    // The least of three: a machine that stands still makes one of them late, a wait for the lock all of them.
    let leastMs = Infinity;
    for (let round = 0; round < 3; round += 1) {
      const began = performance.now();
      const error = await refusal(openSqliteLedger(fixture.options));
      leastMs = Math.min(leastMs, performance.now() - began);
      checkLedgerError(error, 'ledger-locked', new RegExp(`in use by the process ${process.pid}\\b`));
    }
    expect(leastMs).to.be.lessThan(500);
    expect(await fixture.ledger.logSize()).to.equal(0);
  });

  it('refuses another issuer or log, and leaves the ledger as it was', async () => {
    await fixture.ledger.close();
    for (const change of [{ issuer: 'https://other.example' }, { logOrigin: 'other.example/log' }]) {
      const identity = { ...fixture.options.identity, ...change };
      const error = await refusal(openSqliteLedger({ ...fixture.options, identity }));
      checkLedgerError(error, 'ledger-identity', /https:\/\/orbs\.example .*orbs\.example\/log.*another ledger/);
    }
    expect((await fixture.current()).identity).to.deep.equal(fixture.options.identity);
  });

  it('refuses keys from before an adoption, and says that newer ones are needed', async () => {
    const options = { ...fixture.options, file: join(fixture.folder, 'adopted', 'ledger.sqlite') };
    const identity = { ...options.identity, logOrigin: 'orbs.example/log-2' };
    await (await openSqliteLedger({ ...options, identity })).close();
    const error = await refusal(openSqliteLedger(options));
    checkLedgerError(
      error,
      'ledger-identity',
      /orbs\.example\/log-2, not to .*before orb ledger adopt: restore the newer/,
    );
  });

  it('refuses a ledger of a newer program, naming both versions', async () => {
    await fixture.ledger.close();
    const db = new DatabaseSync(fixture.options.file);
    db.exec('UPDATE schema_version SET version = 99');
    checkLedgerError(
      await refusal(openSqliteLedger(fixture.options)),
      'ledger-version',
      new RegExp(String.raw`version 99\b.*up to ${SCHEMA_VERSION}\b.*restore a backup from before the upgrade`),
    );
    db.exec('UPDATE schema_version SET version = -1');
    checkLedgerError(await refusal(openSqliteLedger(fixture.options)), 'ledger-unavailable', /version -1\b.*damaged/);
    db.exec(`UPDATE schema_version SET version = ${SCHEMA_VERSION}`);
    db.close();
  });

  for (const version of Array.from({ length: SCHEMA_VERSION - 1 }, (_, index) => index + 1)) {
    it(`brings a ledger of version ${version} up to this one, with all that it holds`, async () => {
      await fixture.ledger.recordRun(aStart(1), aFinish(1));
      await fixture.ledger.startRun(aStart(2));
      await fixture.ledger.close();
      const db = new DatabaseSync(fixture.options.file);
      makeOlder(db, version);
      db.close();
      const ledger = await fixture.current();
      expect((await ledger.receiptOfRun('acme', runIdOf(1)))?.logIndex).to.equal(0);
      expect(await ledger.finishRun(aFinish(2))).to.deep.equal({ kind: 'finished' });
      expect(await ledger.recordSwap(aSwap(1))).to.deep.equal({ kind: 'recorded' });
      expect(await ledger.hasPublished(ORB, DIGEST)).to.equal(false);
      expect((await ledger.publish(aPublication())).kind).to.equal('published');
      expect(await ledger.hasPublished(ORB, DIGEST)).to.equal(true);
      expect(await ledger.decisionOfRun('acme', runIdOf(1))).to.equal(undefined);
      await ledger.startRun(aStart(3, { policy: aStartPolicy(3, { facts: [someFacts()] }) }));
      await ledger.finishRun(aFinish(3, { policy: aFinishPolicy({ violations: [aViolation(3)] }) }));
      expect(await ledger.runFacts('acme', runIdOf(3))).to.deep.equal([someFacts()]);
      expect(await ledger.policiesInForce()).to.deep.equal([]);
      expect((await ledger.acceptDelivery(aDelivery(1), ROOMY)).kind).to.equal('accepted');
      expect((await ledger.statusIntervals({ since: 0, limit: 1 })).items).to.deep.equal([]);
    });
  }

  it('leaves no thread when it can not sign what a crash left unsigned', async () => {
    await fixture.ledger.recordRun(aStart(1), aFinish(1));
    await fixture.ledger.close();
    const db = new DatabaseSync(fixture.options.file);
    db.exec('DELETE FROM log_checkpoints');
    db.exec(`CREATE TRIGGER full BEFORE INSERT ON log_checkpoints BEGIN SELECT RAISE(ABORT, 'no room'); END`);
    const threads: Worker[] = [];
    const seen = (worker: Worker): void => void threads.push(worker);
    process.on('worker', seen);
    checkLedgerError(await refusal(openSqliteLedger(fixture.options)), 'ledger-unavailable', /no room/);
    process.off('worker', seen);
    expect(threads.map(({ threadId }) => threadId)).to.deep.equal([ENDED]);
    db.exec('DROP TRIGGER full');
    db.close();
    expect((await (await fixture.current()).checkpoint())?.size).to.equal(1);
  });

  it('refuses a file that is no database, without touching it', async () => {
    const file = join(scratch, 'ledger.sqlite');
    writeFileSync(file, 'not a database '.repeat(1000));
    checkLedgerError(
      await refusal(openSqliteLedger({ ...fixture.options, file })),
      'ledger-unavailable',
      /the ledger \/\S+\/ledger\.sqlite can't be opened: its file is no ledger/,
    );
    expect(readFileSync(file, 'utf8').startsWith('not a database ')).to.equal(true);
  });

  it('refuses a folder that it can not make', async () => {
    const file = join(fixture.options.file, 'below-a-file', 'ledger.sqlite');
    checkLedgerError(await refusal(openSqliteLedger({ ...fixture.options, file })), 'ledger-unavailable', /ENOTDIR/);
  });

  it('makes missing folders, and files that only their owner reads', async () => {
    const file = join(scratch, 'a', 'b', 'ledger.sqlite');
    const ledger = await openSqliteLedger({ ...fixture.options, file });
    await ledger.putState('kind', 'key', '1');
    const modes = readdirSync(join(scratch, 'a', 'b')).map((name) => [
      name,
      statSync(join(scratch, 'a', 'b', name)).mode & 0o777,
    ]);
    expect(modes).to.deep.include(['ledger.sqlite', 0o600]);
    expect(modes.filter(([, mode]) => mode !== 0o600)).to.deep.equal([]);
    await ledger.close();
  });

  it('keeps an answer out of its files in clear', async () => {
    const idempotency = { path: '/p', key: 'k', bodySha256: '00', expiresAt: Number.MAX_SAFE_INTEGER };
    await fixture.ledger.startRun(aStart(1, { idempotency }));
    await fixture.ledger.finishRun(aFinish(1, { answer: 'canary-of-an-answer' }));
    const files = readdirSync(fixture.folder).map((name) => readFileSync(join(fixture.folder, name)));
    expect(files.some((bytes) => bytes.includes('canary-of-an-answer'))).to.equal(false);
    expect(files.some((bytes) => bytes.includes('"run":1'))).to.equal(true); // the seed is there: the search finds
    expect((await fixture.ledger.idempotent('acme', idempotency))?.answer).to.equal('canary-of-an-answer');
  });

  it('keeps no digest of a body in its files, and another text for the same body of another claim', async () => {
    const bodySha256 = 'ab'.repeat(32);
    const claim = (key: string): IdempotencyClaim => ({
      path: '/p',
      key,
      bodySha256,
      expiresAt: Number.MAX_SAFE_INTEGER,
    });
    await fixture.ledger.startRun(aStart(1, { idempotency: claim('one') }));
    await fixture.ledger.startRun(aStart(2, { idempotency: claim('two') }));
    await fixture.ledger.keepAnswer('acme', claim('three'), { requestId: 'req_1', answer: 'x' });
    const files = readdirSync(fixture.folder).map((name) => readFileSync(join(fixture.folder, name)));
    expect(files.some((bytes) => bytes.includes(bodySha256))).to.equal(false);
    await fixture.ledger.close();
    const db = new DatabaseSync(join(fixture.folder, 'ledger.sqlite'), { readOnly: true });
    const tags = db
      .prepare('SELECT body_sha256 FROM idempotency')
      .all()
      .map((row) => row['body_sha256']);
    db.close();
    expect([tags.length, new Set(tags).size]).to.deep.equal([3, 3]);
  });

  it('recognises the body of a row that holds its plain digest', async () => {
    const bodySha256 = 'ab'.repeat(32);
    const idempotency = { path: '/p', key: 'k', bodySha256, expiresAt: Number.MAX_SAFE_INTEGER };
    await fixture.ledger.recordRun(aStart(1, { idempotency }), aFinish(1, { answer: 'text' }));
    await fixture.ledger.close();
    const db = new DatabaseSync(join(fixture.folder, 'ledger.sqlite'));
    db.prepare('UPDATE idempotency SET body_sha256 = ?').run(bodySha256);
    db.close();
    const ledger = await fixture.reopen();
    const entries = await Promise.all(
      [idempotency, { ...idempotency, bodySha256: 'cd'.repeat(32) }].map((claim) => ledger.idempotent('acme', claim)),
    );
    expect(entries.map((entry) => entry?.isSameBody)).to.deep.equal([true, false]);
    const again = await ledger.startRun(aStart(2, { idempotency }));
    expect(again.kind === 'idempotent' && again.entry.isSameBody).to.equal(true);
  });

  it('reports an answer that another data key sealed, instead of a wrong one', async () => {
    const idempotency = { path: '/p', key: 'k', bodySha256: '00', expiresAt: Number.MAX_SAFE_INTEGER };
    await fixture.ledger.recordRun(aStart(1, { idempotency }), aFinish(1, { answer: 'text' }));
    await fixture.ledger.close();
    const other = await openSqliteLedger({ ...fixture.options, dataKey: new Uint8Array(32) });
    const errors = [other.idempotent('acme', idempotency), other.startRun(aStart(2, { idempotency }))].map(refusal);
    for (const error of await Promise.all(errors)) checkLedgerError(error, 'ledger-unavailable', /./);
    await other.close();
  });

  it('has every acknowledged receipt in files copied in mid-flight, and signs what they lack', async () => {
    const runs = Array.from({ length: 30 }, (_, number) => number);
    await Promise.all(runs.map((number) => fixture.ledger.recordRun(aStart(number), aFinish(number))));
    expect(await fixture.ledger.checkpoint()).to.equal(undefined);
    const folder = join(scratch, 'copy');
    mkdirSync(folder);
    cpSync(fixture.folder, folder, { recursive: true });
    const copy = await openSqliteLedger({ ...fixture.options, file: join(folder, 'ledger.sqlite') });
    expect((await copy.checkpoint())?.size).to.equal(30);
    const closedRuns = runs.map((number) => aStart(number));
    const { receipts } = await checkLog(copy, { logKey: fixture.logKey, tenants: ['acme'], closedRuns });
    expect(receipts).to.equal(30);
    await copy.close();
  });

  it('reports each checkpoint after its commit', async () => {
    const reported: number[] = [];
    const file = join(scratch, 'ledger.sqlite');
    const ledger = await openSqliteLedger({
      ...fixture.options,
      file,
      onCheckpoint: ({ size }) => void reported.push(size),
    });
    await ledger.appendEntries(['{}', '{}']);
    await fixture.clock.advance(250);
    await ledger.putState('kind', 'key', '1');
    expect(reported).to.deep.equal([2]);
    await ledger.appendEntries(['{}']);
    await ledger.close();
    expect(reported).to.deep.equal([2, 3]);
  });

  it('keeps everything out of a log that may not grow, and writes what is not logged', async () => {
    const refused = new LedgerError('ledger-forked', 'the log may not grow');
    const gate = { refusal: () => refused, opened: Promise.resolve() };
    const ledger = await openSqliteLedger({ ...fixture.options, file: join(scratch, 'ledger.sqlite'), gate });
    const org = anOrg();
    const change = { orbId: ORB, from: 'active', to: 'yanked', reason: '', entries: [statusEntry('yanked')] } as const;
    const logged = [
      ledger.publish(aPublication()),
      ledger.addTestReport({ orbId: ORB, namespace: 'acme', report: aReport(), entry: testReportEntry() }),
      ledger.recordAudit(anAudit()),
      ledger.setOrbStatus({ ...change, revoke: null }),
      ledger.putOrg(org, null, [orgEntry('verified')]),
      ledger.evaluate(aPromotion(0)),
      ledger.retract(retractionEntry(0), 0),
    ];
    for (const one of logged) expect(await refusal(one)).to.equal(refused);
    expect(await ledger.putOrg(org, null, [])).to.deep.equal({ kind: 'done', logIndex: null });
    expect(await ledger.evaluate(anEvaluation())).to.deep.equal({ kind: 'done', logIndex: null });
    expect(await ledger.logSize()).to.equal(0);
    await ledger.close();
  });

  it('fails every row of the group that its thread died with, and has a new thread for the rows behind it', async () => {
    const workers: Worker[] = [];
    const remember = (worker: Worker): void => void workers.push(worker);
    process.on('worker', remember);
    const file = join(scratch, 'ledger.sqlite');
    const ledger = await openSqliteLedger({ ...fixture.options, file });
    try {
      const blocker = new DatabaseSync(file);
      blocker.exec('BEGIN IMMEDIATE'); // holds the thread inside its first group
      const waiting = Array.from({ length: 600 }, (_, number) => ledger.startRun(aStart(number)));
      await new Promise((resolve) => setImmediate(resolve));
      const ended = workers[0]?.terminate();
      blocker.close();
      const settled = await Promise.allSettled(waiting);
      await ended;
      for (const one of settled.slice(0, 512)) {
        checkLedgerError(one.status === 'rejected' ? one.reason : one.value, 'ledger-unavailable', /thread/);
      }
      expect(new Set(settled.slice(512).map(({ status }) => status))).to.deep.equal(new Set(['fulfilled']));
      expect(await ledger.finishRun(aFinish(599))).to.deep.equal({ kind: 'finished' });
      expect(workers.length).to.equal(2);
    } finally {
      process.off('worker', remember);
      await ledger.close();
    }
  });
});
