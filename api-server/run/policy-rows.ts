import type { NewDecision, NewFacts, NewViolation, RunStart } from '../../adapters/ledger/port.ts';
import { entryText } from '../../core/log-entry/entry.ts';
import type { Violation } from '../../core/policy/decision/decision.ts';
import { FACTS_SCHEMA } from '../../core/policy/facts/orb-facts.ts';
import { factsDigest } from '../../core/policy/facts/snapshot.ts';
import type { ReceiptRecord } from '../../core/receipt/record.ts';
import type { PolicyRecord } from '../../core/run/policy-record.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { decisionJson, type RecordedRun } from './decision-record.ts';
import type { RunPolicy } from './run-policy.ts';
import type { SealedRun } from './seal-run.ts';

const DAY_MS = 86_400_000;

/** What the receipt of the run says about policies (trust.md §1.1, policy.md §3.4). */
export function policyRecord(policy: RunPolicy): PolicyRecord {
  const { decision, violations, check } = policy.decided;
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

/** Policies with a rule in the record. */
const policiesIn = ({ phases }: RunPolicy): readonly string[] =>
  [...new Set(phases.flatMap(({ decision }) => decision.rules.map(({ policy }) => policy)))].toSorted();

function approvalsOf({ decided, bound }: RunPolicy): readonly string[] {
  const isOpen = decided.denials.some(({ code }) => code === 'approval-required');
  return isOpen ? (bound.requireApproval ?? []) : [];
}

/** The row of a decision. @param isStarted whether the run started, so that it counts as one of the day */
export function decisionRow(policy: RunPolicy, run: RecordedRun, isStarted: boolean): NewDecision {
  const { counted, decided } = policy;
  const approvals = approvalsOf(policy);
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
    json: decisionJson(policy, run),
  };
}

/** Room for the facts of one phase in the ledger, bytes. */
const MAX_FACTS_BYTES = 262_144;

/**
 * Whether no facts of the run are stored: an obligation says so, or those of a phase have no room, because a caller sent
 * very long names. Some phases without the others would not give the digest of the receipt.
 */
export const leavesNoFacts = ({ bound, snapshots }: RunPolicy): boolean =>
  bound.noStore === true || snapshots.some(({ facts }) => Buffer.byteLength(facts) > MAX_FACTS_BYTES);

function factRows(policy: RunPolicy): readonly NewFacts[] {
  if (leavesNoFacts(policy)) return [];
  return policy.snapshots.map(({ phase, provider, salt, stored }) => ({
    phase,
    provider,
    schema: FACTS_SCHEMA,
    salt,
    facts: stored,
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
export function violationRows(
  { settings }: Runtime,
  policy: RunPolicy,
  { record, isPublic }: Pick<SealedRun, 'record' | 'isPublic'>,
): readonly NewViolation[] {
  if (!isPublic) return [];
  const prefix = `${settings.platformNamespace}/`;
  return policy.decided.violations
    .filter(({ rule, isAboutOrb }) => isAboutOrb && rule.startsWith(prefix))
    .map((violation) => violationRow(violation, record));
}
