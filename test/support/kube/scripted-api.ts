import type { KubeClient, ListPage, ListQuery, WatchQuery } from '../../../adapters/kube/port.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';

/** The server's end of one watch. */
export interface ScriptedWatch {
  readonly query: WatchQuery;
  /** Texts or bytes, one chunk each. */
  readonly send: (...chunks: readonly (string | Uint8Array)[]) => void;
  /** A clean end, or a broken connection. */
  readonly end: (error?: Error) => void;
  /** The reflector has closed it. */
  readonly isClosed: () => boolean;
}

/** LIST and WATCH under the control of the test, without a socket: only the events that the test sends happen. */
export interface ScriptedApi {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly lists: readonly ListQuery[];
  readonly watches: readonly ScriptedWatch[];
  /** Returns the answer of a LIST; throws its refusal. */
  onList: (query: ListQuery, signal: AbortSignal) => ListPage | Promise<ListPage>;
  /** Throws the refusal of a WATCH. */
  onWatch: (query: WatchQuery, signal: AbortSignal) => void | Promise<void>;
}

export const aPage = (items: readonly KubeObject[], resourceVersion: string | number): ListPage => ({
  items,
  resourceVersion: String(resourceVersion),
});

const encoder = new TextEncoder();

const nobody = (): void => undefined;

function openWatch(
  query: WatchQuery,
  signal: AbortSignal,
): { watch: ScriptedWatch; chunks: AsyncIterable<Uint8Array> } {
  const queue: Uint8Array[] = [];
  let ended: { readonly error: Error | undefined } | undefined;
  let closed = false;
  let wake = nobody;
  signal.addEventListener('abort', () => wake(), { once: true });
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        signal.throwIfAborted();
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (ended?.error !== undefined) throw ended.error;
        else if (ended !== undefined) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      closed = true;
    }
  }
  const watch: ScriptedWatch = {
    query,
    send: (...parts) => {
      for (const part of parts) queue.push(typeof part === 'string' ? encoder.encode(part) : part);
      wake();
    },
    end: (error) => {
      ended = { error };
      wake();
    },
    isClosed: () => closed,
  };
  return { watch, chunks: chunks() };
}

/** A caller that gave up does not wait for a server that never answers. */
function orAbort<T>(answer: T | Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve(answer).then(resolve, reject);
  });
}

/** By default lists nothing at version 1, and opens every watch. */
export function createScriptedApi(): ScriptedApi {
  const lists: ListQuery[] = [];
  const watches: ScriptedWatch[] = [];
  const api: ScriptedApi = {
    lists,
    watches,
    onList: () => aPage([], 1),
    onWatch: () => undefined,
    client: {
      list: async (_kind, query, signal) => {
        signal.throwIfAborted();
        lists.push(query);
        return orAbort(api.onList(query, signal), signal);
      },
      watch: async (_kind, query, signal) => {
        signal.throwIfAborted();
        const { watch, chunks } = openWatch(query, signal);
        watches.push(watch);
        await orAbort(api.onWatch(query, signal), signal);
        return chunks;
      },
    },
  };
  return api;
}
