import type { Logger } from '../../adapters/telemetry/port.ts';
import { SecretWatch, type BoundSecret, type ReadingClient, type ReflectSecrets } from './secret-watch.ts';

export interface VaultWatchesDeps {
  readonly client: ReadingClient;
  readonly reflect: ReflectSecrets;
  readonly logger: Pick<Logger, 'info'>;
  /** False with `rbac.vault=tenant`: a Role may be limited to names, and a watch of a namespace is then forbidden. */
  readonly mayWatchNamespaces: boolean;
  /** A Secret that these Orbisets bind reads otherwise than before. */
  readonly onChange: (orbisets: readonly string[]) => void;
  /** Secrets that are watched one by one; above it, by namespace. */
  readonly limit?: number;
}

interface Bound {
  readonly namespace: string;
  readonly names: readonly string[];
}

/** What a watch is for: one Secret, or all that are bound of a namespace. */
interface Wanted {
  readonly namespace: string;
  readonly names: ReadonlySet<string>;
  readonly wide: boolean;
}

// security.md §6.1: 500 of them cost 70 MB here and 47 MB in kube-apiserver.
const LIMIT = 200;
// Back to single watches only well below the limit: no to and fro at the border.
const BACK = 0.75;

/** A running watch, with what it is for now. */
interface Running {
  readonly watch: SecretWatch;
  readonly namespace: string;
  readonly wide: boolean;
}

const serves = ({ watch, namespace, wide }: Running, wanted: Wanted): boolean =>
  namespace === wanted.namespace && wide === wanted.wide && [...wanted.names].every((name) => watch.names.has(name));

/**
 * Watches the Secrets that Orbisets bind, and no other (security.md §6.1): each by its name, or with very many one watch a
 * namespace. Watches begin and end with the bindings; one that is replaced serves until its successor has an answer.
 */
export class VaultWatches {
  readonly #deps: VaultWatchesDeps;
  readonly #bound = new Map<string, Bound>();
  /** In the order of their beginning. */
  readonly #watches = new Set<Running>();
  #wide = false;

  constructor(deps: VaultWatchesDeps) {
    this.#deps = deps;
  }

  /** What this Orbiset binds from now on; nothing: it is gone. */
  bind(orbiset: string, namespace: string, names: readonly string[]): void {
    const before = this.#bound.get(orbiset);
    if (before === undefined ? names.length === 0 : before.names.join(' ') === names.join(' ')) return;
    if (names.length === 0) this.#bound.delete(orbiset);
    else this.#bound.set(orbiset, { namespace, names });
    this.#adjust();
  }

  read(namespace: string, name: string): BoundSecret {
    let best: BoundSecret = { kind: 'unread' };
    for (const { watch, namespace: other } of this.#watches) {
      if (other !== namespace || !watch.names.has(name)) continue;
      const read = watch.read(name);
      // The newest watch stands last; one without an answer leaves the word to the one that it replaces.
      if (read.kind !== 'unread') best = read;
    }
    return best;
  }

  /** Something happened in the namespace that may let Secrets be read. */
  nudge(namespace: string): void {
    for (const { watch, namespace: other } of this.#watches) if (other === namespace) watch.nudge();
  }

  /** Whether every bound Secret was asked for, with whatever answer. */
  get isSettled(): boolean {
    return [...this.#watches].every(({ watch }) => watch.isSettled);
  }

  stop(): void {
    for (const { watch } of this.#watches) watch.stop();
    this.#watches.clear();
    this.#bound.clear();
  }

  #boundNames(): ReadonlyMap<string, ReadonlySet<string>> {
    const byNamespace = new Map<string, Set<string>>();
    for (const { namespace, names } of this.#bound.values()) {
      const all = byNamespace.get(namespace) ?? new Set();
      for (const name of names) all.add(name);
      byNamespace.set(namespace, all);
    }
    return byNamespace;
  }

  #wanted(): readonly Wanted[] {
    const bound = [...this.#boundNames()];
    const count = bound.reduce((sum, [, names]) => sum + names.size, 0);
    const limit = this.#deps.limit ?? LIMIT;
    this.#wide = this.#deps.mayWatchNamespaces && count > (this.#wide ? limit * BACK : limit);
    return bound.flatMap(([namespace, names]): readonly Wanted[] =>
      this.#wide
        ? [{ namespace, names, wide: true }]
        : [...names].map((name) => ({ namespace, names: new Set([name]), wide: false })),
    );
  }

  #adjust(): void {
    const wanted = this.#wanted();
    for (const each of wanted) {
      if (![...this.#watches].some((running) => serves(running, each))) this.#begin(each, false);
    }
    this.#trim(wanted);
  }

  /** What is not bound leaves the memory at once; a watch that is not wanted ends when others answer for all of its rest. */
  #trim(wanted: readonly Wanted[]): void {
    for (const running of this.#watches) {
      const { watch, namespace } = running;
      const here = wanted.filter((each) => each.namespace === namespace);
      for (const name of watch.names) if (!here.some(({ names }) => names.has(name))) watch.drop(name);
      const isWanted = here.some((each) => serves(running, each));
      const isReplaced = [...watch.names].every((name) => this.#isAnswered(running, here, name));
      if (watch.names.size === 0 || (!isWanted && isReplaced)) this.#end(running);
    }
  }

  /** Whether a wanted watch other than this one has an answer for a Secret. */
  #isAnswered(but: Running, wanted: readonly Wanted[], name: string): boolean {
    return [...this.#watches].some(
      (running) =>
        running !== but &&
        running.watch.isSettled &&
        wanted.some((each) => each.names.has(name) && serves(running, each)),
    );
  }

  #end(running: Running): void {
    this.#watches.delete(running);
    running.watch.stop();
  }

  #begin({ namespace, names, wide }: Wanted, forbidden: boolean): void {
    const { client, reflect } = this.#deps;
    const watch: SecretWatch = new SecretWatch({
      namespace,
      names,
      wide,
      forbidden,
      client,
      reflect,
      onChange: () => this.#changed(namespace, watch),
      onLost: () => this.#restart(running),
    });
    const running = { watch, namespace, wide };
    this.#watches.add(running);
    void watch.run();
  }

  /** A watch that goes on from where it was would never tell of a Secret that has not changed meanwhile. */
  #restart(running: Running): void {
    if (!this.#watches.has(running)) return;
    const { namespace, wide, watch } = running;
    this.#deps.logger.info('Secrets of a vault may no longer be read', { namespace });
    this.#end(running);
    this.#begin({ namespace, names: watch.names, wide }, true);
  }

  #changed(namespace: string, { names }: SecretWatch): void {
    const orbisets = [...this.#bound].filter(
      ([, bound]) => bound.namespace === namespace && bound.names.some((name) => names.has(name)),
    );
    this.#trim(this.#wanted());
    this.#deps.onChange(orbisets.map(([key]) => key));
  }
}
