import { keyOf, type KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { jsonEqual } from './json-equal.ts';
import type { Change, Kind, Store } from './port.ts';
import { compareResourceVersions, isNewer } from './resource-version.ts';
import { createStoreIndex, type IndexFunction, type StoreIndex } from './store-index.ts';
import { withoutUnusedFields, type Transform } from './store-transform.ts';
import { Tombstones } from './tombstones.ts';
import { Waiters } from './waiters.ts';

export interface StoreOptions {
  readonly kind: Kind;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  /** Applied after managedFields and kubectl's annotation were dropped. An object for which it throws is not stored. */
  readonly transform?: Transform;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Must only enqueue keys; what it throws is logged. */
  readonly onChange?: (change: Change) => void;
  /** Freezes objects to their depth, so that a reader that changes an object fails: for tests and development. */
  readonly freeze?: boolean;
}

/** Result of a LIST. */
interface Listing {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
  /** `highest()` when the LIST began. A LIST with a lower version comes from before: the history was rewound. */
  readonly floor: string | undefined;
}

/** The side of a store that its reflector writes. */
export interface WritableStore extends Store {
  /** @param initial the first LIST: the objects may be unchanged */
  readonly replace: (listing: Listing, initial: boolean) => 'replaced' | 'rewound';
  /** An ADDED or MODIFIED event. */
  readonly put: (object: KubeObject) => void;
  /** A DELETED event. */
  readonly remove: (object: KubeObject) => void;
  /** An event or bookmark of this version was seen. */
  readonly advance: (resourceVersion: string) => void;
  /** Reports every object as unchanged. */
  readonly resync: () => void;
  /** Newest version of any LIST, event, bookmark or answer. */
  readonly highest: () => string | undefined;
  readonly size: () => number;
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

/**
 * The object with the spec of the known one when both are equal. A status changes far more often than a spec, and
 * readers keep the spec of a generation: without this, each Orb would be held twice.
 */
function withKnownSpec(object: KubeObject, known: KubeObject | undefined): KubeObject {
  if (known?.spec === undefined || known.metadata.generation !== object.metadata.generation) return object;
  return jsonEqual(known.spec, object.spec) ? { ...object, spec: known.spec } : object;
}

const maxOf = (one: string | undefined, other: string): string =>
  one === undefined || (compareResourceVersions(other, one) ?? 1) > 0 ? other : one;

/** Compares the version of an object with a version; 0 when they can't be compared. */
const orderOf = ({ metadata }: KubeObject, resourceVersion: string | undefined): number =>
  compareResourceVersions(metadata.resourceVersion ?? '', resourceVersion ?? '') ?? 0;

class MemoryStore implements WritableStore {
  readonly #options: StoreOptions;
  readonly #objects = new Map<string, KubeObject>();
  readonly #indexes: ReadonlyMap<string, StoreIndex>;
  readonly #tombstones: Tombstones;
  readonly #waiters = new Waiters();
  /** Newest version of LISTs, events and bookmarks. */
  #seen: string | undefined;
  #highest: string | undefined;
  /** Built on demand, dropped on the next change. */
  #list: readonly KubeObject[] | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#tombstones = new Tombstones(options.clock.monotonic);
    const quarantined = (name: string) => (key: string, error: unknown) =>
      options.logger.warn('an object can not be indexed', { kind: options.kind.kind, key, index: name, error });
    this.#indexes = new Map(
      Object.entries(options.indexes ?? {}).map(([name, of]) => [name, createStoreIndex(of, quarantined(name))]),
    );
  }

  readonly get: Store['get'] = (key) => this.#objects.get(key);

  readonly list: Store['list'] = () => (this.#list ??= [...this.#objects.values()]);

  readonly byIndex: Store['byIndex'] = (name, value) => {
    const index = this.#indexes.get(name);
    if (index === undefined) throw new RangeError(`the store of ${this.#options.kind.plural} has no index ${name}`);
    return index.find(value);
  };

  readonly resourceVersion: Store['resourceVersion'] = () => this.#seen;

  readonly waitFor: Store['waitFor'] = (resourceVersion, signal) =>
    this.#waiters.wait(resourceVersion, this.#seen, signal);

  readonly offer: Store['offer'] = (object) => this.put(object);

  readonly highest: WritableStore['highest'] = () => this.#highest;

  readonly size: WritableStore['size'] = () => this.#objects.size;

  readonly put: WritableStore['put'] = (object) => {
    this.#raise(object.metadata.resourceVersion);
    const key = keyOf(object.metadata);
    if (this.#isStale(key, object)) return;
    this.#set(key, this.#entering(object), false);
  };

  readonly remove: WritableStore['remove'] = ({ metadata }) => {
    this.#raise(metadata.resourceVersion);
    const key = keyOf(metadata);
    const known = this.#objects.get(key);
    // A newer object of this name was written since.
    if (known !== undefined && orderOf(known, metadata.resourceVersion) > 0) return;
    this.#tombstones.put(key, metadata.uid, metadata.resourceVersion);
    this.#set(key, undefined, false);
  };

  readonly advance: WritableStore['advance'] = (resourceVersion) => {
    this.#seen = maxOf(this.#seen, resourceVersion);
    this.#raise(resourceVersion);
    this.#waiters.seen(this.#seen);
  };

  readonly replace: WritableStore['replace'] = ({ objects, resourceVersion, floor }, initial) => {
    const rewound = (compareResourceVersions(resourceVersion, floor ?? '') ?? 0) < 0;
    if (rewound) this.#forget();
    const listed = new Map(objects.map((object) => [keyOf(object.metadata), object]));
    for (const [key, object] of listed) this.#putListed(key, object, { initial, rewound });
    this.#removeUnlisted(listed, resourceVersion, rewound);
    this.advance(resourceVersion);
    if (rewound) this.#waiters.releaseAll();
    return rewound ? 'rewound' : 'replaced';
  };

  readonly resync: WritableStore['resync'] = () => {
    for (const [key, object] of this.#objects) this.#notify({ key, before: object, after: object, initial: true });
  };

  /** The history began again: known versions no longer give the order. */
  #forget(): void {
    this.#tombstones.clear();
    this.#seen = undefined;
    this.#highest = undefined;
  }

  #putListed(key: string, object: KubeObject, { initial, rewound }: { initial: boolean; rewound: boolean }): void {
    const known = this.#objects.get(key);
    if (!rewound) {
      if (!this.#isStale(key, object)) this.#set(key, this.#entering(object), initial);
      return;
    }
    const { uid, resourceVersion } = object.metadata;
    const same = known?.metadata.uid === uid && known?.metadata.resourceVersion === resourceVersion;
    this.#set(key, this.#entering(object), same);
  }

  #removeUnlisted(listed: ReadonlyMap<string, KubeObject>, listVersion: string, rewound: boolean): void {
    for (const [key, known] of this.#objects) {
      // An object that was written after the LIST was made can't be in it.
      const isLater = !rewound && orderOf(known, listVersion) > 0;
      if (listed.has(key) || isLater) continue;
      this.#tombstones.put(key, known.metadata.uid, listVersion);
      this.#set(key, undefined, false);
    }
  }

  #isStale(key: string, object: KubeObject): boolean {
    if (this.#tombstones.covers(key, object)) return true;
    const known = this.#objects.get(key);
    // The UID does not matter: versions order all objects of a kind.
    return known !== undefined && !isNewer(object.metadata.resourceVersion, known.metadata.resourceVersion);
  }

  #entering(object: KubeObject): KubeObject | undefined {
    const { transform, kind, logger, freeze: frozen } = this.#options;
    try {
      const lean = withoutUnusedFields(object);
      const kept = transform === undefined ? lean : transform(lean);
      const entered = kept === undefined ? undefined : withKnownSpec(kept, this.#objects.get(keyOf(object.metadata)));
      if (frozen === true) freeze(entered);
      return entered;
    } catch (error) {
      logger.warn('an object can not be taken in', { kind: kind.kind, key: keyOf(object.metadata), error });
      return undefined;
    }
  }

  #set(key: string, after: KubeObject | undefined, initial: boolean): void {
    const before = this.#objects.get(key);
    if (before === undefined && after === undefined) return;
    this.#list = undefined;
    if (after === undefined) {
      this.#objects.delete(key);
      for (const index of this.#indexes.values()) index.remove(key);
    } else {
      this.#objects.set(key, after);
      this.#tombstones.remove(key);
      for (const index of this.#indexes.values()) index.put(key, after);
    }
    this.#notify({ key, before, after, initial });
  }

  #notify(change: Change): void {
    const { onChange, kind, logger } = this.#options;
    try {
      onChange?.(change);
    } catch (error) {
      logger.error('a handler of changes failed', { kind: kind.kind, key: change.key, error });
    }
  }

  #raise(resourceVersion: string | undefined): void {
    if (resourceVersion !== undefined) this.#highest = maxOf(this.#highest, resourceVersion);
  }
}

/** An empty store. Objects enter only by its writer's side, which drops stale versions (operator.md A5). */
export const createStore = (options: StoreOptions): WritableStore => new MemoryStore(options);
