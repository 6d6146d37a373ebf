import type { CompiledOrb, CompiledProvider } from '../orb/compiled-orb.ts';

/** What the choice depends on; runtime and operator pass the same (failover.md §1). */
export type ProviderChoice = Pick<CompiledOrb, 'pin' | 'providers' | 'order'>;

/** The same without what calling a provider takes: the operator asks for names only. */
export type ProviderNames = Pick<CompiledOrb, 'pin' | 'order'> & {
  readonly providers: Pick<ReadonlySet<string>, 'has'>;
};

// failover.md §8: no endless pins; to stay for good, change `swap_config.primary`.
export const MAX_PIN_HOURS = 168;
export const MAX_PIN_MS = MAX_PIN_HOURS * 3_600_000;

/**
 * Whether a pin decides at this moment: it has not ended, ends within 168 hours, and its provider is resolved.
 * @param now ms since epoch
 */
export function isPinFollowed({ pin, providers }: Omit<ProviderNames, 'order'>, now: number): boolean {
  if (pin === undefined || !providers.has(pin.provider)) return false;
  return pin.expiresAt > now && pin.expiresAt - now <= MAX_PIN_MS;
}

/**
 * The provider that a run starts with: that of a pin which is followed, else the first in order.
 * @param now ms since epoch
 * @returns undefined only for an Orb without any resolved provider, which never compiles
 */
export function effectiveProvider(orb: ProviderNames, now: number): string | undefined {
  return isPinFollowed(orb, now) ? orb.pin?.provider : orb.order[0];
}

/**
 * Providers in the order of trial: the effective one, then the others in manifest order (failover.md §12.2).
 * @param now ms since epoch
 */
export function providersInOrder(orb: ProviderChoice, now: number): readonly CompiledProvider[] {
  const first = effectiveProvider(orb, now);
  const names = new Set(first === undefined ? orb.order : [first, ...orb.order]);
  return [...names].flatMap((name) => orb.providers.get(name) ?? []);
}
