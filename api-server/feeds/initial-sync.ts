import { keyOf } from '../../core/reconcile/kube-object.ts';
import type { Reflector } from '../../adapters/kube/port.ts';

/** Reports when everything that existed at the start has been taken over once. */
export class InitialSync {
  readonly #taken = new Set<string>();
  #left: Set<string> | undefined;

  constructor(reflector: Pick<Reflector, 'synced' | 'store'>) {
    void this.#begin(reflector);
  }

  /** A key was handled, with or without success. */
  took(key: string): void {
    if (this.#left === undefined) this.#taken.add(key);
    else this.#left.delete(key);
  }

  get isOver(): boolean {
    return this.#left?.size === 0;
  }

  async #begin({ synced, store }: Pick<Reflector, 'synced' | 'store'>): Promise<void> {
    await synced;
    const keys = store.list().map(({ metadata }) => keyOf(metadata));
    this.#left = new Set(keys.filter((key) => !this.#taken.has(key)));
    this.#taken.clear();
  }
}
