import { SWAP_REASONS, SWAP_RULES } from '../../../core/receipt/swap-record.ts';
import { closed, shapes } from '../../http/schemas.ts';
import { orNull, receiptState } from './receipt-schemas.ts';

const count = { type: 'integer', minimum: 0 } as const;
const provider = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;

/** The record of failover.md §10. */
const record = closed({
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
  record: { anyOf: [record, { type: 'object', description: 'Of a damaged record.' }, { type: 'null' }] },
  ...receiptState,
});
