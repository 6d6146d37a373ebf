import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { compareResourceVersions, isNewer } from './resource-version.ts';

interface Tombstone {
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly until: number;
}

/** 5 min (operator.md A5): longer than any answer to a write may take. */
const LIFE_MS = 300_000;

/** Deleted objects: a late answer to a write must not bring one back (OpenSandbox #1673). */
export class Tombstones {
  readonly #stones = new Map<string, Tombstone>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  put(key: string, uid: string | undefined, resourceVersion: string | undefined): void {
    this.#expire();
    const last = this.#stones.get(key)?.resourceVersion;
    if (!isNewer(resourceVersion, last)) return; // an earlier deletion, seen late
    this.#stones.delete(key); // moves it to the end: the map is ordered by time
    this.#stones.set(key, { uid, resourceVersion, until: this.#monotonic() + LIFE_MS });
  }

  /** Whether `object` is from before the deletion. */
  covers(key: string, { metadata }: KubeObject): boolean {
    this.#expire();
    const stone = this.#stones.get(key);
    if (stone === undefined) return false;
    const { uid, resourceVersion = '' } = metadata;
    const order = compareResourceVersions(resourceVersion, stone.resourceVersion ?? '');
    // By version where it can be compared: an object that left a selection may come back with the same UID.
    return order === undefined ? uid !== undefined && uid === stone.uid : order <= 0;
  }

  remove(key: string): void {
    this.#stones.delete(key);
  }

  clear(): void {
    this.#stones.clear();
  }

  #expire(): void {
    const now = this.#monotonic();
    for (const [key, { until }] of this.#stones) {
      if (until > now) return;
      this.#stones.delete(key);
    }
  }
}
