import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UpgradeProgress } from '../../../../../adapters/ledger/sqlite/protocol.ts';
import { countUsage } from '../../../../../adapters/ledger/sqlite-writer/count-usage.ts';
import { openWriterDatabase } from '../../../../../adapters/ledger/sqlite-writer/schema.ts';
import { USAGE_OF_ROWS } from '../../../../../adapters/ledger/tables/tenant-usage.ts';
import { makeOlder } from '../../../../support/older-ledger.ts';

const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };

/** A receipt, a stored answer and a delivery of this tenant. */
function fill(db: DatabaseSync, tenant: string, number: number): void {
  db.prepare(`INSERT INTO receipts VALUES (?, ?, ?, ?, 'a.b@1.0.0', 'success', 1, 1, ?, ?)`).run(
    number,
    `rcpt_${number}`,
    `run_${number}`,
    tenant,
    Buffer.alloc(500),
    Buffer.alloc(64),
  );
  db.prepare(`INSERT INTO idempotency VALUES (?, '/p', ?, 'x', ?, NULL, 1)`).run(tenant, `k${number}`, `run_${number}`);
  db.prepare('UPDATE idempotency SET answer = ? WHERE run_id = ?').run(Buffer.alloc(700), `run_${number}`);
  db.prepare(
    `INSERT INTO deliveries(seq, delivery_id, tenant, source, delivery_key, received_at, bytes, state, has_body, attempts, failures)
     VALUES (?, ?, ?, 1, ?, 1, 900, 0, 1, 0, 0)`,
  ).run(number, `dlv_${number}`, tenant, `key${number}`);
}

const usage = (db: DatabaseSync): unknown =>
  db
    .prepare('SELECT tenant, row_count, bytes FROM tenant_usage ORDER BY tenant')
    .all()
    .map((row) => ({ ...row }));

describe('totals of tenants in the ledger', () => {
  let folder: string;
  let db: DatabaseSync;
  const file = (): string => join(folder, 'ledger.sqlite');
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orb-usage-'));
    db = openWriterDatabase(file(), identity);
  });
  afterEach(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });

  it('count what an older ledger holds, once, when it is brought up to date', () => {
    makeOlder(db, 6);
    fill(db, 'acme', 1);
    fill(db, 'acme', 2);
    fill(db, 'globex', 3);
    db.close();
    db = openWriterDatabase(file(), identity);
    const bytes = 1100 + 564 + (350 + 700) + (300 + 900);
    const expected = [
      { tenant: 'acme', row_count: 6, bytes: 2 * bytes },
      { tenant: 'globex', row_count: 3, bytes },
    ];
    expect(usage(db)).to.deep.equal(expected);
    db.close();
    db = openWriterDatabase(file(), identity);
    expect(usage(db)).to.deep.equal(expected);
  });

  it('lose what a ledger of schema 7 counted for the rows of runs', () => {
    makeOlder(db, 7);
    const run = db.prepare("INSERT INTO runs VALUES (?, ?, ?, 1, 9, 'o', ?)");
    const count = db.prepare('INSERT INTO tenant_usage VALUES (?, ?, ?)');
    run.run('run_1', 'acme', 'closed', 'é'.repeat(50));
    run.run('run_2', 'acme', 'started', '{}');
    run.run('run_3', 'globex', 'closed', '{}');
    count.run('acme', 10, 5000);
    count.run('globex', 3, 700);
    count.run('initech', 1, 9);
    db.close();
    db = openWriterDatabase(file(), identity);
    expect(usage(db)).to.deep.equal([
      { tenant: 'acme', row_count: 8, bytes: 5000 - 300 - 202 },
      { tenant: 'globex', row_count: 2, bytes: 700 - 202 },
      { tenant: 'initech', row_count: 1, bytes: 9 },
    ]);
    const left = db.prepare('SELECT * FROM runs').all();
    expect(left.map((row) => ({ ...row }))).to.deep.equal([
      { run_id: 'run_2', tenant: 'acme', started_at: 1, deadline_at: 9, owner: 'o', seed: '{}' },
    ]);
  });

  it('are counted in the order of the file, and tell how far they are', () => {
    for (const sql of USAGE_OF_ROWS) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      expect(plan.map(({ detail }) => detail).join(), sql).to.match(/^SCAN \w+$/);
    }
    for (let number = 1; number <= 3; number += 1) fill(db, 'acme', number);
    db.exec('DELETE FROM tenant_usage');
    const progress: UpgradeProgress[] = [];
    countUsage(db, (made) => progress.push(made), 5);
    expect(progress).to.deep.equal([{ work: 'usage', done: 5 }]);
  });

  it('give bytes back when a body is dropped, and rows when they are erased', () => {
    fill(db, 'acme', 1);
    expect(usage(db)).to.deep.equal([{ tenant: 'acme', row_count: 2, bytes: 350 + 700 + 300 + 900 }]);
    db.exec('UPDATE deliveries SET has_body = 0');
    expect(usage(db)).to.deep.equal([{ tenant: 'acme', row_count: 2, bytes: 350 + 700 + 300 }]);
    db.exec('DELETE FROM deliveries; DELETE FROM idempotency');
    expect(usage(db)).to.deep.equal([{ tenant: 'acme', row_count: 0, bytes: 0 }]);
  });

  it('change nothing when the transaction of their rows is rolled back', () => {
    db.exec('BEGIN');
    fill(db, 'acme', 1);
    db.exec('ROLLBACK');
    expect(usage(db)).to.deep.equal([]);
  });
});
