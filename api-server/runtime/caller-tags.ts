/** Tags of the tenants that called within one month. */
interface Month {
  /** Ms since epoch; `until` is the first moment of the next month. */
  readonly from: number;
  readonly until: number;
  readonly tags: Map<string, string>;
}

const MAX_TENANTS = 10_000;

function monthOf(at: number): Month {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: Date.UTC(year, month), until: Date.UTC(year, month + 1), tags: new Map() };
}

/** Tags of calling tenants, linkable within one month only (trust.md §1.1). They are cached: one costs two HMACs. */
export class CallerTags {
  readonly #compute: (tenant: string, finishedAt: string) => string;
  #month = monthOf(0);

  /** @param compute `ct_…` of a tenant for the month of an ISO time */
  constructor(compute: (tenant: string, finishedAt: string) => string) {
    this.#compute = compute;
  }

  /** @param finishedAt ms since epoch */
  of(tenant: string, finishedAt: number): string {
    if (finishedAt < this.#month.from || finishedAt >= this.#month.until) this.#month = monthOf(finishedAt);
    const { tags } = this.#month;
    const known = tags.get(tenant);
    if (known !== undefined) return known;
    if (tags.size > MAX_TENANTS) tags.clear();
    const tag = this.#compute(tenant, new Date(finishedAt).toISOString());
    tags.set(tenant, tag);
    return tag;
  }
}
