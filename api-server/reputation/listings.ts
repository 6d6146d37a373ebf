import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { NOT_EVALUATED, type ListedOrb, type Publisher, type Standing } from '../../core/publication/listed-orb.ts';
import { lineOf, orgOf } from '../../core/reputation/line.ts';
import type { PublishedVersion, PublishedVersions } from '../../core/run/published.ts';
import { isDigest } from '../../core/json/digest.ts';
import { readStanding } from './stored-evaluation.ts';

type Ports = Pick<Ledger, 'publications' | 'orgs' | 'evaluations' | 'publicManifest' | 'lineEvidence'>;
type Publication = Awaited<ReturnType<Ledger['publications']>>[number];
type Org = Awaited<ReturnType<Ledger['orgs']>>[number];

/** After so long without news the memory may be wrong (trust.md §4, `standing`). */
const FRESH_MS = 60_000;

/** What one refresh brought. */
export interface ListingChange {
  /** Ids of versions whose row, organisation or evaluation changed. */
  readonly orbs: ReadonlySet<string>;
  readonly orgs: ReadonlySet<string>;
}

/** What the lists show of a manifest. */
type Shown = Pick<ListedOrb, 'description' | 'provider' | 'capabilities'>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function shownOf(manifest: JsonObject): Shown {
  const { description, provider, capabilities } = manifest;
  return {
    description: textOf(description),
    provider: textOf(provider),
    capabilities: Array.isArray(capabilities) ? capabilities.filter((one) => typeof one === 'string') : [],
  };
}

/**
 * Every published version, its organisation and its newest evaluation, in memory: runs, lists and badges read it without
 * the ledger. `refresh` takes over what changed in the ledger since the last call, by this process or another one.
 */
export class Listings implements PublishedVersions {
  readonly #ledger: Ports;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #publications = new Map<string, Publication>();
  readonly #shown = new Map<string, Shown>();
  readonly #orgs = new Map<string, Org>();
  readonly #standings = new Map<string, Standing>();
  readonly #evaluatedAt = new Map<string, number>();
  readonly #held = new Map<string, string>();
  readonly #listed = new Map<string, ListedOrb>();
  readonly #versions = new Map<string, PublishedVersion>();
  readonly #deprecatedAt = new Map<string, number>();
  readonly #unprojected = new Set<string>();
  readonly #listeners = new Set<(change: ListingChange) => void>();
  #change: { readonly orbs: Set<string>; readonly orgs: Set<string> } = { orbs: new Set(), orgs: new Set() };
  #publicationChange = 0;
  #orgChange = 0;
  #evaluationChange = 0;
  #freshAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> = Promise.resolve();
  #generation = 0;

  constructor(ledger: Ports, clock: Pick<Clock, 'monotonic'>) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  readonly version = (orbId: string): PublishedVersion | undefined => this.#versions.get(orbId);

  readonly ownerOf = (org: string): string | undefined => this.#orgs.get(org)?.namespace;

  readonly isFresh = (): boolean => this.#clock.monotonic() - this.#freshAt < FRESH_MS;

  /** Grows with every change: bytes that were made from the lists are good while it stays. */
  get generation(): number {
    return this.#generation;
  }

  readonly orb = (orbId: string): ListedOrb | undefined => this.#listed.get(orbId);

  readonly all = (): Iterable<ListedOrb> => this.#listed.values();

  /** The held tier as the newest evaluation stored it. */
  readonly heldOf = (orbId: string): string | undefined => this.#held.get(orbId);

  /** Time of the newest evaluation, ms since epoch; undefined: there is none. */
  readonly evaluatedAt = (orbId: string): number | undefined => this.#evaluatedAt.get(orbId);

