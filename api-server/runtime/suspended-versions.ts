import type { Logger } from '../../adapters/telemetry/port.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import type { KillSwitches } from './kill-switches.ts';

/** What is published, as this process knows it. */
export interface WatchedListings {
  readonly all: () => Iterable<ListedOrb>;
  readonly orb: (orbId: string) => ListedOrb | undefined;
  readonly watch: (listener: (change: { readonly orbs: Iterable<string> }) => void) => () => void;
}

/**
 * Keeps the switches equal to the suspensions of versions and organisations by the platform: new runs are refused, those
 * in flight end.
 */
export function followSuspensions(
  listings: WatchedListings,
  switches: KillSwitches,
  logger: Pick<Logger, 'info' | 'warn'>,
): void {
  const suspended = new Set<string>();
  const take = ({ orbId, manifestDigest, isSuspended }: ListedOrb): void => {
    if (suspended.has(orbId) === isSuspended) return;
    if (isSuspended) {
      suspended.add(orbId);
      const ended = switches.suspendVersion(orbId, manifestDigest);
      logger.warn('the platform suspended a published version, or its organisation', {
        orb_id: orbId,
        runs_ended: ended,
      });
      return;
    }
    suspended.delete(orbId);
    switches.liftVersion(orbId);
    logger.info('a published version is no longer suspended', { orb_id: orbId });
  };
  for (const orb of listings.all()) take(orb);
  listings.watch(({ orbs }) => {
    for (const orbId of orbs) {
      const orb = listings.orb(orbId);
      if (orb !== undefined) take(orb);
    }
  });
}
