/** Tags of calling tenants, linkable within one month only (trust.md §1.1). They are cached: one costs two HMACs. */
export class CallerTags {
  readonly #compute: (tenant: string, finishedAt: string) => string;
  readonly #cache = new Map<string, string>();

  /** @param compute `ct_…` of a tenant for the month of an ISO time */
  constructor(compute: (tenant: string, finishedAt: string) => string) {
    this.#compute = compute;
  }

  /** @param finishedAt ms since epoch */
  of(tenant: string, finishedAt: number): string {
    const iso = new Date(finishedAt).toISOString();
    const key = `${iso.slice(0, 7)} ${tenant}`;
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    if (this.#cache.size > 10_000) this.#cache.clear();
    const tag = this.#compute(tenant, iso);
    this.#cache.set(key, tag);
    return tag;
  }
}
