import { resyncPeriodically } from '../kube/resync.ts';
import type { Change, Kind, Reflector, ReflectorState, Selection, Store } from '../kube/port.ts';
import { createStore, type WritableStore } from '../kube/store.ts';
import type { IndexFunction } from '../kube/store-index.ts';
import type { Transform } from '../kube/store-transform.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import type { ObjectTable } from './object-table.ts';
import { changeFor, matches, type ShownWrite } from './selection.ts';

/** The same as the options of a cluster's reflector (adapters/kube/reflector.ts). */
export interface LocalReflectorOptions {
  readonly kind: Kind;
  readonly selection?: Selection;
  readonly indexes?: Readonly<Record<string, IndexFunction>>;
  readonly transform?: Transform;
  readonly freeze?: boolean;
  /** Must only enqueue keys. */
  readonly onChange: (change: Change) => void;
}

export interface LocalReflectorDeps {
  readonly table: ObjectTable;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A cache of one selection. It takes in each write in the same turn in which the write is shown. */
class LocalReflector implements Reflector {
  readonly store: Store;
  readonly synced: Promise<void>;
  readonly #deps: LocalReflectorDeps;
  readonly #kind: string;
  readonly #selection: Selection;
  readonly #cache: WritableStore;
  readonly #setSynced: () => void;
  #running: Promise<void> | undefined;
  #state: ReflectorState = 'idle';
  #hasSynced = false;
  #lastContact: number;
  /** Number of callers that wait for a version. Only they need the versions of other objects' writes. */
  #waiting = 0;

  constructor(deps: LocalReflectorDeps, options: LocalReflectorOptions) {
    const { clock, logger } = deps;
    this.#deps = deps;
    this.#kind = options.kind.kind;
    this.#selection = options.selection ?? {};
    this.#cache = createStore({ ...options, clock, logger });
    const { get, list, byIndex, offer } = this.#cache;
    this.store = { get, list, byIndex, offer, resourceVersion: this.#resourceVersion, waitFor: this.#waitFor };
    this.#lastContact = clock.monotonic();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.synced = promise;
    this.#setSynced = resolve;
  }

  readonly hasSynced: Reflector['hasSynced'] = () => this.#hasSynced;

  readonly state: Reflector['state'] = () => this.#state;

  readonly failure: Reflector['failure'] = () => undefined;

  /** Does nothing: this cache never backs off. */
  readonly nudge: Reflector['nudge'] = () => undefined;

  readonly lastContactMs: Reflector['lastContactMs'] = () => {
    if (this.#state === 'watching') this.#lastContact = this.#deps.clock.monotonic();
    return this.#lastContact;
  };

  readonly run: Reflector['run'] = (signal) => (this.#running ??= this.#runUntil(signal));

  async #runUntil(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.#follow(signal);
    this.#state = 'stopped';
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { table, clock } = this.#deps;
    const objects = table.all(this.#kind).filter((object) => matches(object, this.#selection));
    const stop = table.subscribe((shown) => this.#take(shown));
    this.#state = 'watching';
    this.#cache.replace({ objects, resourceVersion: table.version, floor: undefined }, true);
    this.#hasSynced = true;
    this.#setSynced();
    await resyncPeriodically(clock, this.#cache.resync, signal).catch(() => undefined);
    this.lastContactMs();
    stop();
  }

  #take(shown: ShownWrite): void {
    const change = shown.kind === this.#kind ? changeFor(shown, this.#selection) : 'none';
    if (change === 'put') this.#cache.put(shown.object);
    if (change === 'remove') this.#cache.remove(shown.object);
    if (this.#waiting > 0) this.#cache.advance(shown.version);
  }

  readonly #resourceVersion: Store['resourceVersion'] = () => {
    this.#catchUp();
    return this.#cache.resourceVersion();
  };

  readonly #waitFor: Store['waitFor'] = async (resourceVersion, signal) => {
    this.#catchUp();
    this.#waiting += 1;
    try {
      await this.#cache.waitFor(resourceVersion, signal);
    } finally {
      this.#waiting -= 1;
    }
  };

  /** Versions count all writes of the process, and this cache has taken in each write that was shown. */
  #catchUp(): void {
    if (this.#state === 'watching') this.#cache.advance(this.#deps.table.version);
  }
}

/** Does nothing before `run`. */
export const createLocalReflector = (deps: LocalReflectorDeps, options: LocalReflectorOptions): Reflector =>
  new LocalReflector(deps, options);
