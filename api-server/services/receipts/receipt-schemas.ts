import type { JsonSchema } from '../../http/operation.ts';
import { closed, shapes } from '../../http/schemas.ts';
import { SWAP_REASONS, SWAP_RULES } from '../../../core/receipt/swap-record.ts';

const orNull = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: 'null' }] });
const commitment = closed({
  commitment: shapes.digest,
  media_type: { type: 'string' },
  size_bytes: { type: 'integer', minimum: 0 },
});
const milliseconds = { type: 'integer', minimum: 0 } as const;

/** The record of trust.md §1.1. It shows the stored bytes, so an older or damaged record may be null. */
const record = closed({
  schema: { type: 'string' },
  receipt_id: shapes.receiptId,
  issuer: { type: 'string', pattern: '^https://' },
  issued_at: shapes.time,
  orb: closed({ id: shapes.orbId, manifest_digest: shapes.digest, irreversible: { type: 'boolean' } }),
  execution: closed({
    run_id: shapes.runId,
    outcome: shapes.outcome,
    closed_by: { type: 'string', enum: ['runtime', 'sweeper'] },
    started_at: shapes.time,
    finished_at: shapes.time,
    duration_ms: milliseconds,
    slo_ms: milliseconds,
    attempts: { type: 'array', maxItems: 16, items: { $ref: '#/components/schemas/Attempt' } },
  }),
  caller: closed({ tag: { type: 'string', pattern: '^ct_[0-9a-f]{16}$' }, self: { type: 'boolean' } }),
  input: commitment,
  output: orNull(commitment),
  policy: closed({
    set_digest: shapes.digest,
    facts_schema: { type: 'string' },
    facts_digest: shapes.digest,
    decision: { type: 'string', enum: ['allow', 'deny'] },
    violations: { type: 'array', items: closed({ rule: { type: 'string' }, severity: shapes.riskLevel }) },
  }),
  checks: {
    type: 'array',
    items: closed({
      id: { type: 'string' },
      weight: { type: 'integer', minimum: 0 },
      result: { type: 'string', enum: ['pass', 'fail', 'unknown', 'not_applicable'] },
    }),
  },
  trust_score: shapes.score,
  risk_level: shapes.riskLevel,
  scoring: { const: 'orb-trust/1' },
  parent_receipt_id: orNull(shapes.receiptId),
});

const summary = {
  receipt_id: shapes.receiptId,
  trust_score: orNull(shapes.score),
  risk_level: orNull(shapes.riskLevel),
  signature_valid: { type: 'boolean', description: 'Computed on every read.' },
  timestamp: shapes.time,
} as const;

/** Members of every receipt beside its summary and record. */
const receiptState = {
  jws: { type: 'string' },
  log: orNull(
    closed({
      origin: { type: 'string' },
      index: { type: 'integer', minimum: 0 },
      tree_size: { type: 'integer', minimum: 1 },
      proof_url: { type: 'string', pattern: '^/receipts/' },
    }),
  ),
  verification: closed({
    verdict: { type: 'string', enum: ['valid', 'tampered', 'untrusted', 'undecidable'] },
    code: { type: 'string' },
    checks: {
      type: 'array',
      minItems: 1,
      items: closed({ id: { type: 'string' }, ok: { type: ['boolean', 'null'] } }),
    },
    key: orNull(closed({ kid: { type: 'string' }, status: { type: 'string' } })),
    verified_at: shapes.time,
  }),
} as const;

/** Answer of `GET /receipts/{receipt_id}` as `application/json`: the receipt of a run. */
export const receiptSchema = closed({
  ...summary,
  record: { anyOf: [record, { type: 'object', description: 'Of a damaged record.' }, { type: 'null' }] },
  ...receiptState,
});

/** … as `application/vnd.orb.bundle+json`. */
export const bundleSchema = closed({
  format: { const: 'orb-bundle/1' },
  jws: { type: 'string' },
  tlog_proof: { type: ['string', 'null'], description: 'Null while pending.' },
  keys_jws: shapes.jws,
});

/** Answer of `GET /receipts`. */
export const receiptListSchema = closed({
  items: {
    type: 'array',
    maxItems: 200,
    items: closed({ ...summary, orb_id: shapes.orbId, outcome: shapes.outcome }),
  },
  next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
});

const count = { type: 'integer', minimum: 0 } as const;
const provider = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;

/** The record of failover.md §10. */
const swapRecord = closed({
  schema: { type: 'string' },
  receipt_id: shapes.receiptId,
  issuer: { type: 'string', pattern: '^https://' },
  issued_at: shapes.time,
  orb: closed({ id: shapes.orbId, manifest_digest: shapes.digest, generation: count }),
  swap: closed({
    seq: { type: 'integer', minimum: 1 },
    kind: { type: 'string', enum: ['automatic', 'manual'] },
    from: provider,
    to: provider,
    reason: { type: 'string', enum: SWAP_REASONS },
    rule: { type: 'string', enum: SWAP_RULES },
    decided_at: shapes.time,
  }),
  evaluator: closed({ id: { type: 'string' }, instance: { type: 'string' }, epoch: count }),
  actor: orNull(
    closed({
      id: { type: ['string', 'null'] },
      reason: { type: ['string', 'null'] },
      mode: { enum: ['soft', 'hard', 'once', null] },
      expires_at: orNull(shapes.time),
      swap_id: { type: ['string', 'null'] },
    }),
  ),
  evidence: orNull({
    type: 'object',
    description: 'What it was decided on; orb verify --explain decides on it again.',
  }),
  previous_receipt_id: orNull(shapes.receiptId),
});

/** Answer of `GET /receipts/{receipt_id}` as `application/json`: the receipt of a swap. */
export const swapReceiptSchema = closed({
  kind: { const: 'swap' },
  receipt_id: shapes.receiptId,
  signature_valid: { type: 'boolean', description: 'Computed on every read.' },
  timestamp: shapes.time,
  record: { anyOf: [swapRecord, { type: 'object', description: 'Of a damaged record.' }, { type: 'null' }] },
  ...receiptState,
});
