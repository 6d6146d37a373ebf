import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { latestVersions } from '../../core/publication/list-query.ts';
import { NOT_EVALUATED, type ListedOrb, type Publisher } from '../../core/publication/listed-orb.ts';
import { orgOf } from '../../core/reputation/line.ts';
import type { PublishedVersion, PublishedVersions } from '../../core/run/published.ts';
import {
  pages,
  readEvaluations,
  readPublications,
  type Evaluated,
  type ListingRows,
  type Publication,
  type ReadPublication,
  type Shown,
} from './read-listings.ts';

type Org = Awaited<ReturnType<Ledger['orgs']>>[number];

/** After so long without news the memory may be wrong (trust.md §4, `standing`). */
const FRESH_MS = 60_000;

/** What one refresh brought. */
export interface ListingChange {
  /** Ids of versions whose row, organisation or evaluation changed. */
  readonly orbs: ReadonlySet<string>;
  readonly orgs: ReadonlySet<string>;
}

/**
 * Every published version, its organisation and its newest evaluation, in memory: runs, lists and badges read it without
 * the ledger. `refresh` takes over what changed in the ledger since the last call, by this process or another one.
 */
export class Listings implements PublishedVersions {
  readonly #ledger: ListingRows;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #publications = new Map<string, Publication>();
  readonly #shown = new Map<string, Shown>();
  readonly #orgs = new Map<string, Org>();
  readonly #evaluated = new Map<string, Evaluated>();
  readonly #listed = new Map<string, ListedOrb>();
  /** Ids of the versions of each name: `acme.echo` → `acme.echo@1.0.0`, … */
  readonly #ofName = new Map<string, Set<string>>();
  /** The highest active version of a name, kept from the first question until one of its versions changes. */
  readonly #highest = new Map<string, string | undefined>();
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
  /** A refresh that has not begun: it reads all that is in the ledger by now. */
  #waiting: Promise<void> | undefined;
  #generation = 0;

  constructor(ledger: ListingRows, clock: Pick<Clock, 'monotonic'>) {
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

  /** Id of the highest active version of a name, such as `acme.echo`. */
  readonly highestActive = (name: string): string | undefined => {
    const versions = this.#ofName.get(name);
    if (versions === undefined || this.#highest.has(name)) return this.#highest.get(name);
    const [highest] = latestVersions([...versions].flatMap((orbId) => this.#listed.get(orbId) ?? []));
    this.#highest.set(name, highest?.orbId);
    return highest?.orbId;
  };

  /** The held tier as the newest evaluation stored it. */
  readonly heldOf = (orbId: string): string | undefined => this.#evaluated.get(orbId)?.held;

  /** Time of the newest evaluation, ms since epoch; undefined: there is none. */
  readonly evaluatedAt = (orbId: string): number | undefined => this.#evaluated.get(orbId)?.evaluatedAt;

  /** Entries of the log that the newest evaluation read; undefined: there is none. */
  readonly evaluatedSize = (orbId: string): number | undefined => this.#evaluated.get(orbId)?.treeSize;

  /**
   * Time of the oldest among the newest evaluations of all versions, ms since epoch; of a version that was never evaluated
   * it is the time of its publication. Undefined: nothing is published.
   */
  readonly oldestEvaluation = (): number | undefined => {
    let oldest: number | undefined;
    for (const { orbId, publishedAt } of this.#listed.values())
      oldest = Math.min(this.evaluatedAt(orbId) ?? publishedAt, oldest ?? Number.POSITIVE_INFINITY);
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

  /** Reads what changed. Calls wait for each other, and those that wait share one read. @throws LedgerError */
  refresh(): Promise<void> {
    this.#waiting ??= this.#refreshing.then(() => {
      this.#waiting = undefined;
      return this.#read();
    });
    this.#refreshing = this.#waiting.catch(() => undefined);
    return this.#waiting;
  }

  /**
   * Publications are read first and organisations after them, so no version is seen without the newest state of its
   * organisation. Nothing is applied before all was read.
   */
  async #read(): Promise<void> {
    const publications = await readPublications(this.#ledger, this.#publicationChange, this.#shown);
    const orgs = await pages((change) => this.#ledger.orgs(change), this.#orgChange);
    const evaluations = await readEvaluations(this.#ledger, this.#evaluationChange);
    const before = this.#generation;
    for (const row of orgs) this.#setOrg(row);
    for (const evaluated of evaluations) this.#setEvaluated(evaluated);
    for (const publication of publications) this.#setPublication(publication);
    this.#freshAt = this.#clock.monotonic();
    if (this.#generation === before) return;
    const change = this.#change;
    this.#change = { orbs: new Set(), orgs: new Set() };
    for (const listener of this.#listeners) listener(change);
  }

  #setOrg(row: Org): void {
    this.#orgs.set(row.org, row);
    this.#orgChange = Math.max(this.#orgChange, row.change);
    this.#change.orgs.add(row.org);
    this.#generation += 1;
    for (const { orbId, org } of this.#publications.values()) if (org === row.org) this.#list(orbId);
  }

  #setEvaluated(evaluated: Evaluated): void {
    this.#evaluated.set(evaluated.orbId, evaluated);
    this.#evaluationChange = Math.max(this.#evaluationChange, evaluated.change);
    this.#list(evaluated.orbId);
  }

  #setPublication({ row, shown, deprecatedAt }: ReadPublication): void {
    const { orbId, projected, change } = row;
    this.#shown.set(orbId, shown);
    if (deprecatedAt === undefined) this.#deprecatedAt.delete(orbId);
    else this.#deprecatedAt.set(orbId, deprecatedAt);
    this.#publications.set(orbId, row);
    if (projected) this.#unprojected.delete(orbId);
    else this.#unprojected.add(orbId);
    this.#publicationChange = Math.max(this.#publicationChange, change);
    this.#list(orbId);
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
    const standing = this.#evaluated.get(orbId)?.standing ?? NOT_EVALUATED;
    const at = orbId.lastIndexOf('@');
    const org = orgOf(orbId);
    const name = orbId.slice(0, at);
    const versions = this.#ofName.get(name) ?? new Set();
    this.#ofName.set(name, versions.add(orbId));
    this.#highest.delete(name);
    this.#listed.set(orbId, {
      ...shown,
      orbId,
      namespace,
      manifestDigest,
      logIndex,
      status,
      isSuspended: status === 'suspended' || this.#orgs.get(org)?.state === 'suspended',
      name,
      version: orbId.slice(at + 1),
      publisher: this.#publisher(org),
      standing,
      publishedAt,
      updatedAt: Math.max(publishedAt, this.evaluatedAt(orbId) ?? 0),
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
