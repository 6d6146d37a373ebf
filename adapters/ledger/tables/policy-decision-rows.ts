import { integerOf } from '../sqlite/columns.ts';
import { PACKING, packRecord, referTo, type PolicyTexts } from '../sqlite/packed-record.ts';
import { textsOf, type DecidedColumns, type DecisionColumns } from './policy-decisions.ts';
import { policyTextReader, policyTextRows } from './policy-texts.ts';
import type { NewFactsColumns } from './run-facts.ts';
import { wholeColumns, type TextColumns } from './text-columns.ts';
import type { Connection } from './table.ts';

/** Decisions in the writer's thread. */
export interface DecisionRows {
  /** @returns false: the id is taken, and no row was changed */
  readonly insert: (
    runId: string,
    tenant: string,
    columns: DecisionColumns,
    facts: readonly NewFactsColumns[],
  ) => boolean;
  /** The number of the decision about a run; undefined: none was made, or it was erased. */
  readonly ofRun: (runId: string, tenant: string) => number | undefined;
  /** Adds what a finish says. @param decided null: what the start decided holds */
  readonly addResponse: (id: number, decided: DecidedColumns | null, facts: readonly NewFactsColumns[]) => void;
  /** Drops the facts of the start; what it decided stays. */
  readonly forgetFacts: (id: number) => void;
  /** Erases decisions before a time, of each tenant the oldest first, with their facts. @returns their number */
  readonly eraseBefore: (at: number, limit: number) => number;
  /** To call after a rollback. */
  readonly forget: () => void;
}

/** Facts with their texts as records hold them. */
const withTexts = (all: readonly NewFactsColumns[], textFor: (text: TextColumns) => string): PolicyTexts['facts'] =>
  all.map(([phase, provider, facts, salt, ...text]) => [phase, provider, facts, salt, textFor(text)]);

// The index of decisions begins with the tenant, so each tenant is found by a step in it.
const ERASE = `WITH RECURSIVE tenants(name) AS (
    SELECT min(tenant) FROM policy_decisions
    UNION ALL SELECT (SELECT min(tenant) FROM policy_decisions WHERE tenant > name) FROM tenants WHERE name IS NOT NULL)
  DELETE FROM policy_decisions WHERE id IN (
    SELECT id FROM tenants JOIN policy_decisions ON tenant = name WHERE at < ? LIMIT ?)`;

export function decisionRows(db: Connection): DecisionRows {
  const insert = db.prepare(
    `INSERT INTO policy_decisions(run_id, tenant, decision_id, at, orbiset, orb_id, caller, inputs_sha256, approvals,
       denied, would_deny, shadow_differs, policies, packing, record)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ${PACKING}, ?)
     ON CONFLICT DO NOTHING`,
  );
  const ofRun = db.prepare('SELECT id FROM policy_decisions WHERE run_id = ? AND tenant = ?');
  const decide = db.prepare(
    'UPDATE policy_decisions SET denied = ?, would_deny = ?, shadow_differs = ?, policies = ? WHERE id = ?',
  );
  const respond = db.prepare('UPDATE policy_decisions SET response = ? WHERE id = ?');
  const record = db.prepare('SELECT packing, record, response FROM policy_decisions WHERE id = ?');
  const rewrite = db.prepare(`UPDATE policy_decisions SET packing = ${PACKING}, record = ? WHERE id = ?`);
  const erase = db.prepare(ERASE);
  const shared = policyTextRows(db);
  const partsOf = policyTextReader(db);
  /** A text as records hold it. */
  const referred = ([text, common]: TextColumns, at: number): string => {
    if (common === '') return text;
    const ids = shared.idsOf(common, at);
    return ids === undefined ? wholeColumns([text, common]) : referTo(ids, text);
  };
  return {
    insert: (runId, tenant, columns, facts) => {
      const [decisionId, at, orbiset, orbId, caller, , inputs, approvals, ...decided] = columns;
      const [denied, wouldDeny, differs, policies, ...json] = decided;
      const referTexts = (text: TextColumns): string => referred(text, at);
      const bytes = packRecord({ json: referTexts(json), facts: withTexts(facts, referTexts) });
      const run = [runId, tenant, decisionId, at, orbiset, orbId, caller, inputs, approvals] as const;
      return insert.run(...run, denied, wouldDeny, differs, policies, bytes).changes === 1;
    },
    ofRun: (runId, tenant) => {
      const row = ofRun.get(runId, tenant);
      return row && integerOf(row, 'id');
    },
    addResponse: (id, decided, facts) => {
      if (decided !== null) {
        const [denied, wouldDeny, differs, policies] = decided;
        decide.run(denied, wouldDeny, differs, policies, id);
      }
      const json = decided === null ? null : wholeColumns([decided[4], decided[5]]);
      const texts = { json, facts: withTexts(facts, wholeColumns) };
      // Both records of a run are packed in one way, also when an earlier program wrote the first.
      respond.run(packRecord(texts, integerOf(record.get(id) ?? {}, 'packing')), id);
    },
    forgetFacts: (id) => {
      const { json } = textsOf(record.get(id) ?? {}, 'record', partsOf);
      rewrite.run(packRecord({ json, facts: [] }), id);
    },
    eraseBefore: (at, limit) => Number(erase.run(at, limit).changes),
    forget: () => shared.forget(),
  };
}
