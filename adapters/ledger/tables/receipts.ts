import type { StatementSync } from 'node:sqlite';
import type { RunOutcome } from '../../../core/receipt/record.ts';
import { integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { indexPage, type PageQuery, type Place } from '../sqlite/index-page.ts';
import { nonceOf } from './idempotency.ts';
import { jwsOf } from './jws-headers.ts';
import { finishPolicyColumns, type FinishPolicy, type FinishPolicyColumns } from './run-policy.ts';
import { nothing, unexpected, type Connection, type RowResult, type TableParts, type TableSchema } from './table.ts';

/** Phase 2: receipt, log entry and answer, in one transaction with the close of the run. */
export interface RunFinish {
  readonly runId: string;
  readonly tenant: string;
  readonly receipt: NewReceipt;
  /** Stored encrypted under the claim of this run's start, if the start made a claim. */
  readonly answer?: string;
  /**
   * The key of this run's claim is free from now on: the next request with it starts a run. The claim goes in the same
   * transaction. Not together with `answer`.
   */
  readonly freesKey?: boolean;
  readonly policy?: FinishPolicy;
}

interface NewReceipt {
  readonly receiptId: string;
  readonly orbId: string;
  readonly outcome: RunOutcome;
  readonly issuedAt: number;
  /** Compact JWS. */
  readonly jws: string;
  /** JCS text of its log entry, public or private form (trust.md §2.1), ≤ 65535 bytes of UTF-8. */
  readonly entry: string;
}

export type FinishResult =
  | { readonly kind: 'finished' }
  /** The run was closed before (by the sweeper): this call wrote no row. */
  | { readonly kind: 'closed'; readonly receiptId: string };

export interface StoredReceipt {
  readonly receiptId: string;
  readonly tenant: string;
  readonly orbId: string;
  readonly outcome: RunOutcome;
  readonly issuedAt: number;
  readonly jws: string;
  /** Null until the entry is in the tree. */
  readonly logIndex: number | null;
}

export interface ReceiptQuery extends PageQuery {
  readonly orbId?: string;
  readonly outcome?: RunOutcome;
}

export interface ReceiptPage {
  /**
   * Newest first. A page may hold fewer than `limit` though more follow, because a call reads a bounded number of rows.
   */
  readonly items: readonly StoredReceipt[];
  readonly nextCursor: string | null;
}

/** Receipts of runs. */
interface ReceiptPort {
  /** Must close a run exactly once: the second finish of a run writes nothing and answers `closed`. */
  readonly finishRun: (finish: RunFinish) => Promise<FinishResult>;
  readonly receipt: (tenant: string, receiptId: string) => Promise<StoredReceipt | undefined>;
  /** For the platform's own use: what a tenant sees of a foreign receipt is decided by the caller. */
  readonly receiptOfAnyTenant: (receiptId: string) => Promise<StoredReceipt | undefined>;
  readonly receiptOfRun: (tenant: string, runId: string) => Promise<StoredReceipt | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly receipts: (tenant: string, query: ReceiptQuery) => Promise<ReceiptPage>;
}

export type FinishRow = readonly [
  op: 'finish',
  runId: string,
  tenant: string,
  receiptId: string,
  orbId: string,
  outcome: RunOutcome,
  issuedAt: number,
  jws: string,
  entry: string,
  /** False: the claim of the run is dropped. */
  answer: string | null | false,
  nonce: Uint8Array | null,
  /** Not in the array of a run without policies. */
  policy?: FinishPolicyColumns,
];

const schema: TableSchema = {
  // Orb and outcome stand in the index, so that a filtered page reads no receipt that it leaves out.
  1: `CREATE TABLE receipts(
    log_index INTEGER PRIMARY KEY, receipt_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
    orb_id TEXT NOT NULL, outcome TEXT NOT NULL, issued_at INTEGER NOT NULL,
    header INTEGER NOT NULL, payload BLOB NOT NULL, signature BLOB NOT NULL
  ) STRICT;
  CREATE INDEX receipts_newest ON receipts(tenant, issued_at, receipt_id, orb_id, outcome);`,
};

/** Receipts in the writer's thread. */
export interface ReceiptRows {
  /** Changes nothing when the index, the receipt or a receipt of the run is there. */
  readonly insert: StatementSync;
  readonly drop: StatementSync;
  readonly ofRun: (runId: string, tenant: string) => string | undefined;
  readonly isTaken: (receiptId: string, runId: string) => boolean;
}

export function receiptRows(db: Connection): ReceiptRows {
  const ofRun = db.prepare('SELECT receipt_id FROM receipts WHERE run_id = ? AND tenant = ?');
  const taken = db.prepare('SELECT 1 AS taken FROM receipts WHERE receipt_id = ? OR run_id = ?');
  return {
    insert: db.prepare(
      `INSERT INTO receipts(log_index, receipt_id, run_id, tenant, orb_id, outcome, issued_at, header, payload, signature)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ),
    drop: db.prepare('DELETE FROM receipts WHERE log_index = ?'),
    ofRun: (runId, tenant) => {
      const row = ofRun.get(runId, tenant);
      return row === undefined ? undefined : textOf(row, 'receipt_id');
    },
    isTaken: (receiptId, runId) => taken.get(receiptId, runId) !== undefined,
  };
}

const OUTCOMES = {
  success: true,
  orb_error: true,
  timeout: true,
  policy_denied: true,
  caller_error: true,
  platform_error: true,
} as const satisfies Record<RunOutcome, true>;
const isOutcome = (text: string): text is RunOutcome => Object.hasOwn(OUTCOMES, text);

function outcomeOf(row: Row): RunOutcome {
  const text = textOf(row, 'outcome');
  if (!isOutcome(text)) throw new TypeError('the ledger holds an outcome that does not exist');
  return text;
}

/** Columns that receipts of runs and of swaps share. */
export const commonOf = (row: Row): Omit<StoredReceipt, 'outcome'> => ({
  receiptId: textOf(row, 'receipt_id'),
  tenant: textOf(row, 'tenant'),
  orbId: textOf(row, 'orb_id'),
  issuedAt: integerOf(row, 'issued_at'),
  jws: jwsOf(row),
  logIndex: integerOf(row, 'log_index'),
});

const receiptOf = (row: Row | undefined): StoredReceipt | undefined =>
  row === undefined ? undefined : { ...commonOf(row), outcome: outcomeOf(row) };

export function finishRow(
  { runId, tenant, receipt, answer, freesKey = false, policy }: RunFinish,
  random: TableParts<never>['random'],
): FinishRow {
  const row = [
    'finish',
    runId,
    tenant,
    receipt.receiptId,
    receipt.orbId,
    receipt.outcome,
    receipt.issuedAt,
    receipt.jws,
    receipt.entry,
    freesKey ? false : (answer ?? null),
    freesKey || answer === undefined ? null : nonceOf(random),
  ] as const;
  return policy === undefined ? row : [...row, finishPolicyColumns(policy)];
}

function finishResult(result: RowResult): FinishResult {
  if (result === null) return { kind: 'finished' };
  if (typeof result === 'number' || result[0] !== 'closed') throw unexpected(result);
  return { kind: 'closed', receiptId: result[1] };
}

const SELECT = `SELECT log_index, receipt_id, tenant, orb_id, outcome, issued_at, payload, signature, jws_headers.header AS header
  FROM receipts JOIN jws_headers ON jws_headers.id = receipts.header`;

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'issued_at'), id: textOf(row, 'receipt_id') });

const isAskedFor = (row: Row, { orbId, outcome }: ReceiptQuery): boolean =>
  (orbId === undefined || textOf(row, 'orb_id') === orbId) &&
  (outcome === undefined || textOf(row, 'outcome') === outcome);

function receiptPort({ prepare, read, writeLogged, random }: TableParts<FinishRow>): ReceiptPort {
  const byId = prepare(`${SELECT} WHERE receipt_id = ? AND tenant = ?`);
  const ofAny = prepare(`${SELECT} WHERE receipt_id = ?`);
  const byRun = prepare(`${SELECT} WHERE run_id = ? AND tenant = ?`);
  const byIndex = prepare(`${SELECT} WHERE log_index = ?`);
  const newest = prepare(
    `SELECT log_index, issued_at, receipt_id, orb_id, outcome FROM receipts INDEXED BY receipts_newest
     WHERE tenant = ? AND (issued_at, receipt_id) < (?, ?) AND issued_at >= ?
     ORDER BY issued_at DESC, receipt_id DESC LIMIT ?`,
  );
  const pageOfReceipts = async (tenant: string, query: ReceiptQuery): Promise<ReceiptPage> => {
    const slice = ({ at, id }: Place, rows: number): readonly Row[] =>
      newest.all(tenant, at, id, query.since ?? 0, rows);
    const { rows, nextCursor } = await indexPage(query, { slice, matches: (row) => isAskedFor(row, query), placeOf });
    return { items: rows.flatMap((row) => receiptOf(byIndex.get(integerOf(row, 'log_index'))) ?? []), nextCursor };
  };
  return {
    finishRun: async (finish) => finishResult(await writeLogged(finishRow(finish, random))),
    receiptOfAnyTenant: (receiptId) => read(() => receiptOf(ofAny.get(receiptId))),
    receipt: (tenant, receiptId) => read(() => receiptOf(byId.get(receiptId, tenant))),
    receiptOfRun: (tenant, runId) => read(() => receiptOf(byRun.get(runId, tenant))),
    receipts: (tenant, query) => read(() => pageOfReceipts(tenant, query)),
  };
}

/** Written with the log, its run and the answer under its key: `sqlite-writer/run-writer.ts`. */
export const receiptTable = { schema, port: receiptPort, writers: nothing };
