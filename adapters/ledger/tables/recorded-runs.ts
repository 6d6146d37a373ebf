import { blobOf, integerOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { recordSql, unpackRecord, type PartsOf, type PolicyTexts } from '../sqlite/packed-record.ts';
import { policyTextReader } from './policy-texts.ts';
import { factsOf, UNREADABLE_FACTS, type StoredFacts } from './run-facts.ts';
import { nothing, type TableParts } from './table.ts';

/** A receipt with its log entry, and what is stored of the decision about its run. */
export interface RecordedRunRow {
  readonly receiptId: string;
  readonly orbId: string;
  readonly issuedAt: number;
  /** Protected header of its JWS, base64url. */
  readonly header: string;
  /** Payload of its JWS, JSON text. Bytes that are no UTF-8 are replaced, so that its digest is another one. */
  readonly payload: string;
  /** Signature of its JWS, base64url. */
  readonly signature: string;
  /** Null: the log has no such entry. */
  readonly entry: string | null;
  /** Null: no policy met the run, or the decision is erased. */
  readonly decision: {
    /** `namespace.name` */
    readonly orbiset: string;
    readonly caller: string;
    /** The record of the decision made last; null: it can't be read. */
    readonly json: string | null;
    /** As `runFacts`. */
    readonly facts: readonly StoredFacts[];
  } | null;
}

export interface RecordedRunQuery {
  /** Inclusive, ms since epoch. */
  readonly from: number;
  /** Exclusive, ms since epoch. */
  readonly until: number;
  /** The last row of the slice before; absent for the first slice. */
  readonly after?: Pick<RecordedRunRow, 'issuedAt' | 'receiptId'>;
  /** 1–1000. */
  readonly limit: number;
}

/** Runs with all that a replay needs of them. */
interface RecordedRunPort {
  /**
   * Receipts of a tenant by the time at which they were issued, oldest first; then by id. A slice with fewer than
   * `limit` rows is the last.
   * @throws RangeError limit outside 1–1000
   */
  readonly recordedRuns: (tenant: string, query: RecordedRunQuery) => Promise<readonly RecordedRunRow[]>;
}

const MAX_LIMIT = 1000;

const NO_TEXTS: PolicyTexts = { json: null, facts: [] };

/**
 * Columns by their place. A replay reads millions of rows, so they are arrays, and of texts where they can be: an object
 * and the memory of a blob outside of the heap take longer to free than to read.
 */
const SELECTED = [
  'receipts.receipt_id',
  'receipts.orb_id',
  'issued_at',
  'jws_headers.header',
  'CAST(payload AS TEXT)',
  'hex(signature)',
  'CAST(entry AS TEXT)',
  'orbiset',
  'caller',
  'packing',
  recordSql('record'),
  recordSql('response'),
].join(', ');
const [RECEIPT_ID, ORB_ID, ISSUED_AT, HEADER, PAYLOAD, SIGNATURE, ENTRY, ORBISET, CALLER, PACKING, RECORD, RESPONSE] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
] as const;

/** @returns undefined: the record is damaged */
function textsIn(row: Row, column: number, partsOf: PartsOf): PolicyTexts | undefined {
  const packed = row[column];
  return unpackRecord(typeof packed === 'string' ? packed : blobOf(row, column), integerOf(row, PACKING), partsOf);
}

function decisionOf(row: Row, partsOf: PartsOf): RecordedRunRow['decision'] {
  const orbiset = optionalTextOf(row, ORBISET);
  if (orbiset === null) return null;
  const caller = textOf(row, CALLER);
  const start = textsIn(row, RECORD, partsOf);
  const answer = row[RESPONSE] === null ? NO_TEXTS : textsIn(row, RESPONSE, partsOf);
  if (start === undefined || answer === undefined) return { orbiset, caller, json: null, facts: [UNREADABLE_FACTS] };
  const facts = start.facts.map(factsOf);
  for (const columns of answer.facts) facts.push(factsOf(columns));
  return { orbiset, caller, json: answer.json ?? start.json, facts };
}

/** Memory to decode signatures in. */
const ROOM = Buffer.allocUnsafeSlow(1024);

function signatureOf(row: Row): string {
  const hex = textOf(row, SIGNATURE);
  return hex.length > 2 * ROOM.length
    ? Buffer.from(hex, 'hex').toString('base64url')
    : ROOM.toString('base64url', 0, ROOM.write(hex, 'hex'));
}

const rowOf = (row: Row, partsOf: PartsOf): RecordedRunRow => ({
  receiptId: textOf(row, RECEIPT_ID),
  orbId: textOf(row, ORB_ID),
  issuedAt: integerOf(row, ISSUED_AT),
  header: textOf(row, HEADER),
  payload: textOf(row, PAYLOAD),
  signature: signatureOf(row),
  entry: optionalTextOf(row, ENTRY),
  decision: decisionOf(row, partsOf),
});

function recordedRunPort({ prepare, read }: TableParts<never>): RecordedRunPort {
  const partsOf = policyTextReader({ prepare });
  const slice = prepare(
    `SELECT ${SELECTED}
     FROM receipts INDEXED BY receipts_newest
     JOIN jws_headers ON jws_headers.id = receipts.header
     LEFT JOIN log_entries ON log_entries.idx = receipts.log_index
     LEFT JOIN policy_decisions ON policy_decisions.run_id = receipts.run_id AND policy_decisions.tenant = receipts.tenant
     WHERE receipts.tenant = ? AND (issued_at, receipts.receipt_id) > (?, ?) AND issued_at < ?
     ORDER BY issued_at, receipts.receipt_id LIMIT ?`,
  );
  slice.setReturnArrays(true);
  return {
    recordedRuns: (tenant, { from, until, after, limit }) =>
      read(() => {
        if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT)
          throw new RangeError(`limit must be 1–${MAX_LIMIT}`);
        const { issuedAt, receiptId } = after ?? { issuedAt: from, receiptId: '' };
        return slice.all(tenant, issuedAt, receiptId, until, limit).map((row) => rowOf(row, partsOf));
      }),
  };
}

/** Read from receipts, log and decisions. It has no table of its own. */
export const recordedRuns = { schema: {}, port: recordedRunPort, writers: nothing };
