import { readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { checkFile } from '../../../../../adapters/ledger/sqlite-check/check-file.ts';
import { checkInThread } from '../../../../../adapters/ledger/sqlite-check/check-in-thread.ts';
import type { FoundFaults } from '../../../../../adapters/ledger/sqlite-check/findings.ts';
import { blobOf, textOf } from '../../../../../adapters/ledger/sqlite/columns.ts';
import { aFinish, aStart, aSwap } from '../../../../support/ledger-rows.ts';
import { refusal } from '../../../../support/refusal.ts';
import { seeded } from '../../../../support/seeded.ts';
import { openSqliteFixture, testLogKey, type SqliteFixture } from '../../../../support/sqlite-ledger.ts';

const RUNS = 300;
const noRest = async (): Promise<void> => undefined;
const log = { origin: 'orbs.example/log', keys: [Uint8Array.from(testLogKey.publicKey)] };

/** A column whose bytes are flipped, and the part of the ledger in which that is a fault. */
interface Column {
  readonly what: string;
  readonly table: string;
  readonly column: string;
  readonly key: string;
  readonly part: keyof FoundFaults;
}

const COLUMNS: readonly Column[] = [
  { what: 'entries', table: 'log_entries', column: 'entry', key: 'idx', part: 'log' },
  { what: 'tiles', table: 'log_tiles', column: 'hashes', key: 'rowid', part: 'log' },
  { what: 'checkpoints', table: 'log_checkpoints', column: 'note', key: 'size', part: 'log' },
  { what: 'payloads of receipts', table: 'receipts', column: 'payload', key: 'log_index', part: 'receipts' },
  { what: 'signatures of receipts', table: 'receipts', column: 'signature', key: 'log_index', part: 'receipts' },
  { what: 'receipts of swaps', table: 'swap_receipts', column: 'payload', key: 'log_index', part: 'receipts' },
];
const FLIPS = 4;

describe('checkFile', function suite() {
  this.timeout(30_000);
  let fixture: SqliteFixture;
  let db: DatabaseSync;
  const found = async (): Promise<FoundFaults> => (await checkFile(fixture.options.file, log, noRest)).faults;

  before(async () => {
    fixture = await openSqliteFixture();
    const { ledger } = fixture;
    for (let part = 0; part < RUNS; part += 100) {
      const numbers = Array.from({ length: 100 }, (_, at) => part + at);
      await Promise.all(numbers.map((number) => ledger.recordRun(aStart(number), aFinish(number))));
      await fixture.clock.advance(1000);
      await ledger.putState('test', 'after-the-checkpoint', '1');
    }
    await ledger.recordSwap(aSwap(1));
    await ledger.close();
    db = new DatabaseSync(fixture.options.file);
  });
  after(async () => {
    db.close();
    await fixture.dispose();
  });

  it('finds no fault in a whole ledger', async () => {
    const { size, faults } = await checkFile(fixture.options.file, log, noRest);
    expect([size, faults]).to.deep.equal([RUNS + 1, {}]);
  });

  for (const { what, table, column, key, part } of COLUMNS)
    it(`finds one flipped bit in ${what}, wherever it is`, async () => {
      const random = seeded(19);
      const keys = db.prepare(`SELECT ${key} AS id FROM ${table}`).all();
      for (let flip = 0; flip < FLIPS; flip += 1) {
        const id = Number(keys[Math.floor(random() * keys.length)]?.['id']);
        const row = db.prepare(`SELECT ${column} AS was FROM ${table} WHERE ${key} = ?`).get(id) ?? {};
        const isText = typeof row['was'] === 'string';
        const bytes = Buffer.from(isText ? textOf(row, 'was') : blobOf(row, 'was'));
        const at = Math.floor(random() * bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        const put = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`);
        put.run(isText ? bytes.toString('utf8') : bytes, id);
        const faults = await found();
        expect(Object.keys(faults), `${key} ${id}, byte ${at}`).to.include(part);
        expect(faults[part]?.count).to.be.at.least(1);
        put.run(row['was'] ?? null, id);
      }
      expect(await found()).to.deep.equal({});
    });

  const missing: readonly (readonly [string, string, keyof FoundFaults])[] = [
    ['a missing entry', 'DELETE FROM log_entries WHERE idx = 77', 'log'],
    ['a missing tile', 'DELETE FROM log_tiles WHERE level = 1', 'log'],
    ['a missing receipt', 'DELETE FROM receipts WHERE log_index = 77', 'receipts'],
    ['a receipt under another name', `UPDATE receipts SET receipt_id = 'rcpt_other' WHERE log_index = 77`, 'receipts'],
  ];
  for (const [what, sql, part] of missing)
    it(`finds ${what}`, async () => {
      const copy = readFileSync(fixture.options.file);
      db.exec(sql);
      expect(Object.keys(await found())).to.deep.equal([part]);
      db.close();
      writeFileSync(fixture.options.file, copy);
      db = new DatabaseSync(fixture.options.file);
      expect(await found()).to.deep.equal({});
    });

  it('finds a page of the file that is not one of its table any more', async () => {
    const copy = readFileSync(fixture.options.file);
    const { rootpage } = db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'receipts_newest'`).get() ?? {};
    db.close();
    const broken = Buffer.from(copy);
    broken.fill(0xff, (Number(rootpage) - 1) * 8192, (Number(rootpage) - 1) * 8192 + 100);
    writeFileSync(fixture.options.file, broken);
    expect((await found()).file?.count).to.be.greaterThan(0);
    writeFileSync(fixture.options.file, copy);
    db = new DatabaseSync(fixture.options.file);
  });

  it('takes keys of another log for a fault', async () => {
    const faults = (await checkFile(fixture.options.file, { ...log, keys: [new Uint8Array(32)] }, noRest)).faults;
    expect(faults.log?.first).to.match(/^the checkpoint of size \d+ is of another tree, or is not signed$/);
  });

  it('has a thread of its own, which rests: it takes at most 2 % of a core', async () => {
    const began = performance.now();
    const { size, faults, cpuMs } = await checkInThread(
      { file: fixture.options.file, log },
      new AbortController().signal,
    );
    const share = cpuMs / (performance.now() - began);
    expect([size, faults]).to.deep.equal([RUNS + 1, {}]);
    expect(share).to.be.within(0.0001, 0.03);
  });

  it('ends its thread when it is told to, and says when there is no file', async () => {
    const stopping = new AbortController();
    const check = checkInThread({ file: fixture.options.file, log }, stopping.signal);
    stopping.abort(new Error('the process stops'));
    expect(await refusal(check)).to.have.property('message', 'the process stops');
    const none = checkInThread({ file: `${fixture.options.file}.none`, log }, new AbortController().signal);
    expect(await refusal(none)).to.have.property('code', 'ledger-unavailable');
  });
});
