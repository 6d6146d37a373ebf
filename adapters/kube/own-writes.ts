import { keyOf, type ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Clock } from '../time/clock.ts';
import type { Kind, KubeClient, Store } from './port.ts';
import { compareResourceVersions } from './resource-version.ts';
import { isTimeout, within } from './within.ts';

/** Read your own writes (operator.md A5): shared by all writers of one store. */
export interface OwnWrites {
  /**
   * The object `ref` was written for `key`; default: the object that the key names.
   * @param resourceVersion of the answer
   */
  readonly note: (key: string, resourceVersion: string, ref?: ObjectRef) => void;
  /**
   * The server refused a write because a newer version than the cached one exists. The live object is read before the
   * next run.
   */
  readonly doubt: (key: string) => void;
  /**
   * Resolves when the store has the object as it was written for the key, or has seen that version. After 5 s the store
   * is given the live object.
   * @throws KubeError the live object could not be read
   */
  readonly settle: (key: string, signal: AbortSignal) => Promise<void>;
}

interface OwnWritesOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly kind: Kind;
  readonly store: Pick<Store, 'get' | 'waitFor' | 'offer'>;
  readonly clock: Clock;
  /** The object that a key is about; default: the one that it names. */
  readonly refOf?: (key: string) => ObjectRef;
}

interface Written {
  /** Absent: a version newer than the cache, not known exactly. */
  readonly resourceVersion?: string;
  readonly ref: ObjectRef;
}

const WAIT_MS = 5000;

function namedBy(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function createOwnWrites(options: OwnWritesOptions): OwnWrites {
  const { client, kind, store, clock, refOf = namedBy } = options;
  const written = new Map<string, Written>();

  /** The answer of a write is offered to the store, so a worker seldom has to wait until the watch brings it too. */
  const isCached = (resourceVersion: string, ref: ObjectRef): boolean => {
    const cached = store.get(keyOf(ref))?.metadata.resourceVersion ?? '';
    return (compareResourceVersions(cached, resourceVersion) ?? -1) >= 0;
  };

  const seen = async ({ resourceVersion, ref }: Written, signal: AbortSignal): Promise<boolean> => {
    if (resourceVersion === undefined) return false;
    if (isCached(resourceVersion, ref)) return true;
    try {
      await within({ clock, ms: WAIT_MS, what: 'the cache' }, signal, (limited) =>
        store.waitFor(resourceVersion, limited),
      );
      return true;
    } catch (error) {
      if (signal.aborted || !isTimeout(error)) throw error;
      return false;
    }
  };

  const settle: OwnWrites['settle'] = async (key, signal) => {
    const last = written.get(key);
    if (last === undefined) return;
    if (!(await seen(last, signal))) {
      const live = await client.get(kind, last.ref, signal);
      if (live !== undefined) store.offer(live);
    }
    if (written.get(key) === last) written.delete(key);
  };
  return {
    doubt: (key) => void written.set(key, { ref: refOf(key) }),
    note: (key, resourceVersion, ref = refOf(key)) => void written.set(key, { resourceVersion, ref }),
    settle,
  };
}
