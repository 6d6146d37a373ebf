import { isPinSpent, pinEnd } from '../failover/pin-end.ts';
import type { FailoverStatus, Ramp } from '../failover/types.ts';
import { encodeUtf8 } from '../json/bytes.ts';
import type { Sha256 } from '../json/digest.ts';
import type { CompiledOrb, CompiledProvider } from './compiled-orb.ts';

/** The part of the operator's status that decides where a run starts. */
type WrittenState = Pick<FailoverStatus, 'activeProvider' | 'ramp' | 'pin'>;

/** Inputs of the choice. Runtime and operator pass the same (failover.md §1). */
export type ProviderChoice = Pick<CompiledOrb, 'pin' | 'providers' | 'order'> & {
  readonly failover: WrittenState | undefined;
};

/** The same with names only: the operator does not call providers. */
export type ProviderNames = Omit<ProviderChoice, 'providers'> & {
  readonly providers: Pick<ReadonlySet<string>, 'has'>;
};

/** A moment in ms since epoch. For a run also its id, which decides whether it belongs to the share of a ramp. */
export type ChoiceContext =
  | { readonly now: number }
  | { readonly now: number; readonly runId: string; readonly sha256: Sha256 };

/**
 * Whether a pin decides now: it has not ended, is not spent, and its provider is resolved.
 * @param now ms since epoch
 */
export function isPinFollowed({ pin, failover, providers }: Omit<ProviderNames, 'order'>, now: number): boolean {
  if (pin === undefined || !providers.has(pin.provider)) return false;
  return pinEnd(pin, failover?.pin) > now && !isPinSpent(pin, failover?.pin);
}

/** `u32be(sha256(run_id)[0..3]) mod 100 < percent`: the same run is always on the same side. */
function isInShare({ percent }: Ramp, at: ChoiceContext): boolean {
  if (!('runId' in at)) return false;
  const [one = 0, two = 0, three = 0, four = 0] = at.sha256(encodeUtf8(at.runId));
  return (one * 0x1000000 + two * 0x10000 + three * 0x100 + four) % 100 < percent;
}

/** The provider that the status names; undefined without a status, or when that name has no execution. */
function writtenProvider({ failover, providers }: ProviderNames, at: ChoiceContext): string | undefined {
  if (failover === undefined) return undefined;
  const { ramp, activeProvider } = failover;
  if (ramp !== null && providers.has(ramp.provider) && isInShare(ramp, at)) return ramp.provider;
  return providers.has(activeProvider) ? activeProvider : undefined;
}

/**
 * The provider that a run starts with (failover.md §1). The first of these that applies: the provider of a followed
 * pin, that of a ramp for its share, the active provider, the first in order.
 * @returns undefined only for an Orb without any resolved provider, which never compiles
 */
export function effectiveProvider(orb: ProviderNames, at: ChoiceContext): string | undefined {
  if (isPinFollowed(orb, at.now)) return orb.pin?.provider;
  return writtenProvider(orb, at) ?? orb.order[0];
}

/**
 * Providers in the order of attempts: the effective provider, then the others in manifest order (failover.md §12.2).
 */
export function providersInOrder(orb: ProviderChoice, at: ChoiceContext): readonly CompiledProvider[] {
  const first = effectiveProvider(orb, at);
  // Nearly every run starts with the first in order.
  const names = first === undefined || first === orb.order[0] ? orb.order : new Set([first, ...orb.order]);
  const found: CompiledProvider[] = [];
  for (const name of names) {
    const provider = orb.providers.get(name);
    if (provider !== undefined) found.push(provider);
  }
  return found;
}
