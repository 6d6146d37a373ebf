import type { Transform } from '../../adapters/kube/store-transform.ts';
import {
  KubeError,
  type Change,
  type KubeClient,
  type ListPage,
  type ListQuery,
  type Reflector,
  type Selection,
} from '../../adapters/kube/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import { Refusals } from './refusals.ts';
import { sealed, valuesOf, type SecretValues } from './secret-values.ts';

/** State of one bound Secret, as far as it is known. */
export type BoundSecret =
  | { readonly kind: 'found'; readonly version: string; readonly values: SecretValues }
  | { readonly kind: 'not-found' }
  /** The API server refused to let it be read. */
  | { readonly kind: 'forbidden' }
  /** No answer has come yet. */
  | { readonly kind: 'unread' };

/** The calls that a reflector makes. */
export type ReadingClient = Pick<KubeClient, 'list' | 'watch'>;

/** Makes a reflector of Secrets. */
export type ReflectSecrets = (about: {
  readonly client: ReadingClient;
  readonly selection: Selection;
  readonly transform: Transform;
  readonly onChange: (change: Change) => void;
}) => Reflector;

export interface SecretWatchOptions {
  readonly namespace: string;
  /** Names of the bound Secrets. Unless `wide` is set there is one name, and only that Secret is read. */
  readonly names: Iterable<string>;
  /** Reads all Secrets of the namespace. Secrets without a binding are never kept in memory. */
  readonly wide: boolean;
  /** Reading was forbidden to the watch that this one replaces. */
  readonly forbidden: boolean;
  readonly client: ReadingClient;
  readonly reflect: ReflectSecrets;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The state of this Secret has changed. */
  readonly onChange: (name: string) => void;
  /** The first answer for all names has come, of any kind. */
  readonly onSettled: () => void;
  /** Reading was allowed and no longer is. A new watch must start from the present state. */
  readonly onLost: () => void;
}

/** Page size for a namespace: a Secret may have 1 MiB, most are not bound, and parsing a page blocks the process. */
const WIDE_PAGE = 50;

const isForbidden = (error: unknown): boolean => error instanceof KubeError && error.status === 403;

/** LIST and WATCH of one bound Secret, or of the bound ones of a namespace. */
export class SecretWatch {
  readonly #options: SecretWatchOptions;
  readonly #stopping = new AbortController();
  readonly #reflector: Reflector;
  readonly #refusals: Refusals;
  readonly #bound: Set<string>;
  /** Bound names that the newest LIST covers. They stay fixed after the first complete LIST. */
  #asked: Set<string>;
  #isForbidden: boolean;
  #firstPage: number | undefined;
  #listMs = 0;

