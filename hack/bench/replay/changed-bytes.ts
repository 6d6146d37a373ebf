import { DatabaseSync } from 'node:sqlite';
import { policyTextReader } from '../../../adapters/ledger/tables/policy-texts.ts';
import { packRecord, unpackRecord, type PolicyTexts } from '../../../adapters/ledger/sqlite/packed-record.ts';
import { blobOf, integerOf, textOf, type Row } from '../../../adapters/ledger/sqlite/columns.ts';

type Change = (bytes: Uint8Array, row: Row, db: DatabaseSync) => Uint8Array;

/** A digit of the count of the day becomes another one: the facts stay valid JSON. */
function otherCount(text: string): string {
  const place = text.indexOf('"runs_today":') + '"runs_today":'.length;
  const digit = text[place] === '1' ? '2' : '1';
  return `${text.slice(0, place)}${digit}${text.slice(place + 1)}`;
}

const otherSnapshot: Change = (bytes, row, db) => {
  const packing = integerOf(row, 'packing');
  const record = unpackRecord(bytes, packing, policyTextReader(db));
  if (record === undefined) throw new TypeError('a record of the benchmark can be read');
  const changed: PolicyTexts = {
    ...record,
    facts: record.facts.map(([phase, provider, schema, salt, facts], index) => [
      phase,
      provider,
      schema,
      salt,
      index === 0 ? otherCount(facts) : facts,
    ]),
  };
  return packRecord(changed, packing);
};

const otherPayload: Change = (bytes) => {
  const changed = Buffer.from(bytes);
  const place = Math.floor(changed.length / 2);
  changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
  return changed;
};

type Write = (db: DatabaseSync) => void;

/** Changes one row. @returns what takes it back */
function changeRow(db: DatabaseSync, [table, column]: readonly [string, string], row: Row, change: Change): Write {
  const before = blobOf(row, column);
  const write = (to: DatabaseSync, bytes: Uint8Array): void => {
    to.prepare(`UPDATE ${table} SET ${column} = ? WHERE run_id = ?`).run(bytes, textOf(row, 'run_id'));
  };
  write(db, change(before, row, db));
  return (later) => write(later, before);
}

const rowAt = (db: DatabaseSync, sql: string, ...values: readonly (string | number)[]): Row => {
  const row = db.prepare(sql).get(...values);
  if (row === undefined) throw new RangeError('the ledger has receipts of this tenant');
  return row;
};

function changeRows(db: DatabaseSync, tenant: string): Write {
  const decision = rowAt(
    db,
    'SELECT run_id, packing, record FROM policy_decisions WHERE tenant = ? ORDER BY id LIMIT 1 OFFSET 10',
    tenant,
  );
  const receipt = rowAt(
    db,
    'SELECT run_id, payload FROM receipts WHERE tenant = ? AND run_id <> ? ORDER BY log_index LIMIT 1 OFFSET 20',
    tenant,
    textOf(decision, 'run_id'),
  );
  const undo = [
    changeRow(db, ['policy_decisions', 'record'], decision, otherSnapshot),
    changeRow(db, ['receipts', 'payload'], receipt, otherPayload),
  ];
  return (later) => undo.forEach((one) => one(later));
}

/** How many rows `withChangedBytes` changes. */
export const CHANGED = 2;

function withFile<T>(file: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** Changes one byte in a snapshot of facts and one in a receipt for the time of `work`. No process may have the file open. */
export async function withChangedBytes<T>(file: string, tenant: string, work: () => Promise<T>): Promise<T> {
  const takeBack = withFile(file, (db) => changeRows(db, tenant));
  try {
    return await work();
  } finally {
    withFile(file, takeBack);
  }
}

/** Runs of a tenant that policies denied. */
export const deniedRuns = (file: string, tenant: string): number =>
  withFile(file, (db) =>
    integerOf(
      rowAt(db, 'SELECT count(*) AS runs FROM policy_decisions WHERE tenant = ? AND denied = 1', tenant),
      'runs',
    ),
  );
