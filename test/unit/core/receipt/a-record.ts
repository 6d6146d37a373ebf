import fc from 'fast-check';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import type { ReceiptRecord } from '../../../../core/receipt/record.ts';
import { isReceiptRecord } from '../../../../core/receipt/record-schema.ts';
import vectors from '../../../vectors/receipt.json' with { type: 'json' };

/** A record of the vectors: a success with one attempt. */
export function aRecord(): JsonObject & ReceiptRecord {
  const value: unknown = structuredClone(vectors.sign_cases[0]?.record);
  if (!isJsonObject(value) || !isReceiptRecord(value)) throw new Error('the vectors have no record');
  return value;
}

/** A copy with the value at a path replaced; undefined removes it. */
export function changed(value: JsonValue, path: readonly (string | number)[], to: JsonValue | undefined): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return to ?? null;
  if (!isJsonObject(value)) {
    const items: readonly JsonValue[] = Array.isArray(value) ? value : [];
    const copy = items.map((item, index) => (index === step ? changed(item, rest, to) : item));
    return step === items.length ? [...copy, changed(null, rest, to)] : copy;
  }
  const others = Object.entries(value).filter(([name]) => name !== step);
  if (rest.length === 0 && to === undefined) return Object.fromEntries(others);
  return Object.fromEntries([...others, [String(step), changed(value[String(step)] ?? null, rest, to)]]);
}

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: digits, maxLength: digits });
const digest = hex(64).map((text) => `sha256:${text}`);
const uuid = fc
  .tuple(hex(8), hex(4), hex(3), fc.constantFrom('8', '9', 'a', 'b'), hex(3), hex(12))
  .map(([a, b, c, v, d, e]) => `${a}-${b}-7${c}-${v}${d}-${e}`);
const time = fc
  .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const count = fc.maxSafeNat();
/** Any text of the profile: well formed, NFC, not empty; control characters, quotes and emojis among them. */
const text = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 40 })
  .map((value) => value.normalize('NFC'))
  .filter((value) => value.length <= 255);
const severity = fc.constantFrom('low' as const, 'medium' as const, 'high' as const, 'critical' as const);
const commitment = fc.record({ commitment: digest, media_type: text, size_bytes: count });
const attempt = fc.record({
  provider: fc.constantFrom('main', 'a.b_c-1'),
  outcome: fc.constantFrom('success' as const, 'error' as const, 'rate_limited' as const, 'blocked' as const),
  http_status: fc.option(fc.integer({ min: 100, max: 599 })),
  duration_ms: count,
});

/** Any record of the closed schema. */
export const anyRecord: fc.Arbitrary<ReceiptRecord> = fc
  .record({
    receipt: uuid,
    run: uuid,
    times: fc.tuple(time, time, time),
    orb: fc.record({
      id: fc.constantFrom('a.b@1.0.0', 'acme.Send-Mail.v2@1.2.3-rc.1+b7'),
      manifest_digest: digest,
      irreversible: fc.boolean(),
    }),
    attempts: fc.array(attempt, { maxLength: 16 }),
    numbers: fc.tuple(count, fc.integer({ min: 1, max: 120_000 }), fc.integer({ min: 0, max: 100 })),
    caller: fc.record({ tag: hex(16).map((tag) => `ct_${tag}`), self: fc.boolean() }),
    input: commitment,
    output: fc.option(commitment),
    policy: fc.record({
      set_digest: digest,
      facts_schema: text,
      facts_digest: digest,
      decision: fc.constantFrom('allow' as const, 'deny' as const),
      violations: fc.array(fc.record({ rule: text, severity }), { maxLength: 3 }),
    }),
    results: fc.array(fc.constantFrom('pass' as const, 'fail' as const, 'unknown' as const), {
      minLength: 8,
      maxLength: 8,
    }),
    risk_level: severity,
    parent: fc.option(uuid),
  })
  .map(({ receipt, run, times, numbers, results, attempts, parent, ...rest }) => ({
    ...aRecord(),
    orb: rest.orb,
    caller: rest.caller,
    input: rest.input,
    output: rest.output,
    policy: rest.policy,
    risk_level: rest.risk_level,
    receipt_id: `rcpt_${receipt}`,
    issued_at: times[0],
    execution: {
      run_id: `run_${run}`,
      outcome: 'success',
      closed_by: 'runtime',
      started_at: times[1],
      finished_at: times[2],
      duration_ms: numbers[0],
      slo_ms: numbers[1],
      attempts,
    },
    checks: aRecord().checks.map((check, index) => ({ ...check, result: results[index] ?? 'pass' })),
    trust_score: numbers[2],
    parent_receipt_id: parent === null ? null : `rcpt_${parent}`,
  }));
