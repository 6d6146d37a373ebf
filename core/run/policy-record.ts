import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import type { CheckResult, ReceiptRecord, Severity } from '../receipt/record.ts';

// SHA-256 of `[]`, the JCS of an empty array: an empty policy set, no facts recorded (policy.md §3.4, §4).
const EMPTY_ARRAY_DIGEST = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';

/** What policies decided about a run, as its receipt says it. JSON-safe. */
export interface PolicyRecord {
  readonly record: ReceiptRecord['policy'];
  /** The check `policy`: `unknown` when an enforced rule failed and its policy ignores failures. */
  readonly check: Extract<CheckResult, 'pass' | 'fail' | 'unknown'>;
}

/** The decision of an empty policy set: it allows, and records that nothing was evaluated. */
export const EMPTY_POLICY: PolicyRecord = {
  record: {
    set_digest: EMPTY_ARRAY_DIGEST,
    facts_schema: 'orb-facts/1',
    facts_digest: EMPTY_ARRAY_DIGEST,
    decision: 'allow',
    violations: [],
  },
  check: 'pass',
};

const SEVERITIES: readonly string[] = ['low', 'medium', 'high', 'critical'] satisfies readonly Severity[];
const isSeverity = (value: JsonValue | undefined): value is Severity =>
  typeof value === 'string' && SEVERITIES.includes(value);

type Violation = ReceiptRecord['policy']['violations'][number];

function violationsIn(value: JsonValue | undefined): readonly Violation[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const violations = value.flatMap((item: JsonValue): readonly Violation[] => {
    if (!isJsonObject(item)) return [];
    const { rule, severity } = item;
    return typeof rule === 'string' && isSeverity(severity) ? [{ rule, severity }] : [];
  });
  return violations.length === value.length ? violations : undefined;
}

function recordIn(value: JsonObject): ReceiptRecord['policy'] | undefined {
  const { set_digest, facts_schema, facts_digest, decision } = value;
  const violations = violationsIn(value['violations']);
  if (violations === undefined || (decision !== 'allow' && decision !== 'deny')) return undefined;
  return typeof set_digest === 'string' && typeof facts_schema === 'string' && typeof facts_digest === 'string'
    ? { set_digest, facts_schema, facts_digest, decision, violations }
    : undefined;
}

/** Reads what a seed says about policies. @returns undefined: it is nothing that this program wrote */
export function parsePolicyRecord(value: JsonValue | undefined): PolicyRecord | undefined {
  if (!isJsonObject(value) || !isJsonObject(value['record'])) return undefined;
  const { check } = value;
  const record = recordIn(value['record']);
  if (record === undefined || (check !== 'pass' && check !== 'fail' && check !== 'unknown')) return undefined;
  return { record, check };
}
