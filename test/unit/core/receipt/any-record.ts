import fc from 'fast-check';
import type {
  AttemptRecord,
  CheckRecord,
  CommitmentRecord,
  ReceiptRecord,
  Severity,
} from '../../../../core/receipt/record.ts';
import { CHECK_ORDER, CHECK_WEIGHTS } from '../../../../core/trust/score.ts';

const hex = (digits: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });
const digest = hex(64).map((digits) => `sha256:${digits}`);
const id = (prefix: string): fc.Arbitrary<string> =>
  fc
    .tuple(hex(8), hex(4), hex(3), fc.constantFrom('8', '9', 'a', 'b'), hex(3), hex(12))
    .map(([a, b, c, variant, d, e]) => `${prefix}${a}-${b}-7${c}-${variant}${d}-${e}`);
const time = fc
  .date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString());
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength })
    .map((raw) => raw.normalize('NFC'))
    .filter((nfc) => nfc.length > 0 && nfc.length <= maxLength);
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const natural = fc.maxSafeNat();
const severity: fc.Arbitrary<Severity> = fc.constantFrom('low', 'medium', 'high', 'critical');

const commitment: fc.Arbitrary<CommitmentRecord> = fc.record({
  commitment: digest,
  media_type: text(40),
  size_bytes: natural,
});

const attempt: fc.Arbitrary<AttemptRecord> = fc.record({
  provider: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
  outcome: fc.constantFrom('success', 'error', 'timeout', 'rate_limited', 'client_error', 'cancelled', 'blocked'),
  http_status: fc.option(fc.integer({ min: 100, max: 599 })),
  duration_ms: natural,
});

const checks: fc.Arbitrary<readonly CheckRecord[]> = fc
  .array(fc.constantFrom('pass', 'fail', 'unknown', 'not_applicable'), { minLength: 8, maxLength: 8 })
  .map((results) =>
    CHECK_ORDER.map((check, index) => ({ id: check, weight: CHECK_WEIGHTS[check], result: results[index] ?? 'pass' })),
  );

/** Any record of trust.md §1.1; score and risk are of the right type, they need not follow from the rest. */
export const anyRecord: fc.Arbitrary<ReceiptRecord> = fc.record({
  schema: fc.constant('https://orbs.example/schemas/receipt/v1'),
  receipt_id: id('rcpt_'),
  issuer: fc.constant('https://orbs.example'),
  issued_at: time,
  orb: fc.record({
    id: fc.tuple(word, word, fc.nat(999)).map(([org, name, major]) => `${org}.${name}@${major}.0.0`),
    manifest_digest: digest,
    irreversible: fc.boolean(),
  }),
  execution: fc.record({
    run_id: id('run_'),
    outcome: fc.constantFrom('success', 'orb_error', 'timeout', 'policy_denied', 'caller_error', 'platform_error'),
    closed_by: fc.constantFrom('runtime', 'sweeper'),
    started_at: time,
    finished_at: time,
    duration_ms: natural,
    slo_ms: fc.integer({ min: 1, max: 120_000 }),
    attempts: fc.array(attempt, { maxLength: 16 }),
  }),
  caller: fc.record({ tag: hex(16).map((digits) => `ct_${digits}`), self: fc.boolean() }),
  input: commitment,
  output: fc.option(commitment),
  policy: fc.record({
    set_digest: digest,
    facts_schema: text(20),
    facts_digest: digest,
    decision: fc.constantFrom('allow', 'deny'),
    violations: fc.array(fc.record({ rule: text(40), severity }), { maxLength: 3 }),
  }),
  checks,
  trust_score: fc.integer({ min: 0, max: 100 }),
  risk_level: severity,
  scoring: fc.constant('orb-trust/1'),
  parent_receipt_id: fc.option(id('rcpt_')),
});
