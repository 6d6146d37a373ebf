import type { FailoverPin, FailoverStatus, SwapRecord } from '../failover/types.ts';
import type { SwapActor, SwapReceipt } from '../receipt/swap-record.ts';
import { evidenceThatFits } from './evidence-that-fits.ts';

/** An Orb whose swaps get receipts. */
export interface SwappedOrb {
  /** Its tenant. */
  readonly namespace: string;
  readonly uid: string;
  readonly orbId: string;
  /** Of the manifest that runs. */
  readonly manifestDigest: string;
  readonly generation: number;
  readonly failover: FailoverStatus;
  /** The one that is there: only it still says what was asked for. */
  readonly pin: FailoverPin | null;
}

/** What the writer of a receipt adds. */
export interface Minting {
  /** `https://` and an authority. */
  readonly issuer: string;
  /** Ms since epoch. */
  readonly now: number;
  readonly evaluator: { readonly id: string; readonly instance: string };
  /** Of the swap before it that has one. */
  readonly previousReceiptId: string | null;
}

const MAX_REASON = 256;
// `sa:`, the longest namespace and the longest name.
const MAX_ACTOR = 320;

const isoTime = (ms: number): string => new Date(ms).toISOString();

/**
 * A text that people chose, in the form that a signed document takes. A control character is six bytes there: with enough of
 * them a swap would be too large for a receipt.
 */
function signable(text: string | null, most: number): string | null {
  const form = (text ?? '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .normalize('NFC')
    .slice(0, most)
    .toWellFormed();
  return form === '' ? null : form;
}

/** The pin that asked for a swap, as long as no other has been there since, and nobody else has changed a word of it. */
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
 * runs when it is written. Evidence that can't be signed is left out: null.
 * @throws RangeError a time that no date has
 */
export function swapReceiptOf(swap: SwapRecord, orb: SwappedOrb, minting: Minting): SwapReceipt {
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
  return { ...record, evidence: evidenceThatFits(swap.evidence, record) };
}
