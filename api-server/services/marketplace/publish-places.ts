/** Publications that are checked at the same time. Each may take two seconds of the processor, and its body is in memory. */
const MOST = 32;
const MOST_OF_A_TENANT = 4;
/** From this many on, a tenant that has a place gets no other one: eight tenants with four places would hold them all. */
const CROWDED = 16;

/** Bounds the publications that one process works on, so that a few tenants can't hold them all. */
export class PublishPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /** @returns a function that gives the place back; undefined: there is none now */
  take(tenant: string): (() => void) | undefined {
    const own = this.#taken.get(tenant) ?? 0;
    if (this.#all >= MOST || own >= (this.#all >= CROWDED ? 1 : MOST_OF_A_TENANT)) return undefined;
    this.#all += 1;
    this.#taken.set(tenant, own + 1);
    return () => this.#giveBack(tenant);
  }

  #giveBack(tenant: string): void {
    this.#all -= 1;
    const left = (this.#taken.get(tenant) ?? 1) - 1;
    if (left === 0) this.#taken.delete(tenant);
    else this.#taken.set(tenant, left);
  }
}
