/** Things that wait: tenants take turns, one thing each; those of one tenant keep their order. Unbounded. */
export class TenantTurns<T> {
  /** Tenants that wait, in the order of their turns; each has at least one thing. */
  readonly #waiting = new Map<string, T[]>();

  add(tenant: string, thing: T): void {
    const own = this.#waiting.get(tenant);
    if (own === undefined) this.#waiting.set(tenant, [thing]);
    else own.push(thing);
  }

  /**
   * Makes room for a thing of a tenant: takes the newest thing of the tenant that has the most.
   * @returns undefined: no other tenant has at least two more
   */
  displace(tenant: string): T | undefined {
    let most = (this.#waiting.get(tenant) ?? []).length + 1;
    let largest: T[] | undefined;
    for (const own of this.#waiting.values()) {
      if (own.length <= most) continue;
      most = own.length;
      largest = own;
    }
    return largest?.pop();
  }

  /** Takes the next thing; its tenant goes behind the others. @returns undefined: nothing waits */
  next(): T | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [tenant, own] = first;
    const thing = own.shift();
    this.#waiting.delete(tenant);
    if (own.length > 0) this.#waiting.set(tenant, own);
    return thing;
  }
}
