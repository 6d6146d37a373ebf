import type { StatementSync } from 'node:sqlite';
import { blobOf, oneOf, optionalTextOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

const PHASES = ['PreFlight', 'Request', 'Response'] as const;

/** The facts that one phase of a run added (policy.md §4). */
export interface NewFacts {
  readonly phase: (typeof PHASES)[number];
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
  /** In the order in which they were written: PreFlight, Request for each eligible provider, Response. */
  readonly runFacts: (tenant: string, runId: string) => Promise<readonly NewFacts[]>;
}

export type FactsColumns = readonly [
  phase: NewFacts['phase'],
  provider: string | null,
  schema: string,
  /** A character for each byte: a text crosses to the writer's thread in half of the time of bytes. */
  salt: string,
  facts: string,
];

const schema: TableSchema = {
  5: `CREATE TABLE run_facts(
    decision INTEGER NOT NULL, position INTEGER NOT NULL, phase TEXT NOT NULL, provider TEXT, schema TEXT NOT NULL,
    salt BLOB NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (decision, position)
  ) STRICT, WITHOUT ROWID;`,
};

const MAX_FACTS_BYTES = 262_144;
const SALT_BYTES = 16;

export const factsColumns = ({ phase, provider, schema: name, salt, facts }: NewFacts): FactsColumns => [
  phase,
  provider,
  name,
  Buffer.from(salt.buffer, salt.byteOffset, salt.byteLength).toString('latin1'),
  facts,
];

/** Why a snapshot can't be written; undefined: it can. */
export function faultOfFacts([, , , salt, facts]: FactsColumns): string | undefined {
  if (salt.length !== SALT_BYTES) return `a salt of facts has ${SALT_BYTES} bytes`;
  return Buffer.byteLength(facts) > MAX_FACTS_BYTES ? `facts are longer than ${MAX_FACTS_BYTES} bytes` : undefined;
}

/** Facts in the writer's thread. */
export interface RunFactsRows {
  /** Adds them behind those that the run has. @param decision number of the decision about the run */
  readonly append: (decision: number, all: readonly FactsColumns[]) => void;
  readonly erase: StatementSync;
}

export function runFactsRows(db: Connection): RunFactsRows {
  const insert = db.prepare(
    `INSERT INTO run_facts(decision, position, phase, provider, schema, salt, facts)
     SELECT ?, coalesce(max(position) + 1, 0), ?, ?, ?, ?, ? FROM run_facts WHERE decision = ?`,
  );
  return {
    append: (decision, all) => {
      for (const [phase, provider, name, salt, facts] of all)
        insert.run(decision, phase, provider, name, Buffer.from(salt, 'latin1'), facts, decision);
    },
    erase: db.prepare('DELETE FROM run_facts WHERE decision = ?'),
  };
}

const factsOf = (row: Row): NewFacts => ({
  phase: oneOf(PHASES, row, 'phase'),
  provider: optionalTextOf(row, 'provider'),
  schema: textOf(row, 'schema'),
  salt: blobOf(row, 'salt'),
  facts: textOf(row, 'facts'),
});

function runFactsPort({ prepare, read }: TableParts<never>): RunFactsPort {
  const ofRun = prepare(
    `SELECT phase, provider, schema, salt, facts FROM run_facts
     WHERE decision = (SELECT id FROM policy_decisions WHERE run_id = ? AND tenant = ?) ORDER BY position`,
  );
  return { runFacts: (tenant, runId) => read(() => ofRun.all(runId, tenant).map(factsOf)) };
}

/** Written with runs: `sqlite-writer/policy-writer.ts`. */
export const runFactsTable = { schema, port: runFactsPort, writers: nothing };
