import { optionalBlobOf, integerOf, blobOf, type Row } from '../sqlite/columns.ts';
import { faultOfText, unpackRecord, type FactsColumns } from '../sqlite/packed-record.ts';
import { nothing, type TableParts } from './table.ts';

/** The facts that one phase of a run added (policy.md §4). */
export interface NewFacts {
  readonly phase: FactsColumns[0];
  /** Of the phases Request and Response; null in PreFlight. */
  readonly provider: string | null;
  /** `orb-facts/1` */
  readonly schema: string;
  /** 16 bytes. */
  readonly salt: Uint8Array;
  /** Canonical JSON, ≤ 256 KiB of UTF-8. */
  readonly facts: string;
}

/** Facts of runs, written and erased with the decision about the run. */
interface RunFactsPort {
  /**
   * In the order in which they were given: PreFlight, Request for each eligible provider, Response. Of a damaged record
   * one snapshot without facts, so that its digest is not the one in the receipt. Empty: none were given, or they are
   * erased.
   */
  readonly runFacts: (tenant: string, runId: string) => Promise<readonly NewFacts[]>;
}

const MAX_FACTS_BYTES = 262_144;
const SALT_BYTES = 16;
const SALT_TEXT = 24;
/** Most snapshots of a start or finish: an Orb has at most 32 providers. */
const MAX_SNAPSHOTS = 64;

export const factsColumns = ({ phase, provider, schema, salt, facts }: NewFacts): FactsColumns => [
  phase,
  provider,
  schema,
  Buffer.from(salt.buffer, salt.byteOffset, salt.byteLength).toString('base64'),
  facts,
];

/** Why facts can't be written; undefined: they can. */
export function faultOfFacts(all: readonly FactsColumns[]): string | undefined {
  if (all.length > MAX_SNAPSHOTS) return `more than ${MAX_SNAPSHOTS} snapshots of facts`;
  if (all.some(([, , , salt]) => salt.length !== SALT_TEXT)) return `a salt of facts has ${SALT_BYTES} bytes`;
  return all.map(([, , , , facts]) => faultOfText(facts, MAX_FACTS_BYTES)).find((fault) => fault !== undefined);
}

const DAMAGED: NewFacts = {
  phase: 'PreFlight',
  provider: null,
  schema: '',
  salt: new Uint8Array(SALT_BYTES),
  facts: '',
};

const factsOf = ([phase, provider, schema, salt, facts]: FactsColumns): NewFacts => ({
  phase,
  provider,
  schema,
  salt: Buffer.from(salt, 'base64'),
  facts,
});

function factsIn(row: Row | undefined): readonly NewFacts[] {
  if (row === undefined) return [];
  const packing = integerOf(row, 'packing');
  const parts = [blobOf(row, 'record'), optionalBlobOf(row, 'response')];
  return parts.flatMap((bytes) => {
    if (bytes === null) return [];
    return unpackRecord(bytes, packing)?.facts.map(factsOf) ?? [DAMAGED];
  });
}

function runFactsPort({ prepare, read }: TableParts<never>): RunFactsPort {
  const ofRun = prepare('SELECT packing, record, response FROM policy_decisions WHERE run_id = ? AND tenant = ?');
  return { runFacts: (tenant, runId) => read(() => factsIn(ofRun.get(runId, tenant))) };
}

/** Facts stand in the rows of decisions: `policy-decisions.ts`. */
export const runFacts = { schema: {}, port: runFactsPort, writers: nothing };
