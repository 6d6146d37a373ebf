import type { BreakerState } from '../../core/failover/metrics.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { effectiveProvider } from '../../core/orb/effective-provider.ts';

/** State of an Orb as this process knows it. */
export interface ProbeView {
  /** Ms since epoch. */
  readonly now: number;
  readonly breakers: Readonly<Record<string, BreakerState>>;
}

// While every provider is down, the operator repeats its request every five minutes (failover.md §5.3, rule 2), ± one
// tick.
const ASKED_MS = 330_000;

/** When the operator recently requested probes, because it lacks metrics of this Orb. @returns ms since epoch */
export function probesRequestedAt({ failover }: Pick<CompiledOrb, 'failover'>, now: number): number | undefined {
  const at = failover?.probeRequestedAt ?? undefined;
  return at !== undefined && Math.abs(now - at) < ASKED_MS ? at : undefined;
}

const areAllOpen = ({ order }: CompiledOrb, { breakers }: ProbeView): boolean =>
  order.every((name) => Object.hasOwn(breakers, name) && breakers[name] !== 'closed');

/**
 * The providers that are probed. The active one has traffic, so it is left out. It is included while no provider works,
 * or while the operator lacks metrics (failover.md §7).
 */
export function probeTargets(orb: CompiledOrb, view: ProbeView): ReadonlySet<string> {
  const targets = new Set(orb.order);
  if (probesRequestedAt(orb, view.now) !== undefined || areAllOpen(orb, view)) return targets;
  const active = effectiveProvider(orb, { now: view.now });
  if (active !== undefined) targets.delete(active);
  return targets;
}
