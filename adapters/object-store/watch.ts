import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Selection } from '../kube/port.ts';
import type { ObjectTable } from './object-table.ts';
import { changeFor, matches, type ShownWrite } from './selection.ts';

interface WatchOptions {
  readonly kind: string;
  readonly selection: Selection;
  /** Version of the LIST or event that was seen last. */
  readonly since: number;
  readonly signal: AbortSignal;
}

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const line = (type: EventType | 'ERROR', object: unknown): Uint8Array =>
  Buffer.from(`${JSON.stringify({ type, object })}\n`);

const EXPIRED = { kind: 'Status', code: 410, reason: 'Expired' };

const versionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);

/**
 * Changes since that version, one event per object: states in between are not kept.
 * @returns undefined: the version is too old
 */
function missedChanges(
  table: ObjectTable,
  { kind, selection, since }: WatchOptions,
): readonly Uint8Array[] | undefined {
  const { labelSelector: _labels, ...place } = selection;
  // Includes objects that may have had the labels before: removing an unknown object succeeds.
  const deleted = table.deletedSince(kind, since)?.filter((object) => matches(object, place));
  if (deleted === undefined) return undefined;
  const gone = new Set<KubeObject>(deleted);
  const changed = table.all(kind).filter((object) => versionOf(object) > since && matches(object, place));
  return [...deleted, ...changed]
    .toSorted((one, other) => versionOf(one) - versionOf(other))
    .map((object) => line(gone.has(object) || !matches(object, selection) ? 'DELETED' : 'MODIFIED', object));
}

function eventOf(shown: ShownWrite, { kind, selection }: WatchOptions): Uint8Array | undefined {
  const change = shown.kind === kind ? changeFor(shown, selection) : 'none';
  if (change === 'none') return undefined;
  return line(change === 'remove' ? 'DELETED' : shown.before === undefined ? 'ADDED' : 'MODIFIED', shown.object);
}

/** Lines that the reader has not read yet. */
class Lines {
  readonly #lines: Uint8Array[] = [];
  #wake: () => void = () => undefined;

  push(text: Uint8Array | undefined): void {
    if (text === undefined) return;
    this.#lines.push(text);
    this.#wake();
  }

  /** Wakes the reader to check its signal. */
  wake(): void {
    this.#wake();
  }

  /** @throws the signal's reason */
  async next(signal: AbortSignal): Promise<Uint8Array> {
    for (;;) {
      signal.throwIfAborted();
      const first = this.#lines.shift();
      if (first !== undefined) return first;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** The bytes of a watch. It waits for writes, until it is aborted or its reader returns. */
export async function* watchOf(table: ObjectTable, options: WatchOptions): AsyncGenerator<Uint8Array> {
  const { signal } = options;
  const earlier = missedChanges(table, options);
  if (earlier === undefined) {
    yield line('ERROR', EXPIRED);
    return;
  }
  const lines = new Lines();
  for (const text of earlier) lines.push(text);
  const unsubscribe = table.subscribe((shown) => lines.push(eventOf(shown, options)));
  const stop = (): void => lines.wake();
  signal.addEventListener('abort', stop);
  try {
    for (;;) yield await lines.next(signal);
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', stop);
  }
}
