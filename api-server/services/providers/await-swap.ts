import type { Catalog } from '../../../adapters/catalog/port.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { CompiledOrb } from '../../../core/orb/compiled-orb.ts';
import { until } from '../../../adapters/time/until.ts';
import { activeOf } from './orb-state.ts';
import type { SwapPlan } from './plan-swap.ts';

/** State of the swap in this process's own cache. */
export interface SwapState {
  readonly active: string;
  /** When the cache showed the swap, ms since epoch; null: not within the wait. */
  readonly at: number | null;
  /** Id in the record of the swap, which the operator writes; absent until the record is there. */
  readonly receiptId: string | undefined;
}

interface Tools {
  readonly catalog: Pick<Catalog, 'orb'>;
  readonly clock: Clock;
}

const POLL_MS = 20;
/** The swap takes effect with the pin. Its record comes a moment later, or never while no operator writes it. */
const RECORD_MS = 500;

/** Only a record from after the request counts: an older record belongs to an older swap. */
function recordOf({ found, pin }: SwapPlan, orb: CompiledOrb): string | undefined {
  const before = found.orb.failover?.swapSeq ?? 0;
  const last = orb.failover?.history.findLast(({ seq }) => seq > before);
  return last?.reason === 'manual' && last.to === pin.provider ? last.receiptId : undefined;
}

interface Progress {
  readonly orb: CompiledOrb;
  readonly isSeen: boolean;
  readonly receiptId: string | undefined;
  /** True when no further change is expected. */
  readonly isWhole: boolean;
}

function progressOf(plan: SwapPlan, catalog: Tools['catalog']): Progress {
  const { namespace, orbId } = plan.found.place;
  const orb = catalog.orb(namespace, orbId)?.compiled ?? plan.found.orb;
  const isSeen = orb.pin?.id === plan.pin.id;
  const receiptId = isSeen ? recordOf(plan, orb) : undefined;
  const isWhole = isSeen && (receiptId !== undefined || plan.from === plan.pin.provider);
  return { orb, isSeen, receiptId, isWhole };
}

/**
 * Waits until this process sees the pin, at most `wait_ms`, and a moment longer for the record of the swap. The change
 * stays when the caller goes away.
 */
export async function awaitSwap(plan: SwapPlan, { catalog, clock }: Tools, signal: AbortSignal): Promise<SwapState> {
  let end = clock.monotonic() + plan.body.waitMs;
  let at: number | null = null;
  let last = progressOf(plan, catalog);
  const isOver = (): boolean => {
    last = progressOf(plan, catalog);
    if (last.isSeen && at === null) {
      at = clock.now();
      end = Math.min(end, clock.monotonic() + RECORD_MS);
    }
    return last.isWhole || clock.monotonic() >= end;
  };
  await until(isOver, clock, { everyMs: POLL_MS }, signal);
  return { active: activeOf(last.orb, clock.now()), at, receiptId: last.receiptId };
}
