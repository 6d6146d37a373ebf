import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type {
  AttemptRecord,
  CheckId,
  CheckResult,
  CommitmentRecord,
  ReceiptRecord,
  RunOutcome,
} from '../receipt/record.ts';
import { CHECK_ORDER, CHECK_WEIGHTS, scoreOf } from '../trust/score.ts';

/** What is fixed about a run when it starts; the sweeper has no more than this. JSON-safe. */
export interface RunSeed {
  readonly run_id: string;
  readonly tenant: string;
  readonly orb_id: string;
  readonly orb_namespace: string;
  readonly manifest_digest: string;
  readonly irreversible: boolean;
  readonly slo_ms: number;
  readonly self: boolean;
  readonly anonymous: boolean;
  readonly has_inputs: boolean;
  readonly has_outputs: boolean;
  readonly input: CommitmentRecord;
  readonly started_at: number;
}

/** What is known when it ends. */
export interface RunEnding {
  readonly outcome: RunOutcome;
  readonly closedBy: 'runtime' | 'sweeper';
  /** Ms since epoch. */
  readonly finishedAt: number;
  readonly issuedAt: number;
  readonly durationMs: number;
  readonly attempts: readonly AttemptRecord[];
  readonly output: CommitmentRecord | null;
  readonly checks: Readonly<Record<CheckId, CheckResult>>;
  readonly callerTag: string;
  readonly receiptId: string;
}

/** What every receipt of this ledger shares. */
export interface RecordContext {
  readonly issuer: string;
  readonly policy: ReceiptRecord['policy'];
}

const time = (ms: number): string => new Date(ms).toISOString();
/** The closed record of one run (trust.md §1.1), scored by section 4. */
export function recordOf(seed: RunSeed, ending: RunEnding, context: RecordContext): ReceiptRecord {
  const { checks } = ending;
  const violations = context.policy.violations.map((violation) => violation.severity);
  const score = scoreOf({ checks, violations, irreversible: seed.irreversible });
  return {
    schema: `${context.issuer}/schemas/receipt/v1`,
    receipt_id: ending.receiptId,
    issuer: context.issuer,
    issued_at: time(ending.issuedAt),
    orb: { id: seed.orb_id, manifest_digest: seed.manifest_digest, irreversible: seed.irreversible },
    execution: {
      run_id: seed.run_id,
      outcome: ending.outcome,
      closed_by: ending.closedBy,
      started_at: time(seed.started_at),
      finished_at: time(ending.finishedAt),
      duration_ms: ending.durationMs,
      slo_ms: seed.slo_ms,
      attempts: ending.attempts,
    },
    caller: { tag: ending.callerTag, self: seed.self },
    input: seed.input,
    output: ending.output,
    policy: context.policy,
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

const SHAPE: Readonly<Record<Exclude<keyof RunSeed, 'input'>, 'string' | 'number' | 'boolean'>> = {
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

const hasShape = (value: JsonObject): value is JsonObject & Omit<RunSeed, 'input'> =>
  Object.entries(SHAPE).every(([name, type]) => typeof value[name] === type);

/** Reads a seed back from its ledger row. @returns undefined when the row is not one of ours */
export function parseRunSeed(value: JsonObject): RunSeed | undefined {
  const input = parseCommitment(value['input']);
  return input !== undefined && hasShape(value) ? { ...value, input } : undefined;
}
