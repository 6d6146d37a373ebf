import { newTrack, type Status, type Track } from './track.ts';
import { aVersion } from './version.ts';

/** Versions that stay executable, so that they can be tested again. */
const KEPT = 8;

/** All versions of a run. */
export class Tracks {
  readonly #url: string;
  readonly #all: Track[] = [];

  /** @param url of the provider */
  constructor(url: string) {
    this.#url = url;
  }

  readonly all = (): readonly Track[] => this.#all;

  /** Makes versions that nobody knows yet. */
  add(count: number): readonly Track[] {
    const from = this.#all.length;
    const added = Array.from({ length: count }, (_, index) => newTrack(aVersion(from + index, this.#url)));
    this.#all.push(...added);
    return added;
  }

  /** The newest whole versions with one of these states. */
  listed(...statuses: readonly Status[]): readonly Track[] {
    return this.#all
      .filter(({ isListed, isBroken, status }) => isListed && !isBroken && statuses.includes(status))
      .slice(-KEPT);
  }

  /** Versions that the next process must be able to execute. */
  executable(others: readonly Track[]): ReadonlySet<Track> {
    return new Set([...this.listed('active'), ...others]);
  }
}
