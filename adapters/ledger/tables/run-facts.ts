import type { SharedText } from '../../../core/json/shared-text.ts';
import { optionalBlobOf, integerOf, blobOf, type Row } from '../sqlite/columns.ts';
import { unpackRecord, type FactsColumns, type PartsOf } from '../sqlite/packed-record.ts';
import { policyTextReader } from './policy-texts.ts';
import { faultOfColumns, textColumns, type TextColumns } from './text-columns.ts';
import { nothing, type TableParts } from './table.ts';

/** The facts that one phase of a run added (policy.md §4). */
export interface StoredFacts {
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

/** Facts of a phase whose text may have parts in common with other runs: they are stored once. */
export interface NewFacts extends Omit<StoredFacts, 'facts'> {
  readonly facts: string | SharedText;
}

/** On the way to the writer's thread. */
export type NewFactsColumns = readonly [
  phase: FactsColumns[0],
  provider: string | null,
  schema: string,
  salt: string,
  ...facts: TextColumns,
];

/** Facts of runs, written and erased with the decision about the run. */
interface RunFactsPort {
  /**
   * In the order in which they were given: PreFlight, Request for each eligible provider, Response. Of a damaged record
   * one snapshot without facts, so that its digest is not the one in the receipt. Empty: none were given, or they are
   * erased.
   */
  readonly runFacts: (tenant: string, runId: string) => Promise<readonly StoredFacts[]>;
}

const MAX_FACTS_BYTES = 262_144;
const SALT_BYTES = 16;
const SALT_TEXT = 24;
/** Most snapshots of a start or finish: an Orb has at most 32 providers. */
const MAX_SNAPSHOTS = 64;

export const factsColumns = ({ phase, provider, schema, salt, facts }: NewFacts): NewFactsColumns => [
  phase,
  provider,
  schema,
  Buffer.from(salt.buffer, salt.byteOffset, salt.byteLength).toString('base64'),
  ...textColumns(facts),
];

/** Why facts can't be written; undefined: they can. */
export function faultOfFacts(all: readonly NewFactsColumns[]): string | undefined {
  if (all.length > MAX_SNAPSHOTS) return `more than ${MAX_SNAPSHOTS} snapshots of facts`;
  if (all.some(([, , , salt]) => salt.length !== SALT_TEXT)) return `a salt of facts has ${SALT_BYTES} bytes`;
  return all.map(([, , , , ...facts]) => faultOfColumns(facts, MAX_FACTS_BYTES)).find((fault) => fault !== undefined);
}

/** In place of facts that can't be read. */
export const UNREADABLE_FACTS: StoredFacts = {
  phase: 'PreFlight',
  provider: null,
  schema: '',
  salt: new Uint8Array(SALT_BYTES),
  facts: '',
};

export const factsOf = ([phase, provider, schema, salt, facts]: FactsColumns): StoredFacts => ({
  phase,
  provider,
  schema,
  salt: Buffer.from(salt, 'base64'),
  facts,
});

function factsIn(row: Row | undefined, partsOf: PartsOf): readonly StoredFacts[] {
  if (row === undefined) return [];
  const packing = integerOf(row, 'packing');
  const parts = [blobOf(row, 'record'), optionalBlobOf(row, 'response')];
  return parts.flatMap((bytes) => {
    if (bytes === null) return [];
    return unpackRecord(bytes, packing, partsOf)?.facts.map(factsOf) ?? [UNREADABLE_FACTS];
  });
}

function runFactsPort({ prepare, read }: TableParts<never>): RunFactsPort {
  const partsOf = policyTextReader({ prepare });
  const ofRun = prepare('SELECT packing, record, response FROM policy_decisions WHERE run_id = ? AND tenant = ?');
  return { runFacts: (tenant, runId) => read(() => factsIn(ofRun.get(runId, tenant), partsOf)) };
}

/** Facts stand in the rows of decisions: `policy-decisions.ts`. */
export const runFacts = { schema: {}, port: runFactsPort, writers: nothing };
