import {
  CHECK_ORDER,
  CHECK_WEIGHTS,
  type CheckId,
  type CheckResult,
  type ReceiptRecord,
  type RiskLevel,
  type Severity,
} from '../receipt/record.ts';

export interface ScoreInput {
  readonly checks: Readonly<Record<CheckId, CheckResult>>;
  /** Severities of the policy's violations. */
  readonly violations: readonly Severity[];
  readonly irreversible: boolean;
}

/** Higher score = lower risk. */
export interface Score {
  /** Integer, 0–100. */
  readonly trust_score: number;
  readonly risk_level: RiskLevel;
}

const LEVELS: readonly RiskLevel[] = ['low', 'medium', 'high', 'critical'];

const sum = (ids: readonly CheckId[]): number => ids.reduce((total, id) => total + CHECK_WEIGHTS[id], 0);

/** Largest score that a failed check allows. */
const CAPS: readonly (readonly [CheckId, number])[] = [
  ['manifest', 0],
  ['policy', 29],
  ['isolation', 29],
  ['caller_auth', 59],
];

function points(checks: ScoreInput['checks']): number {
  const applicable = sum(CHECK_ORDER.filter((id) => checks[id] !== 'not_applicable'));
  const passed = sum(CHECK_ORDER.filter((id) => checks[id] === 'pass'));
  const raw = applicable === 0 ? 0 : Math.floor((100 * passed) / applicable);
  const caps = CAPS.filter(([id]) => checks[id] === 'fail').map(([, cap]) => cap);
  return Math.min(raw, ...caps);
}

function level(score: number): number {
  if (score >= 85) return 0;
  if (score >= 60) return 1;
  return score >= 30 ? 2 : 3;
}

/** Trust score and risk level of a run (`orb-trust/1`, trust.md §4). Pure and total. */
export function scoreOf({ checks, violations, irreversible }: ScoreInput): Score {
  const score = points(checks);
  const worst = Math.max(level(score), ...violations.map((severity) => LEVELS.indexOf(severity)));
  const raised = irreversible && score < 85 ? Math.min(worst + 1, 3) : worst;
  return { trust_score: score, risk_level: LEVELS[raised] ?? 'critical' };
}

/** The score that a record must have: it follows from the record's own checks, violations and effect. */
export function scoreOfRecord(record: Pick<ReceiptRecord, 'checks' | 'policy' | 'orb'>): Score {
  const result = (id: CheckId): CheckResult => record.checks.find((check) => check.id === id)?.result ?? 'unknown';
  const checks: ScoreInput['checks'] = {
    manifest: result('manifest'),
    caller_auth: result('caller_auth'),
    policy: result('policy'),
    input_schema: result('input_schema'),
    output_schema: result('output_schema'),
    isolation: result('isolation'),
    slo: result('slo'),
    standing: result('standing'),
  };
  const violations = record.policy.violations.map((violation) => violation.severity);
  return scoreOf({ checks, violations, irreversible: record.orb.irreversible });
}
