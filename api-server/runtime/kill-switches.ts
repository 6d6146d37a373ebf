import type { OrbId } from '../../core/manifest/orb-id.ts';
import type { KillCode, RunsInFlight } from './runs-in-flight.ts';

/** The Orbs that one suspension is about. */
export interface SuspendedOrbs {
  /** Where the Orb lives; its runs in Orbisets of other namespaces count too. */
  readonly namespace: string;
  readonly covers: (orbId: OrbId) => boolean;
}

/**
 * What is switched off beside Orbisets, which carry their own `suspended` (security.md S30). A switch that is thrown
 * refuses new runs from now on and ends those in flight. Written by whoever watches the switches, read by every run.
 */
export class KillSwitches {
  readonly #inFlight: RunsInFlight;
  readonly #suspended = new Map<string, SuspendedOrbs>();
  #stopped = false;

  constructor(inFlight: RunsInFlight) {
    this.#inFlight = inFlight;
  }

  /** @returns the code that a new run of this Orb is refused with; undefined: it may start */
  refusal(namespace: string, orbId: OrbId): KillCode | undefined {
    if (this.#stopped) return 'egress-stopped';
    for (const orbs of this.#suspended.values())
      if (orbs.namespace === namespace && orbs.covers(orbId)) return 'orb-suspended';
    return undefined;
  }

  get egressStopped(): boolean {
    return this.#stopped;
  }

  /** @returns runs in flight that were ended */
  stopEgress(): number {
    this.#stopped = true;
    return this.#inFlight.killWhere(() => true, 'egress-stopped');
  }

  allowEgress(): void {
    this.#stopped = false;
  }

  /**
   * @param source what says so; a later call for the same one replaces it
   * @returns runs in flight that were ended
   */
  suspendOrbs(source: string, orbs: SuspendedOrbs): number {
    this.#suspended.set(source, orbs);
    return this.#inFlight.killWhere(
      ({ orb }) => orb.namespace === orbs.namespace && orbs.covers(orb.orbId),
      'orb-suspended',
    );
  }

  /** @returns whether it was suspended by this source */
  liftOrbs(source: string): boolean {
    return this.#suspended.delete(source);
  }
}
