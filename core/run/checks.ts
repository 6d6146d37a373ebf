import type { AttemptRecord, CheckResult, CheckId, RunOutcome } from '../receipt/record.ts';
import type { PublishedFacts } from './published.ts';

/** Facts about a run when it ends, enough for the eight checks of trust.md §4. */
export interface CheckFacts extends Pick<PublishedFacts, 'manifest' | 'standing'> {
  readonly outcome: RunOutcome;
  readonly closedBy: 'runtime' | 'sweeper';
  readonly durationMs: number;
  readonly sloMs: number;
  readonly attempts: readonly AttemptRecord[];
  /** `anonymous`: the manifest needs no key, and the caller sent none. */
  readonly caller: 'valid' | 'revoked-or-expired' | 'unknown' | 'anonymous';
  readonly hasInputs: boolean;
  readonly hasOutputs: boolean;
  readonly outputsComplete: boolean;
  /** What policies decided (policy.md §3.4). */
  readonly policy: Extract<CheckResult, 'pass' | 'fail' | 'unknown'>;
  /** An attempt used an allow rule of the dialer. */
  readonly exception: boolean;
  /** Wall clock and monotonic clock disagree about the duration. */
  readonly clockStepped: boolean;
}

const passIf = (good: boolean): CheckResult => (good ? 'pass' : 'fail');

const callerAuth = {
  valid: 'pass',
  'revoked-or-expired': 'fail',
  unknown: 'unknown',
  anonymous: 'not_applicable',
} as const;

function outputSchema(facts: CheckFacts): CheckResult {
  if (!facts.hasOutputs || facts.outcome === 'policy_denied') return 'not_applicable';
  if (facts.closedBy === 'sweeper') return 'unknown';
  return passIf(facts.outputsComplete);
}

function isolation(facts: CheckFacts): CheckResult {
  if (facts.attempts.some((attempt) => attempt.outcome === 'blocked')) return 'fail';
  return facts.exception || facts.closedBy === 'sweeper' ? 'unknown' : 'pass';
}

function slo(facts: CheckFacts): CheckResult {
  if (facts.outcome === 'policy_denied') return 'not_applicable';
  if (facts.closedBy === 'sweeper' || facts.clockStepped) return 'unknown';
  return passIf(facts.outcome === 'success' && facts.durationMs <= facts.sloMs);
}

/** The eight checks of a run (trust.md §4). `input_schema` passes because a request that does not fit never starts a run. */
export function checksOf(facts: CheckFacts): Readonly<Record<CheckId, CheckResult>> {
  return {
    manifest: facts.manifest,
    caller_auth: callerAuth[facts.caller],
    policy: facts.policy,
    input_schema: facts.hasInputs ? 'pass' : 'not_applicable',
    output_schema: outputSchema(facts),
    isolation: isolation(facts),
    slo: slo(facts),
    standing: facts.standing,
  };
}
