import type { CompiledOrb, CompiledProvider } from '../orb/compiled-orb.ts';

/** What the choice depends on; runtime and operator pass the same (failover.md §1). */
export type ProviderChoice = Pick<CompiledOrb, 'pin' | 'providers' | 'order'>;

/** The same without what calling a provider takes: the operator asks for names only. */
type ProviderNames = Pick<CompiledOrb, 'pin' | 'order'> & { readonly providers: Pick<ReadonlySet<string>, 'has'> };

/**
 * The provider that a run starts with: an unexpired pin whose provider is resolved, else the first in order.
 * @param now ms since epoch
 * @returns undefined only for an Orb without any resolved provider, which never compiles
 */
export function effectiveProvider(orb: ProviderNames, now: number): string | undefined {
  const { pin } = orb;
  if (pin !== undefined && pin.expiresAt > now && orb.providers.has(pin.provider)) return pin.provider;
  return orb.order[0];
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
