import type { IncomingMessage } from 'node:http';
import type { ByteAccount } from '../../adapters/http/byte-budget.ts';
import { BodyBytes } from './body-bytes.ts';
import { ChunkSizes, cutSmallChunks } from './chunk-sizes.ts';
import type { Refusal } from './server-limits.ts';
import { stopReading } from './stop-reading.ts';

/** Bounds on bytes of bodies that have not arrived whole. */
export type BodyReason = Extract<Refusal, `body-bytes${string}`>;

export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'too-large' }
  /** The process, the address or the key holds too many bytes of half-sent bodies. */
  | { readonly kind: 'no-room'; readonly reason: BodyReason }
  /** The body was not complete at the deadline. */
  | { readonly kind: 'late' }
  /** The caller went away before the body was complete, or was cut. */
  | { readonly kind: 'gone' };

/** On which terms a body is read. */
export interface BodyTerms {
  readonly limitBytes: number;
  /** Time for the whole body, ms; absent: the limit of the server. */
  readonly deadlineMs?: number;
}

/** Bounds of a body that does not arrive in one piece. */
export interface BodyBounds {
  /** Opens its account. @param cut called when the body must be dropped */
  readonly hold: (cut: (reason: BodyReason) => void) => ByteAccount;
  /** Counts a request that was cut because of its small chunks. */
  readonly smallChunks: () => void;
}

const EMPTY: BodyResult = { kind: 'body', bytes: new Uint8Array(0) };

const declaredLength = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** True when the request announces a body, empty chunked ones included. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || declaredLength(request) > 0;

const isTooLarge = (request: IncomingMessage, limitBytes: number): boolean => declaredLength(request) > limitBytes;

/** True when the announced body has a known size within the limit: such a body is cheap to read and discard. */
export const isSmallBody = (request: IncomingMessage, limitBytes: number): boolean =>
  request.headers['transfer-encoding'] === undefined && !isTooLarge(request, limitBytes);

/** A declared type that is JSON in UTF-8 (RFC 8259 §8.1: no other charset), and no content coding. */
export function isPlainJson(request: IncomingMessage): boolean {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') return false;
  const type = request.headers['content-type'];
  if (type === 'application/json') return true;
  const [essence = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json') return false;
  return parameters.every((text) => !/^\s*charset\s*=/.test(text) || /^\s*charset\s*=\s*"?utf-8"?\s*$/.test(text));
}

/** Whether the caller waits for `100 Continue` before it sends a body that may be read. */
export const awaitsContinue = (request: IncomingMessage, limitBytes: number): boolean =>
  request.headers.expect !== undefined && request.httpVersionMinor > 0 && !isTooLarge(request, limitBytes);

/**
 * Reads the whole body, at most `limitBytes`. Express's reader is not used: it costs 33 µs a request
 * (performance.md §2). After `too-large` the rest is unread: `respond` closes the connection.
 */
export function readBody(
  request: IncomingMessage,
  { limitBytes, deadlineMs }: BodyTerms,
  bounds: BodyBounds,
): Promise<BodyResult> | BodyResult {
  if (!hasBody(request)) return EMPTY;
  if (isTooLarge(request, limitBytes)) return { kind: 'too-large' };
  if (request.destroyed) return { kind: 'gone' };
  return new Promise((resolve) => {
    const declared = declaredLength(request);
    const body = new BodyBytes();
    const sizes = new ChunkSizes();
    let account: ByteAccount | undefined;
    let timer: NodeJS.Timeout | undefined;
    const settle = (result: BodyResult): void => {
      clearTimeout(timer);
      account?.close();
      if (result.kind !== 'body') body.free();
      request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
      // A reset after this point still emits an error.
      request.on('error', () => undefined);
      resolve(result);
    };
    const stop = (result: BodyResult): void => {
      settle(result); // first: what `stopReading` drops must not come here as data
      stopReading(request);
    };
    const onData = (chunk: Buffer): void => {
      if (body.size + chunk.length > limitBytes) return settle({ kind: 'too-large' });
      if (!sizes.add(chunk.length)) {
        bounds.smallChunks();
        return cutSmallChunks(request);
      }
      const held = body.add(chunk);
      // Most bodies are whole with their first chunk: the process does not wait for the rest of them.
      if (body.size === declared) return;
      account ??= bounds.hold((reason) => stop({ kind: 'no-room', reason }));
      account.grow(held);
    };
    const onEnd = (): void => settle({ kind: 'body', bytes: body.whole() });
    const onGone = (): void => settle({ kind: 'gone' });
    if (deadlineMs !== undefined) timer = setTimeout(() => settle({ kind: 'late' }), deadlineMs);
    request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  });
}
