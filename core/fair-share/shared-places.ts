/** How many places there are, and how many of them one tenant may have. */
export interface PlaceLimits {
  readonly places: number;
  /** Percent of the places that others leave, 1 to 100; 100: a tenant may have all. */
  readonly tenantPct: number;
}

/**
 * A number of places that tenants share. A tenant may have a percentage of the places that the others leave. So a newcomer
 * always finds free places, however much the others want, and no share changes when a tenant comes or goes. With 75 %
 * one tenant has at most 75 of 100 places. Two that want all have 43 each, and 14 stay free for a third.
 *
 * This is the dynamic threshold of shared-memory switches (Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998). Every operation
 * is O(1).
 */
export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #held = new Map<string, number>();
  #used = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** Places in use. */
  get used(): number {
    return this.#used;
  }

  /** Whether `take` would give the tenant a place, or some at once. */
  mayTake(tenant: string, count = 1): boolean {
    const { places, tenantPct } = this.#limits;
    if (this.#used + count > places) return false;
    const held = this.#held.get(tenant) ?? 0;
    return 100 * held < tenantPct * (places - this.#used + held);
  }

  /**
   * Takes a place, or some at once; the last ones may go beyond the percentage of the tenant, never beyond all places.
   * @returns whether the tenant has them; give each back once
   */
  take(tenant: string, count = 1): boolean {
    if (!this.mayTake(tenant, count)) return false;
    this.#held.set(tenant, (this.#held.get(tenant) ?? 0) + count);
    this.#used += count;
    return true;
  }

  giveBack(tenant: string, count = 1): void {
    const held = this.#held.get(tenant) ?? 0;
    if (held < count) throw new RangeError('a place that was not taken');
    if (held === count) this.#held.delete(tenant);
    else this.#held.set(tenant, held - count);
    this.#used -= count;
  }

  /** Whether the tenant has at least as many places as each would have if all that have some had the same number. */
  hasItsPart(tenant: string): boolean {
    const held = this.#held.get(tenant) ?? 0;
    const tenants = this.#held.size + (held === 0 ? 1 : 0);
    return held * tenants >= this.#used;
  }
}
