import type { Ledger, NewDecision, NewFacts } from '../../adapters/ledger/port.ts';
import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { PolicyInForce } from '../../core/policy/decision/policy-set.ts';
import type { Facts } from '../../core/policy/language/port.ts';
import { aFinish, aStart, LEDGER_NOW, runIdOf } from './ledger-rows.ts';

const DIGEST = `sha256:${'5'.repeat(64)}`;

/** An id in the platform's format, with a number in place of the random part. */
export const decisionIdOf = (number: number): string =>
  `dec_019aa000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/** A rule that matched, as a record shows it. */
export const ruleOf = ({ definition }: PolicyInForce, rule = 'rule'): JsonObject => ({
  policy: `${definition.namespace}/${definition.name}`,
  policy_digest: definition.digest,
  rule,
  effect: 'deny',
  result: 'true',
  enforced: true,
  severity: 'medium',
  message: 'denied',
});

/** A decision of tenant `acme` that is stored with its run. */
export interface DecisionToStore {
  readonly decision?: Partial<NewDecision>;
  /** Members of the record that differ. */
  readonly record?: JsonObject;
  /** Facts of phase PreFlight; absent: none are stored. */
  readonly facts?: Facts;
  /** False: the run is open. */
  readonly isFinished?: boolean;
}

const factsRow = (facts: Facts): NewFacts => ({
  phase: 'PreFlight',
  provider: null,
  schema: 'orb-facts/1',
  salt: new Uint8Array(16),
  facts: jcs(facts),
});

function newDecision(number: number, { decision: change = {}, record = {} }: DecisionToStore): NewDecision {
  const {
    at = LEDGER_NOW + number,
    orbiset = 'acme.support',
    orbId = 'acme.echo@1.0.0',
    caller = 'key:k7Qp2xZa',
  } = change;
  const { decision = 'deny', shadow = `would_${decision}` as const, shadowDiffers = false } = change;
  const json = JSON.stringify({
    decision_id: decisionIdOf(number),
    at: new Date(at).toISOString(),
    run_id: runIdOf(number),
    orbiset,
    orb_id: orbId,
    caller,
    phase: 'PreFlight',
    provider: null,
    decision,
    default_used: false,
    policy_set_digest: DIGEST,
    engine: 'cel',
    facts_schema: 'orb-facts/1',
    facts_digest: DIGEST,
    rules: [],
    denials: [],
    obligations: [],
    exceptions_used: [],
    shadow: { decision: shadow, differs: shadowDiffers },
    decided_us: 41,
    ...record,
  });
  return {
    decisionId: decisionIdOf(number),
    at,
    orbiset,
    orbId,
    caller,
    decision,
    shadow,
    shadowDiffers,
    policies: [],
    counted: decision === 'allow',
    inputsSha256: 'a'.repeat(64),
    approvals: [],
    json,
    ...change,
  };
}

/** Stores a run of tenant `acme` that policies denied, unless said otherwise. @returns the id of its decision */
export async function storeDecision(ledger: Ledger, number: number, given: DecisionToStore = {}): Promise<string> {
  const decision = newDecision(number, given);
  const facts = given.facts === undefined ? [] : [factsRow(given.facts)];
  const start = aStart(number, { startedAt: decision.at, policy: { decision, facts, grants: [] } });
  if (given.isFinished === false) await ledger.startRun(start);
  else await ledger.recordRun(start, aFinish(number, {}, { orbId: decision.orbId, issuedAt: decision.at }));
  return decision.decisionId;
}
