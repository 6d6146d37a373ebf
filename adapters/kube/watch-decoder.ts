import { setImmediate as nextTurn } from 'node:timers/promises';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { readKubeJson, toKubeObject } from './kube-json.ts';
import { statusError } from './kube-status.ts';
import type { Kind, KubeError } from './port.ts';

/** One line of a watch. */
export type WatchEvent =
  | { readonly kind: 'changed' | 'deleted'; readonly object: KubeObject; readonly resourceVersion: string | undefined }
  /** Nothing changed up to this version: its object has no data. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }
  /** The server ends the watch: 410 for a resource version that is too old, though the HTTP status was 200. */
  | { readonly kind: 'error'; readonly error: KubeError };

/** A line that is not an event. The stream is broken: skipping the line would lose an event. */
export class MalformedWatch extends Error {}

/** 8 MiB: etcd holds 1.5 MiB an object, and a watch event is one object. */
const MAX_LINE = 8 * 1024 * 1024;
const NEWLINE = 0x0a;
const TURN_MS = 10;

/** Lines of a byte stream, without their ends. A last line without an end was cut off, so it is dropped. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      yield parts.length === 0 ? piece : Buffer.concat([...parts, piece]);
      parts = [];
      size = 0;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > MAX_LINE) throw new MalformedWatch(`a line of the watch is longer than ${MAX_LINE} bytes`);
    if (rest.length > 0) parts.push(rest);
  }
}

function statusOf(object: unknown): number {
  const code = isJsonObject(object) ? object['code'] : undefined;
  return typeof code === 'number' ? code : 500;
}

function eventOf(type: unknown, value: unknown, { kind, mayRound }: { kind: Kind; mayRound: boolean }): WatchEvent {
  if (type === 'ERROR')
    return {
      kind: 'error',
      error: statusError({ status: statusOf(value), body: value, what: `watch of ${kind.plural}` }),
    };
  const meta = isJsonObject(value) ? value['metadata'] : undefined;
  const resourceVersion = isJsonObject(meta) ? meta['resourceVersion'] : undefined;
  if (type === 'BOOKMARK' && typeof resourceVersion === 'string') return { kind: 'bookmark', resourceVersion };
  const object = toKubeObject(value, kind, mayRound);
  if (object === undefined) throw new MalformedWatch('a line of the watch holds no object');
  if (type === 'ADDED' || type === 'MODIFIED')
    return { kind: 'changed', object, resourceVersion: object.metadata.resourceVersion };
  if (type === 'DELETED') return { kind: 'deleted', object, resourceVersion: object.metadata.resourceVersion };
  throw new MalformedWatch('a line of the watch is of an unknown type');
}

/** @throws MalformedWatch */
function decodeLine(line: Uint8Array, kind: Kind): WatchEvent {
  try {
    const { value, mayRound } = readKubeJson(line);
    if (!isJsonObject(value)) throw new MalformedWatch('a line of the watch is no object');
    return eventOf(value['type'], value['object'], { kind, mayRound });
  } catch (error) {
    if (error instanceof MalformedWatch) throw error;
    throw new MalformedWatch('a line of the watch is not JSON in UTF-8', { cause: error });
  }
}

/**
 * Events of a watch (NDJSON; operator.md A3). Lets the event loop turn after 10 ms of events.
 * @param monotonic ms
 * @throws MalformedWatch, or an error of the stream
 */
export async function* decodeWatch(
  chunks: AsyncIterable<Uint8Array>,
  { kind, monotonic }: { readonly kind: Kind; readonly monotonic: () => number },
): AsyncGenerator<WatchEvent> {
  let since = monotonic();
  for await (const line of linesOf(chunks)) {
    if (line.length === 0) continue;
    yield decodeLine(line, kind);
    if (monotonic() - since < TURN_MS) continue;
    await nextTurn();
    since = monotonic();
  }
}
