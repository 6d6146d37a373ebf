import { cpSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { checkHead } from '../../../../../adapters/ledger/sqlite-writer/check-head.ts';
import { Writer } from '../../../../../adapters/ledger/sqlite-writer/writer.ts';
import { failureDetail } from '../../../../../adapters/ledger/sqlite/sqlite-error.ts';
import { startPolicyColumns } from '../../../../../adapters/ledger/tables/run-policy.ts';
import type { WriteRow } from '../../../../../adapters/ledger/tables/tables.ts';
import { aPromotion, aPublication, aPublicFinish, retractionEntry } from '../../../../support/reputation-rows.ts';
import { aStartPolicy } from '../../../../support/policy-rows.ts';
import { testLogKey } from '../../../../support/sqlite-ledger.ts';
import { finishRowOf, openWriterFixture, startRowOf, type WriterFixture } from '../../../../support/ledger-writer.ts';

const count = ({ db }: WriterFixture, table: string): unknown =>
  db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];

const pragma = ({ db }: WriterFixture, name: string): unknown =>
  Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0];

const numbers = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from }, (_, at) => from + at);

function recordAll({ writer }: WriterFixture, from: number, to: number): void {
  writer.commit(numbers(from, to).map(startRowOf));
  writer.commit(numbers(from, to).map(finishRowOf));
}

/** What a group throws. */
function failure(fixture: WriterFixture, rows: readonly WriteRow[]): unknown {
  try {
    fixture.writer.commit(rows);
  } catch (error) {
    return error;
  }
  throw new Error('the group was committed');
}

/** A finish with the public form of its entry. */
function publicRun(number: number): WriteRow {
  const [op, runId, tenant, receiptId, orbId, outcome, issuedAt, jws] = finishRowOf(number);
  return [op, runId, tenant, receiptId, orbId, outcome, issuedAt, jws, aPublicFinish(number).receipt.entry, null, null];
}

/** A start with a decision of policies. */
function decided(number: number): WriteRow {
  const [op, runId, tenant, startedAt, deadlineAt, owner, seed] = startRowOf(number);
  const policy = startPolicyColumns(aStartPolicy(number));
  return [op, runId, tenant, startedAt, deadlineAt, owner, seed, null, '', '', 0, policy];
}

