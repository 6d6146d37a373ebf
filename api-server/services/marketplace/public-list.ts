import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { latestVersions } from '../../../core/publication/list-query.ts';
import type { ListedOrb } from '../../../core/publication/listed-orb.ts';
import type { Listings } from '../../reputation/listings.ts';
import { publicItem } from './list-view.ts';

/** The whole public list, as bytes that every caller gets. */
export interface PublicList {
  /** Sorted by name. */
  readonly orbs: readonly ListedOrb[];
  readonly plain: Uint8Array;
  readonly gzip: Uint8Array;
  readonly etag: string;
}

/**
 * With 10 000 Orbs the bytes take some 50 ms, and on a new day all their scores move. A score may be shown this much
 * later, ms; versions and tiers are shown at once.
 */
const SCORE_DELAY_MS = 1000;

const byName = (a: ListedOrb, b: ListedOrb): number => (a.name < b.name ? -1 : 1);

function publicListOf(all: Iterable<ListedOrb>): PublicList {
  const running = [...all].filter(({ isSuspended }) => !isSuspended);
  const orbs = latestVersions(running).toSorted(byName);
  const items = orbs.map(publicItem);
  const text = JSON.stringify({ items, total: items.length, limit: null, offset: 0, next: null });
  const plain = Buffer.from(text);
  return { orbs, plain, gzip: gzipSync(plain), etag: `"${sha256Hex(text).slice(0, 32)}"` };
}

/** What the list shows of a version besides its score; undefined: nothing. */
const shownOf = (orb: ListedOrb | undefined): string | undefined =>
  orb?.status === 'active' && !orb.isSuspended ? `${orb.standing.tier} ${orb.description}` : undefined;

interface Shown {
  readonly text: string | undefined;
  readonly score: number | undefined;
}

/** Makes the list again when a member that it shows has changed, and only when it is asked for. */
export class PublicLists {
  readonly #listings: Pick<Listings, 'all' | 'orb'>;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #shown = new Map<string, Shown>();
  #made: { readonly list: PublicList; readonly at: number } | undefined;
  #isOld = false;
  #hasOldScores = false;

  constructor(listings: Pick<Listings, 'all' | 'orb' | 'watch'>, clock: Pick<Clock, 'monotonic'>) {
    this.#listings = listings;
    this.#clock = clock;
    for (const { orbId } of listings.all()) this.#compare(orbId);
    listings.watch(({ orbs }) => {
      for (const orbId of orbs) this.#compare(orbId);
    });
  }

  current(): PublicList {
    const now = this.#clock.monotonic();
    if (this.#made === undefined || this.#isDue(now - this.#made.at)) {
      this.#isOld = false;
      this.#hasOldScores = false;
      this.#made = { list: publicListOf(this.#listings.all()), at: now };
    }
    return this.#made.list;
  }

  #isDue(age: number): boolean {
    return this.#isOld || (this.#hasOldScores && age >= SCORE_DELAY_MS);
  }

  #compare(orbId: string): void {
    const orb = this.#listings.orb(orbId);
    const before = this.#shown.get(orbId);
    const shown: Shown = { text: shownOf(orb), score: orb?.standing.score };
    this.#shown.set(orbId, shown);
    if (before?.text !== shown.text) this.#isOld = true;
    else if (shown.text !== undefined && before?.score !== shown.score) this.#hasOldScores = true;
  }
}
