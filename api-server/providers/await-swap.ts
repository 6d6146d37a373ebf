import type { Catalog } from '../../adapters/catalog/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { activeOf } from './orb-state.ts';
import type { SwapPlan } from './plan-swap.ts';

/** What this process's own cache came to show. */
export interface Shown {
  readonly active: string;
  /** Ms since epoch when it showed the swap; null: not within the time. */
  readonly at: number | null;
  /** Of the record of the swap, which whoever decides about providers writes; absent while it is not there. */
  readonly receiptId: string | undefined;
}

interface Tools {
  readonly catalog: Pick<Catalog, 'orb'>;
  readonly clock: Clock;
}

const POLL_MS = 20;
/** The swap is in effect with the pin; its record comes a moment later, or never while nobody writes it. */
const RECORD_MS = 500;

/** Only what came after the request counts: an older record is of an older swap. */
function recordOf({ found, pin }: SwapPlan, orb: CompiledOrb): string | undefined {
  const before = found.orb.failover?.swapSeq ?? 0;
  const last = orb.failover?.history.findLast(({ seq }) => seq > before);
  return last?.reason === 'manual' && last.to === pin.provider ? last.receiptId : undefined;
}

interface Look {
  readonly orb: CompiledOrb;
  readonly isSeen: boolean;
  readonly receiptId: string | undefined;
  /** Nothing more is to come. */
  readonly isWhole: boolean;
}

function lookAt(plan: SwapPlan, catalog: Tools['catalog']): Look {
  const { namespace, orbId } = plan.found.place;
  const orb = catalog.orb(namespace, orbId)?.compiled ?? plan.found.orb;
  const isSeen = orb.pin?.id === plan.pin.id;
  const receiptId = isSeen ? recordOf(plan, orb) : undefined;
  const isWhole = isSeen && (receiptId !== undefined || plan.from === plan.pin.provider);
  return { orb, isSeen, receiptId, isWhole };
}

/**
 * Waits until this process sees the pin, at most `wait_ms`, and a moment longer for the record of the swap; the change of a
 * caller who goes away stays.
 */
export async function awaitSwap(plan: SwapPlan, { catalog, clock }: Tools, signal: AbortSignal): Promise<Shown> {
  let until = clock.monotonic() + plan.body.waitMs;
  let at: number | null = null;
  for (;;) {
    const { orb, isSeen, receiptId, isWhole } = lookAt(plan, catalog);
    if (isSeen && at === null) {
      at = clock.now();
      until = Math.min(until, clock.monotonic() + RECORD_MS);
    }
    if (isWhole || clock.monotonic() >= until || signal.aborted) {
      return { active: activeOf(orb, clock.now()), at, receiptId };
    }
    await clock.sleep(POLL_MS, signal).catch(() => undefined);
  }
}
