import type { SharedText } from '../../../core/json/shared-text.ts';
import { blobOf, integerOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { indexPage, numberOfPlace, type PageQuery, type Place } from '../sqlite/index-page.ts';
import { unpackRecord, type PartsOf, type PolicyTexts } from '../sqlite/packed-record.ts';
import { policyTextReader } from './policy-texts.ts';
import { faultOfColumns, textColumns, type TextColumns } from './text-columns.ts';
import { nothing, type TableParts, type TableSchema } from './table.ts';

/** What the policies of a tenant decided about one run. */
interface Decided {
  readonly decision: 'allow' | 'deny';
  /** What audited policies together with the enforced ones would decide. */
  readonly shadow: 'would_allow' | 'would_deny';
  readonly shadowDiffers: boolean;
  /** `namespace/name` of every policy with a rule in the record: `decisions` filters by them. */
  readonly policies: readonly string[];
  /**
   * The record (policy.md §3.4) as JSON text that the caller alone understands, ≤ 64 KiB of UTF-8. Parts that other
   * records have as well are stored once.
   */
  readonly json: string | SharedText;
}

/** The decision about a run at its start. */
export interface NewDecision extends Decided {
  /** `dec_…` */
  readonly decisionId: string;
  /** ms since epoch */
  readonly at: number;
  /** `namespace.name` */
  readonly orbiset: string;
  readonly orbId: string;
  /** `key:…`, `sa:namespace/name` or `anonymous`. */
  readonly caller: string;
  /** Whether the run adds to the counts of its day (`policyCounts`): it was allowed and started. */
  readonly counted: boolean;
  /** Lower-case hex SHA-256 of the JCS text of the inputs: what a grant is bound to. */
  readonly inputsSha256: string;
  /** Scopes whose approval the run needs; empty unless it was denied for want of one. */
  readonly approvals: readonly string[];
}

/** The decision after an answer of a provider: it takes the place of what the start decided. */
export type ResponseDecision = Decided;

export interface StoredDecision extends Omit<NewDecision, 'counted' | 'inputsSha256' | 'json'> {
  readonly tenant: string;
  readonly runId: string;
  /** Null while the run is open. */
  readonly receiptId: string | null;
  /** Null unless approvals are needed. */
  readonly inputsSha256: string | null;
  /** The record, whole. */
  readonly json: string;
}

export interface DecisionQuery extends PageQuery {
  readonly decision?: Decided['decision'];
  readonly shadow?: Decided['shadow'];
  readonly shadowDiffers?: boolean;
  readonly orbId?: string;
  /** `namespace/name` of a policy with a rule in the record. */
  readonly policy?: string;
}

interface DecisionPage {
  /**
   * Newest first. A page may hold fewer than `limit` though more follow, because a call reads a bounded number of rows.
   */
  readonly items: readonly StoredDecision[];
  readonly nextCursor: string | null;
}

/** Decisions of policies, one for each run of a tenant that has policies. Written with the run. */
interface DecisionPort {
  readonly decision: (tenant: string, decisionId: string) => Promise<StoredDecision | undefined>;
  readonly decisionOfRun: (tenant: string, runId: string) => Promise<StoredDecision | undefined>;
  /** @throws RangeError limit outside 1–200, or a cursor that did not come from a page */
  readonly decisions: (tenant: string, query: DecisionQuery) => Promise<DecisionPage>;
}

/** What a decision says, as it crosses to the writer. */
export type DecidedColumns = readonly [
  denied: number,
  wouldDeny: number,
  shadowDiffers: number,
  policies: string,
  ...json: TextColumns,
];

export type DecisionColumns = readonly [
  decisionId: string,
  at: number,
  orbiset: string,
  orbId: string,
  caller: string,
  counted: boolean,
  inputsSha256: string | null,
  approvals: string | null,
  ...decided: DecidedColumns,
];

const schema: TableSchema = {
  // The index holds every column that a query filters by. It orders by `id` within a millisecond. `record` and
  // `response` are the JSON texts and facts of start and finish (`sqlite/packed-record.ts`).
  5: `CREATE TABLE policy_decisions(
    id INTEGER PRIMARY KEY, decision_id TEXT NOT NULL UNIQUE, run_id TEXT NOT NULL UNIQUE, tenant TEXT NOT NULL,
    at INTEGER NOT NULL, orbiset TEXT NOT NULL, orb_id TEXT NOT NULL, caller TEXT NOT NULL, inputs_sha256 TEXT,
    approvals TEXT, denied INTEGER NOT NULL, would_deny INTEGER NOT NULL, shadow_differs INTEGER NOT NULL,
    policies TEXT NOT NULL, packing INTEGER NOT NULL, record BLOB NOT NULL, response BLOB
  ) STRICT;
  CREATE INDEX policy_decisions_newest
    ON policy_decisions(tenant, at, id, denied, would_deny, shadow_differs, orb_id, policies);
  CREATE INDEX policy_decisions_at ON policy_decisions(at);`,
  // What is due is found by the other index too, and each index costs a run some 5 µs.
  6: 'DROP INDEX policy_decisions_at;',
};

/** Longest JSON text of a decision, or of a change that a replay found, bytes. */
export const MAX_JSON_BYTES = 65_536;

const decidedColumns = ({ decision, shadow, shadowDiffers, policies, json }: Decided): DecidedColumns => [
  decision === 'deny' ? 1 : 0,
  shadow === 'would_deny' ? 1 : 0,
  shadowDiffers ? 1 : 0,
  policies.join(' '),
  ...textColumns(json),
];

export const responseColumns = (response: ResponseDecision): DecidedColumns => decidedColumns(response);

export const decisionColumns = (decision: NewDecision): DecisionColumns => [
  decision.decisionId,
  decision.at,
  decision.orbiset,
  decision.orbId,
  decision.caller,
  decision.counted,
  decision.approvals.length === 0 ? null : decision.inputsSha256,
  decision.approvals.length === 0 ? null : decision.approvals.join(' '),
  ...decidedColumns(decision),
];

/** Why a decision can't be written; undefined: it can. */
export const faultOfDecided = ([, , , , ...json]: DecidedColumns): string | undefined =>
  json[0] === '' ? 'a decision has a record' : faultOfColumns(json, MAX_JSON_BYTES);

const wordsOf = (text: string | null): readonly string[] => (text === null || text === '' ? [] : text.split(' '));

const isSet = (row: Row, column: string): boolean => integerOf(row, column) === 1;

/** The texts of a stored record. @param row with its packing */
export function textsOf(row: Row, column: 'record' | 'response', partsOf: PartsOf): PolicyTexts {
  const texts = unpackRecord(blobOf(row, column), integerOf(row, 'packing'), partsOf);
  if (texts === undefined) throw new TypeError('the ledger holds a decision that can not be read');
  return texts;
}

/** What was decided last. */
function jsonOf(row: Row, partsOf: PartsOf): string {
  const last = row['response'] === null ? null : textsOf(row, 'response', partsOf).json;
  return last ?? textsOf(row, 'record', partsOf).json ?? '';
}

const decisionOf = (row: Row, partsOf: PartsOf): StoredDecision => ({
  decisionId: textOf(row, 'decision_id'),
  tenant: textOf(row, 'tenant'),
  runId: textOf(row, 'run_id'),
  receiptId: optionalTextOf(row, 'receipt_id'),
  at: integerOf(row, 'at'),
  orbiset: textOf(row, 'orbiset'),
  orbId: textOf(row, 'orb_id'),
  caller: textOf(row, 'caller'),
  decision: isSet(row, 'denied') ? 'deny' : 'allow',
  shadow: isSet(row, 'would_deny') ? 'would_deny' : 'would_allow',
  shadowDiffers: isSet(row, 'shadow_differs'),
  policies: wordsOf(textOf(row, 'policies')),
  inputsSha256: optionalTextOf(row, 'inputs_sha256'),
  approvals: wordsOf(optionalTextOf(row, 'approvals')),
  json: jsonOf(row, partsOf),
});

const isOr = <T>(wanted: T | undefined, found: T): boolean => wanted === undefined || wanted === found;

const isAskedFor = (row: Row, { decision, shadow, shadowDiffers, orbId, policy }: DecisionQuery): boolean =>
  isOr(decision === undefined ? undefined : decision === 'deny', isSet(row, 'denied')) &&
  isOr(shadow === undefined ? undefined : shadow === 'would_deny', isSet(row, 'would_deny')) &&
  isOr(shadowDiffers, isSet(row, 'shadow_differs')) &&
  isOr(orbId, textOf(row, 'orb_id')) &&
  (policy === undefined || wordsOf(textOf(row, 'policies')).includes(policy));

const placeOf = (row: Row): Place => ({ at: integerOf(row, 'at'), id: String(integerOf(row, 'id')) });

const SELECT = `SELECT decision_id, policy_decisions.tenant AS tenant, policy_decisions.run_id AS run_id, receipt_id, at,
    orbiset, policy_decisions.orb_id AS orb_id, caller, denied, would_deny, shadow_differs, policies, inputs_sha256,
    approvals, packing, record, response
  FROM policy_decisions LEFT JOIN receipts ON receipts.run_id = policy_decisions.run_id`;

function decisionPort({ prepare, read }: TableParts<never>): DecisionPort {
  const partsOf = policyTextReader({ prepare });
  const decisionIn = (row: Row | undefined): StoredDecision | undefined => row && decisionOf(row, partsOf);
  const byId = prepare(`${SELECT} WHERE decision_id = ? AND policy_decisions.tenant = ?`);
  const byRun = prepare(`${SELECT} WHERE policy_decisions.run_id = ? AND policy_decisions.tenant = ?`);
  const byNumber = prepare(`${SELECT} WHERE policy_decisions.id = ?`);
  const newest = prepare(
    `SELECT at, id, denied, would_deny, shadow_differs, orb_id, policies
     FROM policy_decisions INDEXED BY policy_decisions_newest
     WHERE tenant = ? AND (at, id) < (?, ?) AND at >= ? ORDER BY at DESC, id DESC LIMIT ?`,
  );
  const page = async (tenant: string, query: DecisionQuery): Promise<DecisionPage> => {
    const slice = (place: Place, rows: number): readonly Row[] =>
      newest.all(tenant, place.at, numberOfPlace(place), query.since ?? 0, rows);
    const { rows, nextCursor } = await indexPage(query, { slice, matches: (row) => isAskedFor(row, query), placeOf });
    return { items: rows.flatMap((row) => decisionIn(byNumber.get(integerOf(row, 'id'))) ?? []), nextCursor };
  };
  return {
    decision: (tenant, decisionId) => read(() => decisionIn(byId.get(decisionId, tenant))),
    decisionOfRun: (tenant, runId) => read(() => decisionIn(byRun.get(runId, tenant))),
    decisions: (tenant, query) => read(() => page(tenant, query)),
  };
}

/** Written with runs by `policy-decision-rows.ts`. */
export const decisionTable = { schema, port: decisionPort, writers: nothing };
