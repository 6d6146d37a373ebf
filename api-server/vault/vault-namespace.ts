import type { Clock } from '../../adapters/time/clock.ts';
import { Pace } from './pace.ts';
import { SecretWatch, type BoundSecret, type ReadingClient, type ReflectSecrets } from './secret-watch.ts';

export interface VaultNamespaceDeps {
  readonly client: ReadingClient;
  readonly reflect: ReflectSecrets;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** The state of a Secret that these Orbisets bind has changed. */
  readonly onChange: (orbisets: readonly string[]) => void;
  /** `adjust` must be called. */
  readonly onDue: () => void;
  /** Secrets may no longer be read. */
  readonly onLost: () => void;
}

/** Time between two LISTs of a namespace for newly bound Secrets, and between two nudges. */
const GAP_MS = 1000;
/** Slow LISTs of a namespace take at most a fifth of the time … */
const LIST_SHARE = 4;
/** … unless its Orbisets would wait longer than this. */
const HOLD_CAP_MS = 10_000;

const versionOf = (secret: BoundSecret): string => (secret.kind === 'found' ? secret.version : secret.kind);
const isAnswer = ({ kind }: BoundSecret): boolean => kind === 'found' || kind === 'not-found';

/** The better answer of two watches for one Secret: a successful read goes before a refusal. */
const better = (older: BoundSecret, newer: BoundSecret): BoundSecret =>
  newer.kind === 'unread' || (newer.kind === 'forbidden' && isAnswer(older)) ? older : newer;

/** Whether the newer watch can replace the older one: the older one has no answer that the newer one lacks. */
const answersFor = (newer: SecretWatch, older: SecretWatch): boolean =>
  newer.hasSynced || !older.isSettled || (newer.isSettled && !older.hasSynced);

/**
 * The watches of the Secrets that the Orbisets of one namespace bind: one for each name, or one for all. A replaced
 * watch stays in use until its successor has an answer. The cost of each call depends only on its changes.
 */
export class VaultNamespace {
  readonly #namespace: string;
  readonly #deps: VaultNamespaceDeps;
  readonly #stopping = new AbortController();
  /** Orbiset → Secrets. */
  readonly #bindings = new Map<string, readonly string[]>();
  /** Secret → Orbisets. */
  readonly #users = new Map<string, Set<string>>();
  /** Bound Secrets that no watch of the present sort reads yet. */
  readonly #fresh = new Set<string>();
  readonly #singles = new Map<string, SecretWatch>();
  /** In the order of their start. */
  #wides: readonly SecretWatch[] = [];
  #isWide = false;
  readonly #relist: Pace;
  readonly #nudge: Pace;

