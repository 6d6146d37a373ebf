import type { Logger } from '../../adapters/telemetry/port.ts';
import type { BoundSecret } from './secret-watch.ts';
import { VaultNamespace, type VaultNamespaceDeps } from './vault-namespace.ts';

export interface VaultWatchesDeps extends Pick<VaultNamespaceDeps, 'client' | 'reflect' | 'clock' | 'onChange'> {
  readonly logger: Pick<Logger, 'info'>;
  /** False with `rbac.vault=tenant`: a Role may be limited to names, and a watch of a namespace is then forbidden. */
  readonly mayWatchNamespaces: boolean;
  /** Secrets that are watched one by one; a namespace that would bring more is watched as a whole. */
  readonly limit?: number;
}

// security.md §6.1: 500 of them cost 70 MB here and 47 MB in kube-apiserver.
const LIMIT = 200;
// Back to single watches only well below the limit: no to and fro at the border.
const BACK = 0.75;

/** A namespace, with how many of the single watches are its own. */
interface Space {
  readonly vaults: VaultNamespace;
  singles: number;
}

/**
 * Watches the Secrets that Orbisets bind, and no other (security.md §6.1). Watches begin and end with the bindings: what is
 * bound in one turn of the event loop, together at its end, and for its own namespace only.
 */
export class VaultWatches {
  readonly #deps: VaultWatchesDeps;
  readonly #spaces = new Map<string, Space>();
  readonly #due = new Set<string>();
  #singles = 0;

  constructor(deps: VaultWatchesDeps) {
    this.#deps = deps;
  }

  /** What this Orbiset binds from now on; nothing: it is gone. */
  bind(orbiset: string, namespace: string, names: readonly string[]): void {
    const space = this.#spaces.get(namespace) ?? (names.length === 0 ? undefined : this.#open(namespace));
    if (space?.vaults.bind(orbiset, names) !== true) return;
    if (space.vaults.size === 0) this.#close(namespace, space);
    else this.#touch(namespace);
  }

  read(namespace: string, name: string): BoundSecret {
    return this.#spaces.get(namespace)?.vaults.read(name) ?? { kind: 'unread' };
  }

  /** Something happened in the namespace that may let Secrets be read. */
  nudge(namespace: string): void {
    this.#spaces.get(namespace)?.vaults.nudge();
  }

  /** Whether every bound Secret was asked for, with whatever answer. */
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

  /** First come, first served: the namespace that goes above the limit changes over, never one of others. */
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
