import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { KillCode, RunsInFlight } from './runs-in-flight.ts';

/** The Orbs that one suspension covers. */
export interface SuspendedOrbs {
  /** Namespace of the Orb. Its runs in Orbisets of other namespaces are covered too. */
  readonly namespace: string;
  readonly covers: (orbId: OrbId) => boolean;
}

/**
 * All kill switches except `suspended` of Orbisets (security.md S30). A thrown switch refuses new runs and ends those
 * in flight. The feeds write the switches, and every run reads them.
 */
export class KillSwitches {
  readonly #inFlight: RunsInFlight;
  readonly #suspended = new Map<string, SuspendedOrbs>();
  /** Published versions that the platform suspended: digest of the manifest by id. */
  readonly #versions = new Map<string, string>();
  #stopped = false;

  constructor(inFlight: RunsInFlight) {
    this.#inFlight = inFlight;
  }

  /**
   * @param digest of the manifest that would run; absent: a suspended version is not recognised
   * @returns the code that refuses a new run of this Orb; undefined: the run may start
   */
  refusal(namespace: string, orbId: OrbId, digest?: string): KillCode | undefined {
    if (this.#stopped) return 'egress-stopped';
    if (digest !== undefined && this.#versions.get(orbId) === digest) return 'orb-suspended';
    for (const orbs of this.#suspended.values())
      if (orbs.namespace === namespace && orbs.covers(orbId)) return 'orb-suspended';
    return undefined;
  }

  get egressStopped(): boolean {
    return this.#stopped;
  }

  /** @returns the number of ended runs */
  stopEgress(): number {
    this.#stopped = true;
    return this.#inFlight.killWhere(() => true, 'egress-stopped');
  }

  allowEgress(): void {
    this.#stopped = false;
  }

  /**
   * @param source name of the switch; a later call for the same source replaces it
   * @returns the number of ended runs
   */
  suspendOrbs(source: string, orbs: SuspendedOrbs): number {
    this.#suspended.set(source, orbs);
    return this.#inFlight.killWhere(
      ({ namespace, orbId }) => namespace === orbs.namespace && orbs.covers(orbId),
      'orb-suspended',
    );
  }

  /** @returns whether it was suspended by this source */
  liftOrbs(source: string): boolean {
    return this.#suspended.delete(source);
  }

  /**
   * Suspends a published version in every namespace (trust.md §8.6). Other bytes under its id are not meant.
   * @returns the number of ended runs
   */
  suspendVersion(orbId: string, digest: string): number {
    this.#versions.set(orbId, digest);
    return this.#inFlight.killWhere((orb) => orb.orbId === orbId && orb.digest === digest, 'orb-suspended');
  }

  /** @returns whether the version was suspended */
  liftVersion(orbId: string): boolean {
    return this.#versions.delete(orbId);
  }
}
