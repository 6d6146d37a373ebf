import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { HOLE, type SharedText } from '../../core/json/shared-text.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import type { UsedException } from '../../core/policy/decision/decision.ts';
import { listObligations } from '../../core/policy/decision/obligations.ts';
import type { PolicySet } from '../../core/policy/decision/policy-set.ts';
import { FACTS_SCHEMA } from '../../core/policy/facts/orb-facts.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import { denialJson, rulesJson } from './policy-json.ts';
import type { RunPolicy } from './run-policy.ts';

const exceptionJson = ({ policy, exception }: UsedException): JsonObject => {
  const { orb = '', caller = '', rule, until, reason } = exception;
  return { policy, orb, caller, rule, until, reason };
};

/** Texts that policies made of inputs are shown: no known form of a secret of the vault stays in them. */
const shown = ({ redactor }: CompiledOrbiset, json: JsonObject): JsonValue => redactor.json(json).value;

/** A run as its record names it. */
export interface RecordedRun {
  readonly runId: string;
  readonly orbiset: CompiledOrbiset;
  /** Of its snapshots, as its receipt says it. */
  readonly factsDigest: string;
}

/** Members of a record that differ from run to run. */
interface OwnMembers {
  readonly decisionId: string;
  readonly at: string;
  readonly runId: string;
  readonly orbiset: string;
  readonly orbId: string;
  readonly caller: string;
  readonly factsDigest: string;
  readonly decidedUs: number | string;
}

const ALL_HOLES: OwnMembers = {
  decisionId: HOLE,
  at: HOLE,
  runId: HOLE,
  orbiset: HOLE,
  orbId: HOLE,
  caller: HOLE,
  factsDigest: HOLE,
  decidedUs: HOLE,
};

function membersOf({ set, phases, decided }: RunPolicy, own: OwnMembers): JsonObject {
  return {
    decision_id: own.decisionId,
    at: own.at,
    run_id: own.runId,
    orbiset: own.orbiset,
    orb_id: own.orbId,
    caller: own.caller,
    phase: decided.phase,
    provider: decided.provider,
    decision: decided.decision,
    default_used: phases.some(({ decision }) => decision.defaultUsed),
    policy_set_digest: set.digest,
    engine: CEL_ENGINE.id,
    facts_schema: FACTS_SCHEMA,
    facts_digest: own.factsDigest,
    shadow: decided.shadow,
    decided_us: own.decidedUs,
  };
}

const NO_LISTS: Lists = { rules: [], denials: [], obligations: [], exceptions_used: [] };

interface SharedRecord {
  /** What it was decided of. */
  readonly decided: RunPolicy['decided'];
  readonly defaultUsed: boolean;
  readonly text: string;
}

const sharedRecords = new WeakMap<PolicySet, SharedRecord>();

const isSameDecided = (one: RunPolicy['decided'], other: RunPolicy['decided']): boolean =>
  one.phase === other.phase &&
  one.provider === other.provider &&
  one.decision === other.decision &&
  one.shadow.decision === other.shadow.decision &&
  one.shadow.differs === other.shadow.differs;

/** The record of a run that no rule says something about, with holes. Most runs of a set have the same one. */
function sharedRecord(policy: RunPolicy): string {
  const { set, decided, phases } = policy;
  const defaultUsed = phases.some(({ decision }) => decision.defaultUsed);
  const kept = sharedRecords.get(set);
  if (kept?.defaultUsed === defaultUsed && isSameDecided(kept.decided, decided)) return kept.text;
  const whole = JSON.stringify({ ...membersOf(policy, ALL_HOLES), ...NO_LISTS });
  const text = whole.replaceAll(JSON.stringify(HOLE), HOLE);
  sharedRecords.set(set, { decided, defaultUsed, text });
  return text;
}

const isSilent = ({ phases, decided, bound }: RunPolicy): boolean =>
  decided.denials.length === 0 &&
  phases.every(({ decision: { rules, exceptionsUsed } }) => rules.length === 0 && exceptionsUsed.length === 0) &&
  Object.keys(bound).length === 0;

/** The record of a decision as JSON text (policy.md §3.4). */
export function decisionJson(
  policy: RunPolicy,
  { runId, orbiset, factsDigest: digest }: RecordedRun,
): string | SharedText {
  const { phases, counted, decided, bound } = policy;
  const own: OwnMembers = {
    decisionId: policy.decisionId,
    at: new Date(policy.startedAt).toISOString(),
    runId,
    orbiset: counted.orbiset,
    orbId: counted.orbId,
    caller: counted.caller,
    factsDigest: digest,
    decidedUs: Math.round(phases.reduce((sum, { tookMs }) => sum + tookMs, 0) * 1000),
  };
  if (isSilent(policy))
    return {
      shared: sharedRecord(policy),
      own: [
        `"${own.decisionId}"`,
        `"${own.at}"`,
        JSON.stringify(own.runId),
        JSON.stringify(own.orbiset),
        JSON.stringify(own.orbId),
        JSON.stringify(own.caller),
        JSON.stringify(own.factsDigest),
        String(own.decidedUs),
      ],
    };
  const json = membersOf(policy, own);
  const lists = {
    rules: rulesJson(phases),
    denials: decided.denials.map((denial) => ({ ...denialJson(denial), message: denial.message })),
    obligations: listObligations(bound),
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
