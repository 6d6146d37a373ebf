import { effectiveProvider } from '../../core/failover/effective-provider.ts';
import type { BreakerState } from '../../core/failover/metrics.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';

/** What this process sees of an Orb. */
export interface ProbeView {
  /** Ms since epoch. */
  readonly now: number;
  readonly breakers: Readonly<Record<string, BreakerState>>;
}

// Every provider is down: the operator asks again every five minutes (failover.md §5.3, rule 2), give or take a tick.
const ASKED_MS = 330_000;

/** The operator lacks figures of this Orb: it asked for probes, and not long ago. @returns when, ms since epoch */
export function askedAt({ failover }: Pick<CompiledOrb, 'failover'>, now: number): number | undefined {
  const at = failover?.probeRequestedAt ?? undefined;
  return at !== undefined && Math.abs(now - at) < ASKED_MS ? at : undefined;
}

const areAllOpen = ({ order }: CompiledOrb, { breakers }: ProbeView): boolean =>
  order.every((name) => Object.hasOwn(breakers, name) && breakers[name] !== 'closed');

/**
 * The providers that are probed: all but the active one, which has traffic; that one too while nothing works, or who
 * decides does not know (failover.md §7).
 */
export function probeTargets(orb: CompiledOrb, view: ProbeView): ReadonlySet<string> {
  const targets = new Set(orb.order);
  if (askedAt(orb, view.now) !== undefined || areAllOpen(orb, view)) return targets;
  const active = effectiveProvider(orb, { now: view.now });
  if (active !== undefined) targets.delete(active);
  return targets;
}
