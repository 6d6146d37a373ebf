import { mkdtempSync, rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWriterDatabase } from '../../adapters/ledger/sqlite-writer/schema.ts';
import { Writer } from '../../adapters/ledger/sqlite-writer/writer.ts';
import type { FinishRow } from '../../adapters/ledger/tables/receipts.ts';
import type { StartRow } from '../../adapters/ledger/tables/runs.ts';
import { aFinish, aStart } from './ledger-rows.ts';
import { testLogKey } from './sqlite-ledger.ts';

const identity = { issuer: 'https://orbs.example', logOrigin: 'orbs.example/log' };

export interface WriterFixture {
  readonly file: string;
  readonly db: DatabaseSync;
  readonly writer: Writer;
  readonly dispose: () => void;
}

/** The writer on this thread, with its connection: a test can inject faults between two groups. */
export function openWriterFixture(): WriterFixture {
  const folder = mkdtempSync(join(tmpdir(), 'orb-writer-'));
  const file = join(folder, 'ledger.sqlite');
  const db = openWriterDatabase(file, identity);
  const writer = new Writer(db, { file, identity, logKey: testLogKey, dataKey: new Uint8Array(32) });
  const dispose = (): void => {
    writer.close();
    rmSync(folder, { recursive: true });
  };
  return { file, db, writer, dispose };
}

/** A row in the form that is sent to the writer. */
export function startRowOf(number: number): StartRow {
  const { runId, tenant, startedAt, deadlineAt, owner, seed } = aStart(number);
  return ['start', runId, tenant, startedAt, deadlineAt, owner, seed, null, '', '', 0];
}

export function finishRowOf(number: number): FinishRow {
  const { runId, tenant, receipt } = aFinish(number);
  const { receiptId, orbId, outcome, issuedAt, jws, entry } = receipt;
  return ['finish', runId, tenant, receiptId, orbId, outcome, issuedAt, jws, entry, null, null];
}
