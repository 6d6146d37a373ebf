import { blobOf, integerOf, optionalBlobOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { unpackRecord, type PartsOf, type PolicyTexts } from '../sqlite/packed-record.ts';
import { jwsOf } from './jws-headers.ts';
import { policyTextReader } from './policy-texts.ts';
import { factsOf, UNREADABLE_FACTS, type StoredFacts } from './run-facts.ts';
import { nothing, type TableParts } from './table.ts';

/** A receipt with its log entry, and what is stored of the decision about its run. */
export interface RecordedRunRow {
  readonly receiptId: string;
  readonly orbId: string;
  readonly issuedAt: number;
  /** Compact JWS. */
  readonly jws: string;
  /** Its payload, JSON text. */
  readonly payload: string;
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

/** The records of start and answer; undefined: one is damaged. */
function textsIn(row: Row, partsOf: PartsOf): readonly PolicyTexts[] | undefined {
  const packing = integerOf(row, 'packing');
  const records = [blobOf(row, 'record'), optionalBlobOf(row, 'response')].filter((bytes) => bytes !== null);
  const texts = records.flatMap((bytes) => unpackRecord(bytes, packing, partsOf) ?? []);
  return texts.length === records.length ? texts : undefined;
}

function decisionOf(row: Row, partsOf: PartsOf): RecordedRunRow['decision'] {
  const orbiset = optionalTextOf(row, 'orbiset');
  if (orbiset === null) return null;
  const texts = textsIn(row, partsOf);
  return {
    orbiset,
    caller: textOf(row, 'caller'),
    json: texts?.findLast(({ json }) => json !== null)?.json ?? null,
    facts: texts?.flatMap(({ facts }) => facts.map(factsOf)) ?? [UNREADABLE_FACTS],
  };
}

const rowOf = (row: Row, partsOf: PartsOf): RecordedRunRow => ({
  receiptId: textOf(row, 'receipt_id'),
  orbId: textOf(row, 'orb_id'),
  issuedAt: integerOf(row, 'issued_at'),
  jws: jwsOf(row),
  payload: blobOf(row, 'payload').toString('utf8'),
  entry: optionalBlobOf(row, 'entry')?.toString('utf8') ?? null,
  decision: decisionOf(row, partsOf),
});

function recordedRunPort({ prepare, read }: TableParts<never>): RecordedRunPort {
  const partsOf = policyTextReader({ prepare });
  const slice = prepare(
    `SELECT receipts.receipt_id AS receipt_id, receipts.orb_id AS orb_id, issued_at, payload, signature,
       jws_headers.header AS header, entry, orbiset, caller, packing, record, response
     FROM receipts INDEXED BY receipts_newest
     JOIN jws_headers ON jws_headers.id = receipts.header
     LEFT JOIN log_entries ON log_entries.idx = receipts.log_index
     LEFT JOIN policy_decisions ON policy_decisions.run_id = receipts.run_id AND policy_decisions.tenant = receipts.tenant
     WHERE receipts.tenant = ? AND (issued_at, receipts.receipt_id) > (?, ?) AND issued_at < ?
     ORDER BY issued_at, receipts.receipt_id LIMIT ?`,
  );
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
