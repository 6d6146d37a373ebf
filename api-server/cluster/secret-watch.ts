import type { Transform } from '../../adapters/kube/store-transform.ts';
import { KubeError, type Change, type KubeClient, type Reflector, type Selection } from '../../adapters/kube/port.ts';
import { keyOf } from '../../core/reconcile/kube-object.ts';
import { sealed, valuesOf, type SecretValues } from './secret-values.ts';

/** One bound Secret as far as it is known. */
export type BoundSecret =
  | { readonly kind: 'found'; readonly version: string; readonly values: SecretValues }
  | { readonly kind: 'not-found' }
  /** The API server said that it may not be read. */
  | { readonly kind: 'forbidden' }
  /** Nobody has answered yet. */
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
  /** What is bound of it. One name: nothing else is asked for. */
  readonly names: ReadonlySet<string>;
  /** Asks for all Secrets of the namespace; those that are not bound never reach the memory. */
  readonly wide: boolean;
  /** It was forbidden to the watch that this one replaces. */
  readonly forbidden: boolean;
  readonly client: ReadingClient;
  readonly reflect: ReflectSecrets;
  /** Something of these Secrets reads otherwise than before. */
  readonly onChange: () => void;
  /** Reading was allowed, and no longer is: a new watch must begin with what there is then. */
  readonly onLost: () => void;
}

const isForbidden = (error: unknown): boolean => error instanceof KubeError && error.status === 403;

/** LIST and WATCH of one bound Secret, or of the bound ones of a namespace. */
export class SecretWatch {
  readonly #options: SecretWatchOptions;
  readonly #stopping = new AbortController();
  readonly #reflector: Reflector;
  readonly #names: Set<string>;
  #isForbidden: boolean;

  constructor(options: SecretWatchOptions) {
    const { namespace, names, wide, reflect } = options;
    this.#options = options;
    this.#isForbidden = options.forbidden;
    this.#names = new Set(names);
    const [name = ''] = names;
    this.#reflector = reflect({
      client: this.#listening(options.client),
      selection: { namespace, ...(wide ? {} : { fieldSelector: `metadata.name=${name}` }) },
      transform: (secret) => (this.#names.has(secret.metadata.name) ? sealed(secret) : undefined),
      onChange: (change) => this.#changed(change),
    });
  }

  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Nobody binds it any more: it leaves the memory. */
  drop(name: string): void {
    this.#names.delete(name);
    valuesOf(this.#reflector.store.get(this.#keyOf(name)))?.retire();
  }

  /** Works until `stop`; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#stopping;
    const told = async (): Promise<void> => {
      await this.#reflector.synced;
      if (!signal.aborted) this.#options.onChange();
    };
    void told();
    await this.#reflector.run(signal);
  }

  /** Whether an answer of any kind has come. */
  get isSettled(): boolean {
    return this.#isForbidden || this.#reflector.hasSynced();
  }

  read(name: string): BoundSecret {
    if (this.#isForbidden) return { kind: 'forbidden' };
    if (!this.#reflector.hasSynced()) return { kind: 'unread' };
    const secret = this.#reflector.store.get(this.#keyOf(name));
    const values = valuesOf(secret);
    if (secret === undefined || values === undefined) return { kind: 'not-found' };
    const { uid = '', resourceVersion = '' } = secret.metadata;
    return { kind: 'found', version: `${uid} ${resourceVersion}`, values };
  }

  /** What kept it from reading may be over. */
  nudge(): void {
    if (this.#isForbidden) this.#reflector.nudge();
  }

  /** Its values are overwritten when nobody uses them. */
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
    this.#options.onChange();
    old?.retire();
  }

  /** The reflector tries for ever; only here is known whether it may. */
  #listening(client: ReadingClient): ReadingClient {
    const heard = async <T>(asked: Promise<T>): Promise<T> => {
      try {
        const answer = await asked;
        this.#isForbidden = false;
        return answer;
      } catch (error) {
        if (isForbidden(error)) this.#forbid();
        throw error;
      }
    };
    return {
      list: (kind, query, signal) => heard(client.list(kind, query, signal)),
      watch: (kind, query, signal) => heard(client.watch(kind, query, signal)),
    };
  }

  #forbid(): void {
    if (this.#stopping.signal.aborted || this.#isForbidden) return;
    this.#isForbidden = true;
    if (this.#reflector.hasSynced()) this.#options.onLost();
    this.#options.onChange();
  }
}
