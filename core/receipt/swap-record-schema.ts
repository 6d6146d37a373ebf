import { encodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { closed, digest, httpsOrigin, integer, nullable, oneOf, text, time } from '../json/shape.ts';
import { isReceiptId } from './ids.ts';
import { orbId } from './record-schema.ts';
import { schemaIsOfIssuer } from './schema-name.ts';
import { isSwapEvidence, providerName } from './swap-evidence-schema.ts';
import { SWAP_REASONS, SWAP_RULES, type SwapReceipt } from './swap-record.ts';

/** Largest payload of a swap receipt, bytes of UTF-8 (failover.md §10). */
export const MAX_SWAP_BYTES = 4096;

const MAX = Number.MAX_SAFE_INTEGER;
const receiptId = (value: JsonValue): boolean => typeof value === 'string' && isReceiptId(value);

const actor = closed({
  id: nullable(text(320)),
  reason: nullable(text(256)),
  mode: oneOf('soft', 'hard', 'once', null),
  expires_at: nullable(time),
  swap_id: nullable(text(128)),
});

const members = closed({
  schema: text(512),
  receipt_id: receiptId,
  issuer: httpsOrigin,
  issued_at: time,
  orb: closed({ id: orbId, manifest_digest: digest, generation: integer(0, MAX) }),
  swap: closed({
    seq: integer(1, MAX),
    kind: oneOf('automatic', 'manual'),
    from: providerName,
    to: providerName,
    reason: oneOf(...SWAP_REASONS),
    rule: oneOf(...SWAP_RULES),
    decided_at: time,
  }),
  evaluator: closed({ id: text(128), instance: text(253), epoch: integer(0, MAX) }),
  actor: nullable(actor),
  evidence: nullable(isSwapEvidence),
  previous_receipt_id: nullable(receiptId),
});

/** A manual swap names its actor, an automatic swap has no actor. */
const kindFits = ({ swap, actor: who }: JsonObject & SwapReceipt): boolean =>
  (swap.kind === 'manual') === (swap.reason === 'manual') && (swap.kind === 'manual') === (who !== null);

const hasMembers = (value: JsonObject): value is JsonObject & SwapReceipt =>
  members(value) && schemaIsOfIssuer(value, 'swap-receipt');

/**
 * Whether a payload is a `swap-receipt/v1` record (failover.md §10): a closed object whose schema belongs to its
 * issuer.
 */
export const isSwapReceipt = (value: JsonObject): value is JsonObject & SwapReceipt =>
  hasMembers(value) && kindFits(value) && encodeUtf8(jcs(value)).length <= MAX_SWAP_BYTES;