  constructor(options: SecretWatchOptions) {
    const { namespace, wide, reflect, clock } = options;
    this.#options = options;
    this.#isForbidden = options.forbidden;
    this.#refusals = new Refusals(clock);
    this.#bound = new Set(options.names);
    this.#asked = new Set(this.#bound);
    const [name = ''] = this.#bound;
    this.#reflector = reflect({
      client: this.#listening(options.client),
      selection: { namespace, ...(wide ? {} : { fieldSelector: `metadata.name=${name}` }) },
      transform: (secret) => (this.#asked.has(secret.metadata.name) ? sealed(secret) : undefined),
      onChange: (change) => this.#changed(change),
    });
  }

  get names(): ReadonlySet<string> {
    return this.#bound;
  }

  /** Adds names, only before the first LIST is complete. Names that are bound later need another watch. */
  add(names: Iterable<string>): void {
    for (const name of names) this.#bound.add(name);
  }

  /** No Orbiset binds it any more: its values leave the memory. */
  drop(name: string): void {
    this.#bound.delete(name);
    this.#asked.delete(name);
    valuesOf(this.#reflector.store.get(this.#keyOf(name)))?.retire();
  }

  /** Removes and returns the names that came too late for the first LIST. */
  takeLate(): readonly string[] {
    const late = [...this.#bound].filter((name) => !this.#asked.has(name));
    for (const name of late) this.#bound.delete(name);
    return late;
  }

  /** Runs until `stop`. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    const reportWhenSynced = async (): Promise<void> => {
      await this.#reflector.synced;
      if (!signal.aborted) this.#options.onSettled();
    };
    void reportWhenSynced();
    await this.#reflector.run(signal);
  }

  /** Whether an answer of any kind has come. */
  get isSettled(): boolean {
    return this.#isForbidden || this.hasSynced;
  }

  /** Whether the first LIST is complete. */
  get hasSynced(): boolean {
    return this.#reflector.hasSynced();
  }

  /**
   * Time from the first page of the newest LIST to its last page, ms. The wait before the first page does not count.
   */
  get listMs(): number {
    return this.#listMs;
  }

  read(name: string): BoundSecret {
    if (!this.#bound.has(name)) return { kind: 'unread' };
    if (this.#isForbidden) return { kind: 'forbidden' };
    if (!this.hasSynced || !this.#asked.has(name)) return { kind: 'unread' };
    const secret = this.#reflector.store.get(this.#keyOf(name));
    const values = valuesOf(secret);
    if (secret === undefined || values === undefined) return { kind: 'not-found' };
    const { uid = '', resourceVersion = '' } = secret.metadata;
    return { kind: 'found', version: `${uid} ${resourceVersion}`, values };
  }

  /** The cause of the refusal may be gone. */
  nudge(): void {
    if (this.#isForbidden || this.#refusals.isRefused) this.#reflector.nudge();
  }

  /** Ends the watch. Its values are overwritten as soon as they are no longer used. */
  stop(): void {
    this.#stopping.abort();
    for (const secret of this.#reflector.store.list()) valuesOf(secret)?.retire();
  }

  #keyOf(name: string): string {
    return keyOf({ namespace: this.#options.namespace, name });
  }

  #changed({ before, after }: Change): void {
    const [old, now] = [valuesOf(before), valuesOf(after)];
    if (old === now) return; // a resync: nothing happened
    const name = (after ?? before)?.metadata.name ?? '';
    // The results of the first LIST are reported once, when it is complete. A Secret without a binding is not reported.
    if (this.hasSynced && this.#bound.has(name)) this.#options.onChange(name);
    old?.retire();
  }

  /** Observes whether reading is allowed. The reflector itself retries for ever and does not report it. */
  #listening(client: ReadingClient): ReadingClient {
    const heard = async <T>(asked: Promise<T>): Promise<T> => {
      try {
        const answer = await asked;
        this.#isForbidden = false;
        this.#refusals.over();
        return answer;
      } catch (error) {
        this.#failed(error);
        throw error;
      }
    };
    return {
      list: async (kind, query, signal) => {
        if (query.continue === undefined) this.#begin();
        return this.#bounded(await heard(client.list(kind, this.#paged(query), signal)));
      },
      watch: (kind, query, signal) => heard(client.watch(kind, query, signal)),
    };
  }

  #begin(): void {
    this.#firstPage = undefined;
    if (!this.hasSynced) this.#asked = new Set(this.#bound);
  }

  #paged(query: ListQuery): ListQuery {
    const { limit } = query;
    return this.#options.wide && limit !== undefined ? { ...query, limit: Math.min(limit, WIDE_PAGE) } : query;
  }

  /** A LIST is kept in memory until its last page, so Secrets without a binding are removed from each page. */
  #bounded(page: ListPage): ListPage {
    const now = this.#options.clock.monotonic();
    this.#firstPage ??= now;
    this.#listMs = now - this.#firstPage;
    return { ...page, items: page.items.filter(({ metadata }) => this.#asked.has(metadata.name)) };
  }

  #failed(error: unknown): void {
    if (this.#stopping.signal.aborted || this.#isForbidden) return;
    if (!isForbidden(error)) {
      if (error instanceof KubeError && error.status === 0) this.#refusals.over();
      return;
    }
    this.#refusals.count();
    if (this.hasSynced && !this.#refusals.haveLasted) return;
    this.#isForbidden = true;
    if (this.hasSynced) this.#options.onLost();
    else this.#options.onSettled();
  }
}
