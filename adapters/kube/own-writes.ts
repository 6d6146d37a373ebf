import type { ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Clock } from '../time/clock.ts';
import type { Kind, KubeClient, Store } from './port.ts';
import { isTimeout, within } from './within.ts';

/** Read your own writes (operator.md A5): shared by all that write objects of one store. */
export interface OwnWrites {
  /**
   * The object `ref` (without it: the one that the key names) was written for `key`.
   * @param resourceVersion of the answer
   */
  readonly note: (key: string, resourceVersion: string, ref?: ObjectRef) => void;
  /**
   * Resolves when the store has seen what was written for the key, or was given the live object after 5 s.
   * @throws KubeError the live object could not be read
   */
  readonly settle: (key: string, signal: AbortSignal) => Promise<void>;
}

interface OwnWritesOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly kind: Kind;
  readonly store: Pick<Store, 'waitFor' | 'offer'>;
  readonly clock: Clock;
}

interface Written {
  readonly resourceVersion: string;
  readonly ref: ObjectRef;
}

const WAIT_MS = 5000;

function refOf(key: string): ObjectRef {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

export function createOwnWrites({ client, kind, store, clock }: OwnWritesOptions): OwnWrites {
  const written = new Map<string, Written>();

  const seen = async (resourceVersion: string, signal: AbortSignal): Promise<boolean> => {
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
    if (!(await seen(last.resourceVersion, signal))) {
      const live = await client.get(kind, last.ref, signal);
      if (live !== undefined) store.offer(live);
    }
    if (written.get(key) === last) written.delete(key);
  };
  return {
    note: (key, resourceVersion, ref = refOf(key)) => void written.set(key, { resourceVersion, ref }),
    settle,
  };
}
