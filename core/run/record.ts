import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { CHECK_ORDER, CHECK_WEIGHTS, type CommitmentRecord, type ReceiptRecord } from '../receipt/record.ts';
import { isoTime } from '../time/iso-time.ts';
import { scoreOf } from '../trust/score.ts';
import { checksOf, type CheckFacts } from './checks.ts';
import { EMPTY_POLICY, parsePolicyRecord, type PolicyRecord } from './policy-record.ts';
import type { PublishedFacts } from './published.ts';

/** The facts about a run that are fixed when it starts. The sweeper knows only these. JSON-safe. */
export interface RunSeed extends PublishedFacts {
  readonly run_id: string;
  readonly tenant: string;
  readonly orb_id: string;
  readonly orb_namespace: string;
  readonly manifest_digest: string;
  readonly irreversible: boolean;
  readonly slo_ms: number;
  readonly anonymous: boolean;
  readonly has_inputs: boolean;
  readonly has_outputs: boolean;
  readonly input: CommitmentRecord;
  readonly started_at: number;
  /** Absent: the tenant had no policies. */
  readonly policy?: PolicyRecord;
}

/** The facts about a run that are known when it ends. */
export interface RunEnding extends Omit<
  CheckFacts,
  'sloMs' | 'hasInputs' | 'hasOutputs' | 'policy' | keyof PublishedFacts
> {
  /** When the answer changed what the seed says; else absent. */
  readonly policy?: PolicyRecord;
  readonly output: CommitmentRecord | null;
  /** Ms since epoch. */
  readonly finishedAt: number;
}

/** Facts of a receipt that do not come from its run. */
export interface RecordContext {
  readonly issuer: string;
  readonly receiptId: string;
  /** Ms since epoch. */
  readonly issuedAt: number;
  readonly callerTag: string;
}

/** The closed record of one run (trust.md §1.1), scored by section 4. */
export function recordOf(seed: RunSeed, ending: RunEnding, context: RecordContext): ReceiptRecord {
  const { slo_ms: sloMs, has_inputs: hasInputs, has_outputs: hasOutputs } = seed;
  const { manifest, standing } = seed;
  const policy = ending.policy ?? seed.policy ?? EMPTY_POLICY;
  const checks = checksOf({ ...ending, sloMs, hasInputs, hasOutputs, manifest, standing, policy: policy.check });
  const violations = policy.record.violations.map((violation) => violation.severity);
  const score = scoreOf({ checks, violations, irreversible: seed.irreversible });
  const finishedAt = isoTime(ending.finishedAt);
  return {
    schema: `${context.issuer}/schemas/receipt/v1`,
    receipt_id: context.receiptId,
    issuer: context.issuer,
    issued_at: context.issuedAt === ending.finishedAt ? finishedAt : isoTime(context.issuedAt),
    orb: { id: seed.orb_id, manifest_digest: seed.manifest_digest, irreversible: seed.irreversible },
    execution: {
      run_id: seed.run_id,
      outcome: ending.outcome,
      closed_by: ending.closedBy,
      started_at: isoTime(seed.started_at),
      finished_at: finishedAt,
      duration_ms: ending.durationMs,
      slo_ms: seed.slo_ms,
      attempts: ending.attempts,
    },
    caller: { tag: context.callerTag, self: seed.self },
    input: seed.input,
    output: ending.output,
    policy: policy.record,
    checks: CHECK_ORDER.map((id) => ({ id, weight: CHECK_WEIGHTS[id], result: checks[id] })),
    trust_score: score.trust_score,
    risk_level: score.risk_level,
    scoring: 'orb-trust/1',
    parent_receipt_id: null,
  };
}

function parseCommitment(value: JsonValue | undefined): CommitmentRecord | undefined {
  if (!isJsonObject(value)) return undefined;
  const { commitment, media_type: mediaType, size_bytes: size } = value;
  return typeof commitment === 'string' && typeof mediaType === 'string' && typeof size === 'number'
    ? { commitment, media_type: mediaType, size_bytes: size }
    : undefined;
}

const SHAPE: Readonly<
  Record<Exclude<keyof RunSeed, 'input' | 'manifest' | 'standing' | 'policy'>, 'string' | 'number' | 'boolean'>
> = {
  run_id: 'string',
  tenant: 'string',
  orb_id: 'string',
  orb_namespace: 'string',
  manifest_digest: 'string',
  irreversible: 'boolean',
  slo_ms: 'number',
  self: 'boolean',
  anonymous: 'boolean',
  has_inputs: 'boolean',
  has_outputs: 'boolean',
  started_at: 'number',
};

const hasShape = (
  value: JsonObject,
): value is JsonObject & Omit<RunSeed, 'input' | 'manifest' | 'standing' | 'policy'> =>
  Object.entries(SHAPE).every(([name, type]) => typeof value[name] === type);

/** Runs that an older program started were of Orbs that nobody could publish. */
function publishedChecks({ manifest, standing }: JsonObject): Pick<RunSeed, 'manifest' | 'standing'> {
  return {
    manifest: manifest === 'fail' ? 'fail' : 'pass',
    standing: standing === 'pass' || standing === 'unknown' ? standing : 'fail',
  };
}

/** Reads a seed back from its ledger row. @returns undefined when the row is not one of ours */
export function parseRunSeed(value: JsonObject): RunSeed | undefined {
  const input = parseCommitment(value['input']);
  if (input === undefined || !hasShape(value)) return undefined;
  const { policy: stored, ...seed } = value;
  const policy = parsePolicyRecord(stored);
  if (stored !== undefined && policy === undefined) return undefined;
  return { ...seed, ...publishedChecks(value), input, ...(policy === undefined ? {} : { policy }) };
}
