import type { NewDecision, NewFacts, NewViolation, RunStart } from '../../adapters/ledger/port.ts';
import { entryText } from '../../core/log-entry/entry.ts';
import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import type { DecidedRule, Denial, UsedException, Violation } from '../../core/policy/decision/decision.ts';
import { boundTo, type PhaseDecision, type RunDecision } from '../../core/policy/decision/run-decision.ts';
import { listObligations } from '../../core/policy/decision/obligations.ts';
import { FACTS_SCHEMA } from '../../core/policy/facts/orb-facts.ts';
import { factsDigest } from '../../core/policy/facts/snapshot.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import type { ReceiptRecord } from '../../core/receipt/record.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { PolicyRecord } from '../../core/run/policy-record.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { decisionOf, type RunPolicy } from './run-policy.ts';

const DAY_MS = 86_400_000;

/** What the receipt of the run says about policies (trust.md §1.1, policy.md §3.4). */
export function policyRecord(policy: RunPolicy): PolicyRecord {
  const { decision, violations, check } = decisionOf(policy);
  return {
    record: {
      set_digest: policy.set.digest,
      facts_schema: FACTS_SCHEMA,
      facts_digest: factsDigest(policy.snapshots),
      decision,
      violations: violations.map(({ rule, severity }) => ({ rule, severity })),
    },
    check,
  };
}

/** Where a rule was decided; PreFlight is not said. */
const placeOf = ({ phase, provider }: PhaseDecision): JsonObject => (phase === 'PreFlight' ? {} : { phase, provider });

const ruleJson = (rule: DecidedRule): JsonObject => ({
  policy: rule.policy,
  policy_digest: rule.policyDigest,
  rule: rule.rule,
  effect: rule.effect,
  result: rule.result,
  enforced: rule.enforced,
  severity: rule.severity,
  message: rule.message,
});

const exceptionJson = ({ policy, exception }: UsedException): JsonObject => {
  const { orb = '', caller = '', rule, until, reason } = exception;
  return { policy, orb, caller, rule, until, reason };
};

/** A denial as answers show it. What no rule says has its code in place of a rule. */
export const denialJson = ({ policy, rule, severity, code }: Denial): JsonObject => ({
  policy,
  rule: rule === '' ? code : rule,
  severity,
  ...(code === 'policy-denied' ? {} : { code }),
});

/** Every enforced or audited rule that matched or failed, as answers and records show it. */
export const rulesJson = (phases: readonly PhaseDecision[]): readonly JsonObject[] =>
  phases.flatMap((one) => one.decision.rules.map((rule) => ({ ...ruleJson(rule), ...placeOf(one) })));

/** Texts that policies made of inputs are shown: no known form of a secret of the vault stays in them. */
const shown = ({ redactor }: CompiledOrbiset, json: JsonObject): JsonValue => redactor.json(json).value;

/** A run as its record names it. */
interface RecordedRun {
  readonly runId: string;
  readonly orbiset: CompiledOrbiset;
}

function decisionJson(policy: RunPolicy, decided: RunDecision, { runId, orbiset }: RecordedRun): string {
  const { phases, counted } = policy;
  const json: JsonObject = {
    decision_id: policy.decisionId,
    at: new Date(policy.startedAt).toISOString(),
    run_id: runId,
    orbiset: counted.orbiset,
    orb_id: counted.orbId,
    caller: counted.caller,
    phase: decided.phase,
    provider: decided.provider,
    decision: decided.decision,
    default_used: phases.some(({ decision }) => decision.defaultUsed),
    policy_set_digest: policy.set.digest,
    engine: CEL_ENGINE.id,
    facts_schema: FACTS_SCHEMA,
    facts_digest: factsDigest(policy.snapshots),
    shadow: decided.shadow,
    decided_us: Math.round(phases.reduce((sum, { tookMs }) => sum + tookMs, 0) * 1000),
  };
  const lists = {
    rules: rulesJson(phases),
    denials: decided.denials.map((denial) => ({ ...denialJson(denial), message: denial.message })),
    obligations: listObligations(boundTo(phases)),
    exceptions_used: phases.flatMap(({ decision }) => decision.exceptionsUsed.map(exceptionJson)),
  };
  return fitting(lists, (parts) => JSON.stringify(shown(orbiset, { ...json, ...parts })));
}

/** Room for a record in the ledger, bytes. */
const MAX_RECORD_BYTES = 65_536;

type Lists = Readonly<Record<'rules' | 'denials' | 'obligations' | 'exceptions_used', readonly JsonObject[]>>;

