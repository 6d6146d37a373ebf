import type { Socket } from 'node:net';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Drops what is left of a body in the bytes that were read already: 64 KiB hold 10 000 chunks of one byte, and Node calls
 * back for each of them, also after the connection was destroyed. That takes 20 ms, without it 2 ms.
 *
 * Node offers no such call, so the callback of its parser is removed until the turn of the event loop ends. By then all
 * of these bytes are parsed, and the parser serves no other connection yet. Without that callback in a later Node, this
 * does nothing. Call it only for a connection that is not read further.
 */
export function ignoreBody(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (!isObject(parser)) return;
  const place: unknown = Reflect.get(parser.constructor, 'kOnBody');
  const callback: unknown = typeof place === 'number' ? Reflect.get(parser, place) : undefined;
  if (typeof place !== 'number' || typeof callback !== 'function') return;
  Reflect.set(parser, place, undefined);
  setImmediate(() => Reflect.set(parser, place, callback));
}
