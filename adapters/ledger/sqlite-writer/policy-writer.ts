import { entryBytes } from '../tables/log.ts';
import { decisionRows, type DecisionRows } from '../tables/policy-decision-rows.ts';
import { faultOfDecided } from '../tables/policy-decisions.ts';
import { policyCountRows, type PolicyCountRows } from '../tables/policy-counts.ts';
import { grantRows, type GrantRows } from '../tables/policy-grants.ts';
import { violationRows, type ViolationRows } from '../tables/policy-violations.ts';
import { faultOfFacts } from '../tables/run-facts.ts';
import type { FinishPolicyColumns, StartPolicyColumns } from '../tables/run-policy.ts';
import type { Connection } from '../tables/table.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

/** Whose run it is. */
interface RunOfTenant {
  readonly runId: string;
  readonly tenant: string;
}

/** Whether a finish changes what its start decided, or the facts of it. */
const concernsDecision = ([response, facts, , erasesFacts]: FinishPolicyColumns): boolean =>
  response !== null || facts.length > 0 || erasesFacts;

/**
 * Writes what policies decided about runs, with their facts, in the transaction of start or finish. All that could
 * refuse a row is checked before the first write of it.
 */
export class PolicyWriter {
  readonly #decisions: DecisionRows;
  readonly #counts: PolicyCountRows;
  readonly #grants: GrantRows;
  readonly #violations: ViolationRows;

  constructor(db: Connection) {
    this.#decisions = decisionRows(db);
    this.#counts = policyCountRows(db);
    this.#grants = grantRows(db);
    this.#violations = violationRows(db);
  }

  /** Why the policy part of a start can't be written: a mistake of the caller. */
  faultOfStart([decision, facts]: StartPolicyColumns): string | undefined {
    const [, at, , , , , , , ...decided] = decision;
    if (!Number.isSafeInteger(at)) return 'a time is no whole number of milliseconds';
    return faultOfDecided(decided) ?? faultOfFacts(facts);
  }

  /** Whether every grant can be used by this run at the time of its start. */
  canUseGrants({ tenant }: RunOfTenant, [decision, , grants, inputsSha256]: StartPolicyColumns, now: number): boolean {
    const [, , orbiset, orbId, caller] = decision;
    const run = { orbiset, orbId, caller, inputsSha256 };
    return grants.every((grantId) => this.#grants.isUsable(grantId, tenant, run, now));
  }

  /** To call after a rollback. */
  forget(): void {
    this.#decisions.forget();
    this.#counts.forget();
  }

  /** To call at the end of each transaction. */
  store(): void {
    this.#counts.store();
  }

  /** @returns false: the decision id is taken, and no row was changed */
  start({ runId, tenant }: RunOfTenant, [decision, facts, grants]: StartPolicyColumns): boolean {
    const [, at, orbiset, orbId, caller, isCounted] = decision;
    if (!this.#decisions.insert(runId, tenant, decision, facts)) return false;
    for (const grantId of grants) this.#grants.use(grantId, runId);
    if (isCounted) this.#counts.add({ tenant, caller, orbiset, orbId }, at);
    return true;
  }

  /**
   * Why the policy part of a finish can't be written: a mistake of the caller.
   * @param isStarting the decision of the run is written in the same transaction
   */
  faultOfFinish({ runId, tenant }: RunOfTenant, columns: FinishPolicyColumns, isStarting = false): string | undefined {
    const [response, facts, violations] = columns;
    if (concernsDecision(columns) && !isStarting && this.#decisions.ofRun(runId, tenant) === undefined)
      return 'the run has no decision';
    if (violations.some(([, , day]) => !Number.isSafeInteger(day))) return 'a day is a whole number';
    if (violations.some(([, , , entry]) => entryBytes(entry) === undefined)) return TOO_LONG;
    return (response === null ? undefined : faultOfDecided(response)) ?? faultOfFacts(facts);
  }

  finish({ runId, tenant }: RunOfTenant, columns: FinishPolicyColumns, log: LogWriter): void {
    const [response, facts, violations, erasesFacts] = columns;
    if (concernsDecision(columns)) {
      const id = this.#decisions.ofRun(runId, tenant);
      if (id === undefined) throw new Error('the decision of a run was erased within its transaction');
      if (erasesFacts) this.#decisions.forgetFacts(id);
      if (response !== null || facts.length > 0) this.#decisions.addResponse(id, response, facts);
    }
    for (const violation of violations) {
      const [, , , entry] = violation;
      const bytes = entryBytes(entry);
      if (bytes !== undefined && this.#violations.isFirst(violation, log.size())) log.append(entry, bytes);
    }
  }
}
