import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { CompiledSource } from '../../core/ingestion/source/compile-source.ts';
import { judgeSource } from '../../core/ingestion/source/judge-source.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { generationOf } from '../../core/reconcile/read-object.ts';
import type { BoundSecret } from '../vault/secret-watch.ts';
import { KeptSources, restoredSource, type KeptSource, type SourceLedger } from './kept-sources.ts';
import { readSecrets, type UnusableSecret } from './read-secrets.ts';
import { SourceIndex } from './source-index.ts';
import type { SignalSource } from './source.ts';

/** Follows the Secrets of sources. */
export interface SourceSecretWatches {
  /** The Secrets that a source names from now on; an empty list: none. */
  readonly bind: (key: string, namespace: string, names: readonly string[]) => void;
  readonly read: (namespace: string, name: string) => BoundSecret;
}

export interface SourceFeedDeps {
  readonly ledger: SourceLedger;
  readonly platformNamespace: string;
  readonly logger: Logger;
  /** The id in the URL of a source. */
  readonly idOf: (path: { readonly namespace: string; readonly name: string; readonly pathEpoch: number }) => string;
}

/** A generation of a source that receives. */
interface InForce extends KeptSource {
  readonly compiled: CompiledSource;
}

/** A source in the state in which it was last taken over. */
interface KnownSource {
  readonly uid: string;
  readonly generation: number;
  /** This generation, or the last valid one of the same object. Undefined: nothing receives. */
  readonly inForce: InForce | undefined;
  readonly unusable: UnusableSecret | undefined;
}

/** What this process knows of a source. */
export interface SourceState {
  readonly uid: string;
  /** The generation that this is about. */
  readonly generation: number;
  /** What receives; undefined: nothing does. */
  readonly source: SignalSource | undefined;
  /** The first secret that can't be used; undefined: all can. */
  readonly unusable: UnusableSecret | undefined;
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';

function namedBy(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/**
 * Takes sources into force: each generation is judged once. One that is refused changes nothing; the last valid one
 * receives on, also after a restart.
 */
export class SourceFeed {
  readonly #deps: SourceFeedDeps;
  readonly #kept: KeptSources;
  readonly #known = new Map<string, KnownSource>();
  readonly index = new SourceIndex();

  constructor(deps: SourceFeedDeps) {
    this.#deps = deps;
    this.#kept = new KeptSources(deps.ledger);
  }

  /** Reads which generations received. @throws LedgerError */
  open(): Promise<void> {
    return this.#kept.open();
  }

  /** Sources that received before this process began, or do now. */
  keys(): Iterable<string> {
    return this.#kept.all.keys();
  }

  /** Whether no source waits for the first answer about its Secrets. */
  get isSettled(): boolean {
    return [...this.#known.values()].every(({ unusable }) => unusable?.fault !== 'unread');
  }

  state(namespace: string, name: string): SourceState | undefined {
    const known = this.#known.get(`${namespace}/${name}`);
    if (known === undefined) return undefined;
    const { uid, generation, unusable } = known;
    return { uid, generation, source: this.index.byName(namespace, name), unusable };
  }

  /**
   * Takes over the present state of one source and of its Secrets. Calls for one key must not overlap. What needs no
   * ledger has been done even when it rejects.
   * @param source undefined: it was deleted
   * @throws LedgerError the ledger is away: a later call makes it durable
   */
  async apply(key: string, source: KubeObject | undefined, watches: SourceSecretWatches): Promise<void> {
    if (source === undefined) return this.#remove(key, watches);
    const known = this.#known.get(key);
    const before = known?.uid === uidOf(source) ? known : undefined;
    const isSame = before?.generation === generationOf(source);
    const inForce = isSame ? before.inForce : await this.#judge(key, source, before);
    this.#put(key, { uid: uidOf(source), generation: generationOf(source), inForce }, watches);
    if (inForce === undefined) return this.#dropOther(key, uidOf(source));
    const { uid, generation, spec } = inForce;
    return this.#kept.keep(key, { uid, generation, spec });
  }

  async #judge(key: string, object: KubeObject, before: KnownSource | undefined): Promise<InForce | undefined> {
    const { platformNamespace, logger } = this.#deps;
    await nextTurn(); // many may come at once: other work gets a turn between two of them
    const judged = judgeSource(object, platformNamespace);
    const uid = uidOf(object);
    if (judged.kind === 'accepted')
      return { uid, generation: generationOf(object), spec: object.spec, compiled: judged.source };
    logger.warn('a version of a signal source does not take force', { source: key, reason: judged.reason });
    return before === undefined ? this.#restored(key, uid) : before.inForce;
  }

  /** After a start: the generation of the same object that received before. */
  #restored(key: string, uid: string): InForce | undefined {
    const { platformNamespace, logger } = this.#deps;
    const kept = this.#kept.all.get(key);
    if (kept?.uid !== uid) return undefined;
    const compiled = restoredSource(key, kept, platformNamespace);
    if (compiled !== undefined) return { ...kept, compiled };
    logger.error('a signal source that received can not be compiled any more: it receives nothing', { source: key });
    return undefined;
  }

  /** A row that only another program can compile stays; one of another object of this name goes. */
  async #dropOther(key: string, uid: string): Promise<void> {
    if (this.#kept.all.get(key)?.uid !== uid) await this.#kept.drop(key);
  }

  #put(key: string, known: Omit<KnownSource, 'unusable'>, watches: SourceSecretWatches): void {
    const { namespace, name } = namedBy(key);
    const { inForce } = known;
    if (inForce === undefined) {
      watches.bind(key, namespace, []);
      this.index.remove(namespace, name);
      this.#known.set(key, { ...known, unusable: undefined });
      return;
    }
    const { pathEpoch, secretRefs, ...compiled } = inForce.compiled;
    watches.bind(key, namespace, [...new Set(secretRefs.map((secret) => secret.name))]);
    const { secrets, unusable } = readSecrets(inForce.compiled, (secret) => watches.read(namespace, secret));
    const sourceId = this.#deps.idOf({ namespace, name, pathEpoch });
    const { uid, generation } = inForce;
    this.index.put({ ...compiled, namespace, name, uid, generation, sourceId, secrets });
    this.#known.set(key, { ...known, unusable });
  }

  async #remove(key: string, watches: SourceSecretWatches): Promise<void> {
    const { namespace, name } = namedBy(key);
    this.#known.delete(key);
    this.index.remove(namespace, name);
    watches.bind(key, namespace, []);
    await this.#kept.drop(key);
    this.#deps.logger.debug('signal source removed', { source: key });
  }
}