  /**
   * Time of the oldest among the newest evaluations of all versions, ms since epoch; of a version that was never evaluated
   * it is the time of its publication. Undefined: nothing is published.
   */
  readonly oldestEvaluation = (): number | undefined => {
    let oldest: number | undefined;
    for (const { orbId, publishedAt } of this.#listed.values())
      oldest = Math.min(this.#evaluatedAt.get(orbId) ?? publishedAt, oldest ?? Number.POSITIVE_INFINITY);
    return oldest;
  };

  readonly org = (org: string): Org | undefined => this.#orgs.get(org);

  readonly allOrgs = (): Iterable<Org> => this.#orgs.values();

  /** Whether a version still lacks its view, an OrbPublication. */
  readonly lacksView = (orbId: string): boolean => this.#unprojected.has(orbId);

  /** Versions that `lacksView` is true of. */
  readonly withoutView = (): Iterable<string> => this.#unprojected;

  /** Calls the listener after each refresh that changed something. @returns a function that ends it */
  readonly watch = (listener: (change: ListingChange) => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Reads what changed. Calls wait for each other. @throws LedgerError */
  refresh(): Promise<void> {
    const next = this.#refreshing.then(() => this.#read());
    this.#refreshing = next.catch(() => undefined);
    return next;
  }

  async #read(): Promise<void> {
    const before = this.#generation;
    // Organisations and evaluations first: a version must not be seen as one of nobody.
    await this.#readOrgs();
    await this.#readEvaluations();
    await this.#readPublications();
    this.#freshAt = this.#clock.monotonic();
    if (this.#generation === before) return;
    const change = this.#change;
    this.#change = { orbs: new Set(), orgs: new Set() };
    for (const listener of this.#listeners) listener(change);
  }

  async #readOrgs(): Promise<void> {
    for (let more = true; more;) {
      const rows = await this.#ledger.orgs(this.#orgChange);
      for (const row of rows) this.#setOrg(row);
      more = rows.length > 0;
    }
  }

  #setOrg(row: Org): void {
    this.#orgs.set(row.org, row);
    this.#orgChange = Math.max(this.#orgChange, row.change);
    this.#change.orgs.add(row.org);
    this.#generation += 1;
    for (const { orbId, org } of this.#publications.values()) if (org === row.org) this.#list(orbId);
  }

  async #readEvaluations(): Promise<void> {
    for (let more = true; more;) {
      const rows = await this.#ledger.evaluations(this.#evaluationChange);
      for (const { orbId, profile, held, change } of rows) {
        this.#held.set(orbId, held);
        const { standing, evaluatedAt } = readStanding(profile);
        this.#standings.set(orbId, standing);
        this.#evaluatedAt.set(orbId, evaluatedAt);
        this.#evaluationChange = Math.max(this.#evaluationChange, change);
        this.#list(orbId);
      }
      more = rows.length > 0;
    }
  }

  async #readPublications(): Promise<void> {
    for (let more = true; more;) {
      const rows = await this.#ledger.publications(this.#publicationChange);
      for (const row of rows) {
        if (!this.#shown.has(row.orbId)) this.#shown.set(row.orbId, await this.#manifest(row.manifestDigest));
        await this.#dateDeprecation(row);
        this.#publications.set(row.orbId, row);
        if (row.projected) this.#unprojected.delete(row.orbId);
        else this.#unprojected.add(row.orbId);
        this.#publicationChange = Math.max(this.#publicationChange, row.change);
        this.#list(row.orbId);
      }
      more = rows.length > 0;
    }
  }

  /** When a version was deprecated stands in the log alone. */
  async #dateDeprecation({ orbId, org, status }: Publication): Promise<void> {
    this.#deprecatedAt.delete(orbId);
    if (status !== 'deprecated') return;
    const { events } = await this.#ledger.lineEvidence(lineOf(orbId), org);
    const times = events.flatMap(({ entry }) =>
      entry.kind === 'orb_status' && entry.orb_id === orbId && entry.status === 'deprecated' ? [entry.at] : [],
    );
    const last = times.at(-1);
    if (last !== undefined) this.#deprecatedAt.set(orbId, Date.parse(last));
  }

  async #manifest(digest: string): Promise<Shown> {
    const text = isDigest(digest) ? await this.#ledger.publicManifest(digest) : undefined;
    const manifest: unknown = text === undefined ? {} : JSON.parse(text);
    return shownOf(isJsonObject(manifest) ? manifest : {});
  }

  #publisher(org: string): Publisher {
    const row = this.#orgs.get(org);
    if (row === undefined) return { org, verified: false, proof: null, since: null };
    return { org, verified: row.state === 'verified', proof: row.proof, since: row.since };
  }

  #list(orbId: string): void {
    const publication = this.#publications.get(orbId);
    const shown = this.#shown.get(orbId);
    if (publication === undefined || shown === undefined) return;
    const { manifestDigest, namespace, status, publishedAt, logIndex } = publication;
    const standing = this.#standings.get(orbId) ?? NOT_EVALUATED;
    const at = orbId.lastIndexOf('@');
    this.#listed.set(orbId, {
      ...shown,
      orbId,
      namespace,
      manifestDigest,
      logIndex,
      status,
      name: orbId.slice(0, at),
      version: orbId.slice(at + 1),
      publisher: this.#publisher(orgOf(orbId)),
      standing,
      publishedAt,
      updatedAt: Math.max(publishedAt, this.#evaluatedAt.get(orbId) ?? 0),
    });
    const deprecatedAt = this.#deprecatedAt.get(orbId);
    this.#versions.set(orbId, {
      manifestDigest,
      namespace,
      status,
      isCertified: standing.tier !== 'uncertified',
      ...(deprecatedAt === undefined ? {} : { deprecatedAt }),
    });
    this.#change.orbs.add(orbId);
    this.#generation += 1;
  }
}