  constructor(namespace: string, deps: VaultNamespaceDeps) {
    this.#namespace = namespace;
    this.#deps = deps;
    const paced = { clock: deps.clock, signal: this.#stopping.signal, gapMs: GAP_MS };
    this.#relist = new Pace({ ...paced, act: () => this.#listAgain() });
    this.#nudge = new Pace({ ...paced, act: () => this.#each((watch) => watch.nudge()) });
  }

  /** Number of bound Secrets. */
  get size(): number {
    return this.#users.size;
  }

  get isWide(): boolean {
    return this.#isWide;
  }

  /** Whether every bound Secret has an answer, of any kind. */
  get isSettled(): boolean {
    const newest = this.#wides.at(-1);
    const watches = this.#isWide && newest !== undefined ? [newest] : [...this.#singles.values()];
    return this.#fresh.size === 0 && watches.every(({ isSettled }) => isSettled);
  }

  /**
   * Secrets without a binding leave the memory at once; `adjust` does the rest.
   * @returns whether the bindings changed
   */
  bind(orbiset: string, names: readonly string[]): boolean {
    const before = this.#bindings.get(orbiset) ?? [];
    if (before.join(' ') === names.join(' ')) return false;
    if (names.length === 0) this.#bindings.delete(orbiset);
    else this.#bindings.set(orbiset, names);
    const now = new Set(names);
    for (const name of now) this.#use(orbiset, name);
    for (const name of before) if (!now.has(name)) this.#leave(orbiset, name);
    return true;
  }

  /** Starts the missing watches. @param wide one watch for all of them */
  adjust(wide: boolean): void {
    if (wide !== this.#isWide) for (const name of this.#users.keys()) this.#fresh.add(name);
    this.#isWide = wide;
    if (wide) this.#widen();
    else this.#narrow();
    this.#trim();
  }

  read(name: string): BoundSecret {
    return this.#readBut(name, undefined);
  }

  /** An event may have made Secrets readable. */
  nudge(): void {
    this.#nudge.ask();
  }

  stop(): void {
    this.#stopping.abort();
    this.#each((watch) => watch.stop());
    this.#singles.clear();
    this.#wides = [];
  }

  #use(orbiset: string, name: string): void {
    const users = this.#users.get(name);
    if (users !== undefined) return void users.add(orbiset);
    this.#users.set(name, new Set([orbiset]));
    this.#fresh.add(name);
  }

  #leave(orbiset: string, name: string): void {
    const users = this.#users.get(name);
    users?.delete(orbiset);
    if (users?.size !== 0) return;
    this.#users.delete(name);
    this.#fresh.delete(name);
    for (const watch of this.#wides) watch.drop(name);
    this.#endSingle(name);
  }

  #readBut(name: string, but: SecretWatch | undefined): BoundSecret {
    const single = this.#singles.get(name);
    const watches = [...(single === undefined ? [] : [single]), ...this.#wides];
    return watches
      .filter((watch) => watch !== but)
      .map((watch) => watch.read(name))
      .reduce(better, { kind: 'unread' });
  }

  #widen(): void {
    const newest = this.#wides.at(-1);
    for (const name of this.#fresh) if (newest?.names.has(name) === true) this.#fresh.delete(name);
    if (newest !== undefined && !newest.hasSynced) this.#join(newest);
    if (this.#fresh.size > 0) this.#relist.ask();
  }

  #listAgain(): void {
    const newest = this.#wides.at(-1);
    if (!this.#isWide || this.#fresh.size === 0) return;
    if (newest?.hasSynced === false) this.#join(newest);
    else this.#beginWide(false);
  }

  /** A watch whose first LIST is not complete can take more names. */
  #join(newest: SecretWatch): void {
    const joining = [...this.#fresh];
    newest.add(joining);
    this.#fresh.clear();
    if (newest.isSettled) this.#tell(joining);
  }

  #narrow(): void {
    for (const name of this.#fresh) if (!this.#singles.has(name)) this.#beginSingle(name, false);
    this.#fresh.clear();
  }

  /** Ends the watches that other watches replace. */
  #trim(): void {
    const newest = this.#wides.at(-1);
    if (newest === undefined) return;
    if (this.#isWide) this.#trimBehind(newest);
    else this.#wides.filter((wide) => this.#areReplacing(wide)).forEach((wide) => this.#endWide(wide));
  }

  #trimBehind(newest: SecretWatch): void {
    for (const wide of this.#wides) if (wide !== newest && answersFor(newest, wide)) this.#endWide(wide);
    for (const [name, single] of this.#singles)
      if (newest.names.has(name) && answersFor(newest, single)) this.#endSingle(name);
  }

  #areReplacing(wide: SecretWatch): boolean {
    return [...this.#singles.values()].every((single) => answersFor(single, wide));
  }

  #beginSingle(name: string, forbidden: boolean): void {
    const lost = (): void => this.#lostSingle(name, watch);
    const watch: SecretWatch = this.#watchOf([name], { wide: false, forbidden, lost });
    this.#singles.set(name, watch);
    void watch.run();
  }

  #beginWide(forbidden: boolean): void {
    const lost = (): void => this.#lostWide(watch);
    const watch: SecretWatch = this.#watchOf(this.#users.keys(), { wide: true, forbidden, lost });
    this.#wides = [...this.#wides, watch];
    this.#fresh.clear();
    void watch.run();
  }

  #watchOf(
    names: Iterable<string>,
    { wide, forbidden, lost }: { readonly wide: boolean; readonly forbidden: boolean; readonly lost: () => void },
  ): SecretWatch {
    const { client, reflect, clock } = this.#deps;
    const watch: SecretWatch = new SecretWatch({
      namespace: this.#namespace,
      names,
      wide,
      forbidden,
      client,
      reflect,
      clock,
      onChange: (name) => this.#tell([name]),
      onSettled: () => {
        if (wide) this.#relist.holdFor(Math.min(watch.listMs * LIST_SHARE, HOLD_CAP_MS));
        this.#settled(watch);
      },
      onLost: lost,
    });
    return watch;
  }

  #settled(watch: SecretWatch): void {
    const late = watch.hasSynced ? watch.takeLate() : [];
    for (const name of late) if (this.#users.has(name)) this.#fresh.add(name);
    const changed = [...watch.names].filter((name) => {
      const before = this.#readBut(name, watch);
      return versionOf(before) !== versionOf(better(before, watch.read(name)));
    });
    this.#deps.onDue();
    this.#tell(changed);
  }

  /** Starts a new watch: the old one would never report a Secret that has not changed meanwhile. */
  #lostSingle(name: string, watch: SecretWatch): void {
    if (this.#singles.get(name) !== watch) return;
    this.#deps.onLost();
    this.#endSingle(name);
    this.#beginSingle(name, true);
    this.#tell([name]);
  }

  #lostWide(watch: SecretWatch): void {
    if (!this.#wides.includes(watch)) return;
    this.#deps.onLost();
    const names = [...watch.names];
    const wasNewest = this.#wides.at(-1) === watch;
    this.#endWide(watch);
    if (wasNewest && this.#isWide) this.#beginWide(true);
    this.#tell(names);
  }

  #endSingle(name: string): void {
    this.#singles.get(name)?.stop();
    this.#singles.delete(name);
  }

  #endWide(watch: SecretWatch): void {
    this.#wides = this.#wides.filter((wide) => wide !== watch);
    watch.stop();
  }

  #each(act: (watch: SecretWatch) => void): void {
    for (const watch of [...this.#singles.values(), ...this.#wides]) act(watch);
  }

  #tell(names: readonly string[]): void {
    const orbisets = new Set(names.flatMap((name) => [...(this.#users.get(name) ?? [])]));
    if (orbisets.size > 0) this.#deps.onChange([...orbisets]);
  }
}