describe('Writer', () => {
  let fixture: WriterFixture;
  beforeEach(() => {
    fixture = openWriterFixture();
  });
  afterEach(() => {
    checkHead(fixture.db);
    fixture.dispose();
  });

  it('writes pages of 8 KiB to a WAL, with a sync a commit and no checkpoint of its own', () => {
    const names = ['page_size', 'journal_mode', 'synchronous', 'wal_autocheckpoint'];
    expect(names.map((name) => pragma(fixture, name))).to.deep.equal([8192, 'wal', 2, 0]);
  });

  it('rolls back a group that the disk has no room for, and goes on when there is room again', () => {
    recordAll(fixture, 0, 20);
    fixture.db.exec(`PRAGMA max_page_count = ${String(pragma(fixture, 'page_count'))}`);
    const full = failure(fixture, numbers(20, 1000).map(startRowOf));
    expect(failureDetail(full)).to.match(/^its disk is full/);
    expect(fixture.db.isTransaction).to.equal(false);
    expect([count(fixture, 'runs'), count(fixture, 'receipts')]).to.deep.equal([0, 20]);
    expect(fixture.writer.sizes()).to.deep.equal([20, 0]);
    fixture.db.exec('PRAGMA max_page_count = 100000');
    recordAll(fixture, 20, 200);
    expect([count(fixture, 'receipts'), fixture.writer.sizes()]).to.deep.equal([200, [200, 0]]);
  });

  it('loses nothing of the tree when a group fails after entries were added to it', () => {
    recordAll(fixture, 0, 255);
    fixture.writer.commit(numbers(255, 300).map(startRowOf));
    // The second of two entries fails in the table itself: the first, which filled a tile, must be undone.
    fixture.db.exec(
      `CREATE TEMP TRIGGER fault BEFORE INSERT ON log_entries WHEN NEW.idx = 256 BEGIN SELECT RAISE(ABORT, 'fault'); END`,
    );
    expect(failure(fixture, [255, 256].map(finishRowOf))).to.have.property('message', 'fault');
    expect([count(fixture, 'receipts'), fixture.writer.sizes()]).to.deep.equal([255, [255, 0]]);
    fixture.db.exec('DROP TRIGGER fault');
    expect(fixture.writer.commit(numbers(255, 300).map(finishRowOf)).every((result) => result === null)).to.equal(true);
    expect(fixture.writer.sizes()).to.deep.equal([300, 0]);
  });

  it('forgets a checkpoint that was rolled back, and signs it again', () => {
    recordAll(fixture, 0, 3);
    fixture.db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON state BEGIN SELECT RAISE(ABORT, 'fault'); END`);
    failure(fixture, [['checkpoint'], ['putState', 'kind', 'key', '1']]);
    expect(fixture.writer.sizes()).to.deep.equal([3, 0]);
    fixture.db.exec('DROP TRIGGER fault');
    const [signed, again] = fixture.writer.commit([['checkpoint'], ['checkpoint']]);
    expect([signed?.valueOf()].flat().slice(0, 2)).to.deep.equal(['signed', 3]);
    expect(again).to.equal(null);
  });

  const TABLES = ['publications', 'manifests', 'test_reports', 'orgs', 'evaluations', 'certificates', 'status_bits'];
  const FOLDED = ['reputation_days', 'reputation_events', 'reputation_retractions', 'tier_changes', 'published'];

  it('leaves nothing of a publication and its fold when its group fails', () => {
    fixture.writer.commit([1, 2].map(startRowOf));
    const rows: readonly WriteRow[] = [
      publicRun(1),
      ['publish', aPublication()],
      ['evaluate', aPromotion(0, { orbId: 'acme.echo@2.0.0', revokeIndex: 4 })],
      ['retract', retractionEntry(0), 0],
    ];
    fixture.db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON state BEGIN SELECT RAISE(ABORT, 'fault'); END`);
    expect(failure(fixture, [...rows, ['putState', 'kind', 'key', '1']])).to.have.property('message', 'fault');
    const all = [...TABLES, ...FOLDED, 'leases'];
    expect(all.map((table) => count(fixture, table))).to.deep.equal(all.map(() => 0));
    expect(fixture.db.prepare('SELECT last FROM changes').get()).to.deep.include({ last: 0 });
    fixture.db.exec('DROP TRIGGER fault');
    // The runs of the failed group must not be added to those of the next one.
    fixture.writer.commit([publicRun(2)]);
    expect(fixture.db.prepare('SELECT success FROM reputation_days').all()).to.deep.equal([{ success: 1 }]);
    expect(fixture.writer.commit(rows)).to.deep.equal([null, 3, 5, 7]);
    expect(all.map((table) => count(fixture, table))).to.deep.equal([1, 1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1]);
  });

  it('counts a run of the day once with its group, and never one whose group failed', () => {
    fixture.writer.commit([decided(1), decided(2)]);
    fixture.db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON log_entries BEGIN SELECT RAISE(ABORT, 'fault'); END`);
    expect(failure(fixture, [decided(3), finishRowOf(3)])).to.have.property('message', 'fault');
    fixture.db.exec('DROP TRIGGER fault');
    fixture.writer.commit([decided(4)]);
    const rows = fixture.db.prepare('SELECT runs FROM policy_counts').all();
    expect(rows.map(({ runs }) => runs)).to.deep.equal([3]);
  });

  it('commits nothing more when its WAL is deleted, and keeps what was committed', () => {
    recordAll(fixture, 0, 20);
    rmSync(`${fixture.file}-wal`);
    expect(failure(fixture, [startRowOf(30)]))
      .to.have.property('message')
      .that.matches(/-wal was deleted or replaced while it was in use/);
    const copy = `${fixture.file}.copy`;
    cpSync(fixture.file, copy);
    const db = new DatabaseSync(copy);
    expect(db.prepare('SELECT count(*) AS n FROM receipts').get()?.['n']).to.equal(20);
    checkHead(db);
    db.close();
  });

  it('commits nothing more when its file is replaced', () => {
    recordAll(fixture, 0, 20);
    cpSync(fixture.file, `${fixture.file}.new`);
    renameSync(`${fixture.file}.new`, fixture.file);
    expect(failure(fixture, [startRowOf(30)]))
      .to.have.property('message')
      .that.matches(/ledger\.sqlite was deleted or replaced/);
  });

  it('lets no log with a fault grow or be signed, and writes other rows', () => {
    recordAll(fixture, 0, 20);
    const { db, file } = fixture;
    const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };
    const writer = new Writer(
      db,
      { file, identity, logKey: testLogKey, dataKey: new Uint8Array(32) },
      'its tile differs',
    );
    for (const row of [['append', ['{}']], ['checkpoint']] as const)
      expect(() => writer.commit([row]))
        .to.throw(LedgerError, 'its tile differs')
        .with.property('code', 'ledger-forked');
    expect(writer.sizes()).to.deep.equal([20, 0]);
    expect(writer.commit([['putState', 'kind', 'key', '1']])).to.deep.equal([null]);
  });

  it('says that its file system is read-only, and goes on when it is no more', () => {
    recordAll(fixture, 0, 1);
    fixture.db.exec('PRAGMA query_only = 1');
    expect(failureDetail(failure(fixture, [startRowOf(2)]))).to.match(/^its file or file system is read-only/);
    fixture.db.exec('PRAGMA query_only = 0');
    recordAll(fixture, 2, 4);
    expect(fixture.writer.sizes()).to.deep.equal([3, 0]);
  });

  it('keeps headers of receipts apart, also of one that was rolled back', () => {
    fixture.writer.commit([1, 2].map(startRowOf));
    fixture.db.exec(`CREATE TEMP TRIGGER fault BEFORE INSERT ON log_entries BEGIN SELECT RAISE(ABORT, 'fault'); END`);
    failure(fixture, [finishRowOf(1)]);
    fixture.db.exec('DROP TRIGGER fault');
    const [op, runId, tenant, receiptId, orbId, outcome, issuedAt, , entry] = finishRowOf(2);
    fixture.writer.commit([
      [op, runId, tenant, receiptId, orbId, outcome, issuedAt, 'b3RoZXI.AAAA.AAAA', entry, null, null],
    ]);
    fixture.writer.commit([finishRowOf(1)]);
    const rows = fixture.db.prepare(
      'SELECT jws_headers.header FROM receipts JOIN jws_headers ON id = receipts.header ORDER BY log_index',
    );
    const headers = rows.all().map(({ header }) => header);
    expect(headers).to.deep.equal(['b3RoZXI', finishRowOf(1)[7].split('.')[0]]);
  });
});
