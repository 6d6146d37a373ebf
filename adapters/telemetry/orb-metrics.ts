import type { ProviderHealth } from '../../core/failover/evaluation-summary.ts';
import type { Clock } from '../time/clock.ts';
import { familyHead, inSlices } from './exposition.ts';
import { FAMILIES, ProviderSeries, redactionLine, type Family } from './provider-series.ts';

/** An Orb as the catalogue has it. */
export interface MeasuredOrb {
  readonly namespace: string;
  readonly orbId: string;
  /** Names of the providers that its manifest defines. */
  readonly providers: readonly string[];
  /**
   * With `swap_config` every series exists from the start: a series whose first value is 1 shows no increase
   * (failover.md §2).
   */
  readonly swaps: boolean;
}

/** The series of one provider of an Orb with `swap_config`. */
export interface SwappingProvider {
  readonly namespace: string;
  readonly orbId: string;
  readonly provider: string;
  readonly series: Pick<ProviderSeries, 'counts' | 'health'>;
}

interface OrbEntry {
  readonly namespace: string;
  readonly orbId: string;
  /** Providers of the catalogue's version; undefined: the catalogue does not have the Orb. */
  listed: readonly string[] | undefined;
  swaps: boolean;
  /** Whether this process probes the Orb's providers. */
  probing: boolean;
  readonly children: Map<string, ProviderSeries>;
  /** When the Orb or the provider was first found gone, ms since epoch; undefined: nothing ever was. */
  goneAt: Map<string, number> | undefined;
  redactions: number;
}

/** Series are kept this long after their Orb or provider is gone, so that Prometheus has scraped their last value. */
const KEEP_MS = 10 * 60_000;
/** Key of the Orb itself in `goneAt`; the name of a provider is never empty. */
const ORB = '';
/** Suffix of a provider's name in `goneAt`, for its probes; names never have a slash. */
const PROBES = '/probes';

/**
 * The metrics that grow with the number of Orbs. They are stored and printed by our own code, because prom-client
 * blocks the event loop for a whole scrape (failover.md §2). Labels come from the catalogue only, so the catalogue
 * bounds their number.
 */
export class OrbMetrics {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #orbs = new Map<string, OrbEntry>();

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
  }

  /** The counters of one provider; made at first use. Keep the result for one run, not longer: it goes with its Orb. */
  readonly provider = (orbNamespace: string, orbId: string, provider: string): ProviderSeries => {
    const orb = this.#entry(orbNamespace, orbId);
    const known = orb.children.get(provider);
    if (known !== undefined) return known;
    const made = new ProviderSeries(orbNamespace, orbId, provider);
    if (orb.probing) made.setProbing(true);
    orb.children.set(provider, made);
    return made;
  };

  readonly redactions = (orbNamespace: string, orbId: string, hits: number): void => {
    this.#entry(orbNamespace, orbId).redactions += hits;
  };

  /** An Orb was added or changed. */
  readonly setOrb = ({ namespace, orbId, providers, swaps }: MeasuredOrb): void => {
    const orb = this.#entry(namespace, orbId);
    orb.listed = providers;
    orb.swaps = swaps;
    if (swaps) for (const provider of providers) this.provider(namespace, orbId, provider);
    this.#age(orb);
  };

  /** An Orb is gone; its series are removed 10 min later. */
  readonly removeOrb = (namespace: string, orbId: string): void => {
    const orb = this.#orbs.get(keyOf(namespace, orbId));
    if (orb === undefined) return;
    orb.listed = undefined;
    this.#ageAll();
  };

  /**
   * Sets whether this process probes the providers of an Orb. Probe counters exist only then, with 0 from the start,
   * and only then does `ProviderSeries.probe` count. After the end the counters stay for 10 min; streak and last probe
   * are removed at once.
   */
  readonly setProbing = (namespace: string, orbId: string, probing: boolean): void => {
    if (!probing && !this.#orbs.has(keyOf(namespace, orbId))) return;
    const orb = this.#entry(namespace, orbId);
    orb.probing = probing;
    for (const series of orb.children.values()) series.setProbing(probing);
    this.#age(orb);
  };

  /** Breaker and last probe of each provider, as this process knows them. */
  readonly health = (namespace: string, orbId: string): ReadonlyMap<string, ProviderHealth> => {
    const children = this.#orbs.get(keyOf(namespace, orbId))?.children ?? new Map<string, ProviderSeries>();
    return new Map(
      [...children].map(([provider, series]) => {
        const { breaker, lastProbe } = series.health();
        return [provider, { breaker, lastProbe }];
      }),
    );
  };

  /** The catalogue's providers of all Orbs with `swap_config`. */
  *swapping(): Generator<SwappingProvider> {
    for (const { namespace, orbId, swaps, listed, children } of this.#orbs.values()) {
      if (!swaps || listed === undefined) continue;
      for (const [provider, series] of children) {
        if (listed.includes(provider)) yield { namespace, orbId, provider, series };
      }
    }
  }

  /** The text of all families, in pieces; the event loop turns between two of them. */
  slices(): AsyncGenerator<string> {
    this.#ageAll();
    return inSlices(this.#lines(), this.#clock);
  }

  /** Maps may change between two pieces; the lines of a family still stay together. */
  *#lines(): Generator<string> {
    for (const { name, type, help } of FAMILIES) {
      yield familyHead(name, type, help);
      for (const orb of this.#orbs.values()) yield* orbLines(orb, name);
    }
  }

  #ageAll(): void {
    for (const orb of this.#orbs.values()) this.#age(orb);
  }

  #entry(namespace: string, orbId: string): OrbEntry {
    const key = keyOf(namespace, orbId);
    const known = this.#orbs.get(key);
    if (known !== undefined) return known;
    const made: OrbEntry = {
      namespace,
      orbId,
      listed: undefined,
      swaps: false,
      probing: false,
      children: new Map(),
      goneAt: undefined,
      redactions: 0,
    };
    this.#orbs.set(key, made);
    return made;
  }

  /** Starts, stops and ends the 10 minutes of series that the catalogue does not have. */
  #age(orb: OrbEntry): void {
    for (const [provider, series] of orb.children) {
      if (series.probed && this.#isOver(orb, provider + PROBES, series.probing)) series.dropProbes();
      if (this.#isOver(orb, provider, orb.listed?.includes(provider) === true)) orb.children.delete(provider);
    }
    if (this.#isOver(orb, ORB, orb.listed !== undefined) && orb.children.size === 0) {
      this.#orbs.delete(keyOf(orb.namespace, orb.orbId));
    }
  }

  #isOver(orb: OrbEntry, what: string, there: boolean): boolean {
    if (there) {
      orb.goneAt?.delete(what);
      return false;
    }
    const now = this.#clock.now();
    orb.goneAt ??= new Map();
    const since = orb.goneAt.get(what) ?? now;
    orb.goneAt.set(what, since);
    return now - since >= KEEP_MS;
  }
}

const keyOf = (namespace: string, orbId: string): string => `${namespace}/${orbId}`;

function* orbLines(orb: OrbEntry, family: Family): Generator<string> {
  if (family === 'orb_redactions_total') yield redactionLine(orb.namespace, orb.orbId, orb.redactions);
  else for (const series of orb.children.values()) yield series.lines(family);
}
