import { keyOf } from '../../core/reconcile/kube-object.ts';
import type { Reflector, Store } from './port.ts';

/** The part of a reflector that the initial sync reads. */
interface InitialSyncSource extends Pick<Reflector, 'synced'> {
  readonly store: Pick<Store, 'list'>;
}

/** Reports when everything that existed at the start has been taken over once. */
export class InitialSync {
  /** Resolves when `isOver` becomes true. Never rejects. */
  readonly over: Promise<void>;
  readonly #end: () => void;
  readonly #taken = new Set<string>();
  #left: Set<string> | undefined;

  constructor(source: InitialSyncSource) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    this.#end = resolve;
    void this.#begin(source);
  }

  /** A key was handled, with or without success. */
  took(key: string): void {
    if (this.#left === undefined) this.#taken.add(key);
    else this.#left.delete(key);
    if (this.isOver) this.#end();
  }

  get isOver(): boolean {
    return this.#left?.size === 0;
  }

  async #begin({ synced, store }: InitialSyncSource): Promise<void> {
    await synced;
    const keys = store.list().map(({ metadata }) => keyOf(metadata));
    this.#left = new Set(keys.filter((key) => !this.#taken.has(key)));
    this.#taken.clear();
    if (this.isOver) this.#end();
  }
}
