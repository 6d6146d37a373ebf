import type { FailoverPin, FailoverStatus, SwapRecord } from '../failover/types.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import { jcs } from '../json/jcs.ts';
import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { fitsProfile } from '../receipt/profile.ts';
import { isSwapEvidence } from '../receipt/swap-evidence-schema.ts';
import { MAX_SWAP_BYTES } from '../receipt/swap-record-schema.ts';
import { type SwapActor, type SwapEvidence, type SwapReceipt } from '../receipt/swap-record.ts';

function parsed(text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Removes the query texts and names them in the list of what was left out. */
function withoutQueries(evidence: SwapEvidence): SwapEvidence {
  const { metrics, replay } = evidence;
  const omitted = [...new Set(['promql', ...replay.omitted] as const)];
  return { ...evidence, metrics: { ...metrics, promql: {} }, replay: { ...replay, omitted } };
}

/**
 * The evidence of a swap in a form that fits its receipt. If it is too large, the texts of the queries are left out;
 * their digest stays.
 * @param text JSON of the status
 * @param record the same without evidence
 * @returns null without evidence, or when it does not fit its schema or profile, or is too large
 */
function fittingEvidence(text: string | null, record: SwapReceipt): SwapEvidence | null {
  const value = text === null ? null : parsed(text);
  if (!isJsonObject(value) || !fitsProfile(value) || !isSwapEvidence(value)) return null;
  const forms = [value, withoutQueries(value)];
  const fits = (evidence: SwapEvidence): boolean => encodeUtf8(jcs({ ...record, evidence })).length <= MAX_SWAP_BYTES;
  return forms.find(fits) ?? null;
}

/** An Orb whose swaps get receipts. */
export interface SwappedOrb {
  /** Namespace of its tenant. */
  readonly namespace: string;
  readonly uid: string;
  readonly orbId: string;
  /** Digest of the running manifest. */
  readonly manifestDigest: string;
  readonly generation: number;
  readonly failover: FailoverStatus;
  /** The current pin. Reason and end of a manual swap are stored only there. */
  readonly pin: FailoverPin | null;
}

/** Values that the writer of a receipt adds. */
export interface ReceiptIssue {
  /** `https://` and an authority. */
  readonly issuer: string;
  /** Ms since epoch. */
  readonly now: number;
  readonly evaluator: { readonly id: string; readonly instance: string };
  /** Id of the last receipt before this swap. */
  readonly previousReceiptId: string | null;
}

const MAX_REASON = 256;
// `sa:`, the longest namespace and the longest name.
const MAX_ACTOR = 320;

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * Free text in the form that a signed document accepts. Each control character takes six bytes there, so many of them
 * would make a swap too large for a receipt.
 */
function signable(text: string | null, most: number): string | null {
  const form = (text ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .normalize('NFC')
    .slice(0, most)
    .toWellFormed();
  return form === '' ? null : form;
}

/** The pin that caused a swap. Null when the pin was replaced since, or when another writer changed it. */
function pinOf(swap: SwapRecord, { pin, failover }: SwappedOrb): FailoverPin | null {
  const { firstSeen } = failover.pin;
  if (pin === null || firstSeen?.id !== pin.id || pin.actor !== swap.actor) return null;
  return swap.at >= firstSeen.at && swap.to === pin.provider ? pin : null;
}

function actorOf(swap: SwapRecord, orb: SwappedOrb): SwapActor | null {
  if (swap.reason !== 'manual') return null;
  const pin = pinOf(swap, orb);
  const id = signable(swap.actor, MAX_ACTOR);
  if (pin === null) return { id, reason: null, mode: null, expires_at: null, swap_id: null };
  const { reason, mode, expiresAt, id: swapId } = pin;
  return { id, reason: signable(reason, MAX_REASON), mode, expires_at: isoTime(expiresAt), swap_id: swapId };
}

/**
 * The record of one swap (failover.md §10). It attests what the operator recorded, with the digest of the manifest that
 * runs when the record is written. Evidence that can't be signed is left out: null.
 * @throws RangeError a time that is not a valid date
 */
export function swapReceiptOf(swap: SwapRecord, orb: SwappedOrb, minting: ReceiptIssue): SwapReceipt {
  const { issuer, now, evaluator, previousReceiptId } = minting;
  const { seq, from, to, reason, rule, epoch } = swap;
  const record = {
    schema: `${issuer}/schemas/swap-receipt/v1`,
    receipt_id: swap.receiptId,
    issuer,
    issued_at: isoTime(Math.max(now, swap.at)),
    orb: { id: orb.orbId, manifest_digest: orb.manifestDigest, generation: orb.generation },
    swap: {
      seq,
      kind: reason === 'manual' ? 'manual' : 'automatic',
      from,
      to,
      reason,
      rule,
      decided_at: isoTime(swap.at),
    },
    evaluator: { ...evaluator, epoch },
    actor: actorOf(swap, orb),
    evidence: null,
    previous_receipt_id: previousReceiptId,
  } as const satisfies SwapReceipt;
  return { ...record, evidence: fittingEvidence(swap.evidence, record) };
}
