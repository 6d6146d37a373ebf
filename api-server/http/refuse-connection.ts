import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Connections } from './connections.ts';
import { problem } from './problem.ts';
import type { ProblemCode } from './problems.ts';

const CODES: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};
const LINGER_MS = 500;

function answerTo(error: Error, requestId: string): string {
  const code = errorCode(error) ?? '';
  const reply = problem({ requestId }, (Object.hasOwn(CODES, code) ? CODES[code] : undefined) ?? 'malformed-request');
  const lines = [
    `HTTP/1.1 ${reply.status} ${STATUS_CODES[reply.status] ?? ''}`,
    ...Object.entries(reply.headers).map(([name, value]) => `${name}: ${value}`),
    `orb-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    'cache-control: private, no-store',
    `content-length: ${Buffer.byteLength(reply.body)}`,
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${String(reply.body)}`;
}

/**
 * Answers bytes that never became a request (listener of `clientError`; Node alone answers with an empty body), then
 * closes. The caller may still send. Its bytes are ignored for a moment: a reset would come before it reads the answer.
 */
export class ConnectionRefuser {
  readonly #refused = new WeakSet<Duplex>();
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  refuse(error: Error, socket: Duplex, requestId: string): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const standing = this.#connections.standing(socket);
    if (standing === 'begun' || !socket.writable || errorCode(error) === 'ECONNRESET') socket.destroy();
    else if (standing === 'busy') this.#connections.closeAfterAnswers(socket);
    else {
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
      socket.end(answerTo(error, requestId));
    }
  }
}