/** The first entries of each list, and how many rules are not among them. */
function firstOf({ rules, denials, obligations, exceptions_used }: Lists, most: number): JsonObject {
  const left = Math.max(0, rules.length - most);
  return {
    rules: rules.slice(0, most),
    denials: denials.slice(0, most),
    obligations: obligations.slice(0, most),
    exceptions_used: exceptions_used.slice(0, most),
    ...(left === 0 ? {} : { rules_left_out: left }),
  };
}

/** The record with as many rules as fit, and of each other list no more. Thousands of rules with long messages can match one run. */
function fitting(lists: Lists, textOf: (parts: JsonObject) => string): string {
  const longest = Math.max(...Object.values(lists).map(({ length }) => length));
  for (let most = longest; ; most = Math.floor(most / 2)) {
    const text = textOf(firstOf(lists, most));
    if (most === 0 || Buffer.byteLength(text) <= MAX_RECORD_BYTES) return text;
  }
}

/** Policies with a rule in the record. */
const policiesIn = ({ phases }: RunPolicy): readonly string[] =>
  [...new Set(phases.flatMap(({ decision }) => decision.rules.map(({ policy }) => policy)))].toSorted();

function approvalsOf(decided: RunDecision, { phases }: RunPolicy): readonly string[] {
  const isOpen = decided.denials.some(({ code }) => code === 'approval-required');
  return isOpen ? (boundTo(phases).requireApproval ?? []) : [];
}

/** The row of a decision. @param isStarted whether the run started, so that it counts as one of the day */
export function decisionRow(policy: RunPolicy, run: RecordedRun, isStarted: boolean): NewDecision {
  const decided = decisionOf(policy);
  const { counted } = policy;
  const approvals = approvalsOf(decided, policy);
  const usesApproval = approvals.length > 0 || policy.grants.length > 0;
  return {
    decisionId: policy.decisionId,
    at: policy.startedAt,
    orbiset: counted.orbiset,
    orbId: counted.orbId,
    caller: counted.caller,
    decision: decided.decision,
    shadow: decided.shadow.decision,
    shadowDiffers: decided.shadow.differs,
    policies: policiesIn(policy),
    counted: isStarted,
    inputsSha256: usesApproval ? policy.inputsSha256() : '',
    approvals,
    json: decisionJson(policy, decided, run),
  };
}

/** Room for the facts of one phase in the ledger, bytes. */
const MAX_FACTS_BYTES = 262_144;

/**
 * Whether no facts of the run are stored: an obligation says so, or those of a phase have no room, because a caller sent
 * very long names. Some phases without the others would not give the digest of the receipt.
 */
export const leavesNoFacts = ({ phases, snapshots }: RunPolicy): boolean =>
  boundTo(phases).noStore === true || snapshots.some(({ facts }) => Buffer.byteLength(facts) > MAX_FACTS_BYTES);

function factRows(policy: RunPolicy): readonly NewFacts[] {
  if (leavesNoFacts(policy)) return [];
  return policy.snapshots.map(({ phase, provider, salt, facts }) => ({
    phase,
    provider,
    schema: FACTS_SCHEMA,
    salt,
    facts,
  }));
}

/** What the start of a run stores of its decision. */
export const startRows = (policy: RunPolicy, run: RecordedRun, isStarted: boolean): Required<RunStart>['policy'] => ({
  decision: decisionRow(policy, run, isStarted),
  facts: factRows(policy),
  grants: policy.grants,
});

function violationRow({ rule, severity }: Violation, { receipt_id, orb, issued_at: at }: ReceiptRecord): NewViolation {
  const { id, manifest_digest } = orb;
  return {
    rule,
    manifestDigest: manifest_digest,
    day: Math.floor(Date.parse(at) / DAY_MS),
    entry: entryText({ kind: 'violation', orb_id: id, manifest_digest, rule, severity, receipt_id, at }),
  };
}

/**
 * Entries of the log about the Orb itself: only of policies of the platform, for what the Orb is and not for what callers
 * send, and only when its name is public (policy.md §3.4).
 */
export function violationRows(runtime: Runtime, policy: RunPolicy, record: ReceiptRecord): readonly NewViolation[] {
  if (runtime.published.version(record.orb.id)?.manifestDigest !== record.orb.manifest_digest) return [];
  const prefix = `${runtime.settings.platformNamespace}/`;
  return decisionOf(policy)
    .violations.filter(({ rule, isAboutOrb }) => isAboutOrb && rule.startsWith(prefix))
    .map((violation) => violationRow(violation, record));
}
