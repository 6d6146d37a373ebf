import type { Logger } from '../../adapters/telemetry/port.ts';
import type { BoundSecret } from './secret-watch.ts';
import { VaultNamespace, type VaultNamespaceDeps } from './vault-namespace.ts';

export interface VaultWatchesDeps extends Pick<VaultNamespaceDeps, 'client' | 'reflect' | 'clock' | 'onChange'> {
  readonly logger: Pick<Logger, 'info'>;
  /** False with `rbac.vault=tenant`: a Role may be limited to names, and then a watch of a namespace is forbidden. */
  readonly mayWatchNamespaces: boolean;
  /** Most Secrets that are watched singly. A namespace that would exceed this number is watched as a whole. */
  readonly limit?: number;
}

// security.md §6.1: 500 single watches cost 70 MB here and 47 MB in kube-apiserver.
const LIMIT = 200;
// A namespace returns to single watches only well below the limit, so that it does not change all the time.
const BACK = 0.75;

/** A namespace, with the number of its single watches. */
interface Space {
  readonly vaults: VaultNamespace;
  singles: number;
}

/**
 * Watches the Secrets that Orbisets bind, and no others (security.md §6.1). Watches start and end with the bindings.
 * Bindings of one turn of the event loop take effect together at its end, only in their own namespace.
 */
export class VaultWatches {
  readonly #deps: VaultWatchesDeps;
  readonly #spaces = new Map<string, Space>();
  readonly #due = new Set<string>();
  #singles = 0;

  constructor(deps: VaultWatchesDeps) {
    this.#deps = deps;
  }

  /** The Secrets that this Orbiset binds from now on; an empty list: it was removed. */
  bind(orbiset: string, namespace: string, names: readonly string[]): void {
    const space = this.#spaces.get(namespace) ?? (names.length === 0 ? undefined : this.#open(namespace));
    if (space?.vaults.bind(orbiset, names) !== true) return;
    if (space.vaults.size === 0) this.#close(namespace, space);
    else this.#touch(namespace);
  }

  read(namespace: string, name: string): BoundSecret {
    return this.#spaces.get(namespace)?.vaults.read(name) ?? { kind: 'unread' };
  }

  /** An event in the namespace may have made Secrets readable. */
  nudge(namespace: string): void {
    this.#spaces.get(namespace)?.vaults.nudge();
  }

  /** Whether every bound Secret has an answer, of any kind. */
  get isSettled(): boolean {
    return [...this.#spaces.values()].every(({ vaults }) => vaults.isSettled);
  }

  stop(): void {
    for (const { vaults } of this.#spaces.values()) vaults.stop();
    this.#spaces.clear();
    this.#singles = 0;
  }

  #open(namespace: string): Space {
    const { logger, client, reflect, clock, onChange } = this.#deps;
    const vaults = new VaultNamespace(namespace, {
      client,
      reflect,
      clock,
      onChange,
      onDue: () => this.#touch(namespace),
      onLost: () => logger.info('Secrets of a vault may no longer be read', { namespace }),
    });
    const space = { vaults, singles: 0 };
    this.#spaces.set(namespace, space);
    return space;
  }

  #close(namespace: string, { vaults, singles }: Space): void {
    this.#singles -= singles;
    this.#spaces.delete(namespace);
    vaults.stop();
  }

  #touch(namespace: string): void {
    if (this.#due.size === 0) setImmediate(() => this.#adjust());
    this.#due.add(namespace);
  }

  #adjust(): void {
    const due = [...this.#due];
    this.#due.clear();
    for (const namespace of due) {
      const space = this.#spaces.get(namespace);
      if (space !== undefined) this.#adjustOne(space);
    }
  }

  /**
   * Only the namespace that exceeds the limit changes to one watch. Namespaces that came before keep their single
   * watches.
   */
  #adjustOne(space: Space): void {
    const { mayWatchNamespaces, limit = LIMIT } = this.#deps;
    const { vaults } = space;
    const others = this.#singles - space.singles;
    const isWide = mayWatchNamespaces && others + vaults.size > (vaults.isWide ? limit * BACK : limit);
    space.singles = isWide ? 0 : vaults.size;
    this.#singles = others + space.singles;
    vaults.adjust(isWide);
  }
}
