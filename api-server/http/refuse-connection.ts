import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCode } from '../../core/errors/error-code.ts';
import type { Connections } from './connections.ts';
import { problem } from './problem.ts';
import type { Reply } from './route.ts';
import type { Refusal } from './server-limits.ts';

type Fault = Extract<Refusal, 'headers-too-large' | 'request-timeout' | 'malformed-request'>;

const FAULTS: ReadonlyMap<string, Fault> = new Map([
  ['HPE_HEADER_OVERFLOW', 'headers-too-large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 'headers-too-large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request-timeout'],
]);
/** The caller ended its side inside a request: mostly it went away. */
const LEFT = 'HPE_INVALID_EOF_STATE';
const LINGER_MS = 500;
const METHODS = 'GET, HEAD, POST, PUT, DELETE';

function textOf(reply: Reply, requestId: string): string {
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

const isSilent = (socket: Duplex): boolean => 'bytesRead' in socket && socket.bytesRead === 0;

/**
 * Answers bytes that never became a request (listener of `clientError`; Node alone answers with an empty body), then
 * closes. The caller may still send. Its bytes are ignored for a moment: a reset would come before it reads the answer.
 */
export class ConnectionRefuser {
  readonly #refused = new WeakSet<Duplex>();
  readonly #connections: Connections;
  readonly #counted: (fault: Fault) => void;

  /** @param counted called for each connection that is refused */
  constructor(connections: Connections, counted: (fault: Fault) => void) {
    this.#connections = connections;
    this.#counted = counted;
  }

  /** The parser or a time limit refuses what was sent. */
  refuse(error: Error, socket: Duplex, requestId: string): void {
    // A caller that went away was not refused. Who never sent a byte gets no answer: there may be thousands at a time.
    if (errorCode(error) === 'ECONNRESET' || socket.destroyed || isSilent(socket)) socket.destroy();
    else {
      const fault = FAULTS.get(errorCode(error) ?? '') ?? 'malformed-request';
      if (this.#isFirst(socket) && errorCode(error) !== LEFT) this.#counted(fault);
      this.#answer(socket, textOf(problem({ requestId }, fault), requestId));
    }
  }

  /** CONNECT asks for a tunnel, and this server is no proxy (RFC 9110 §9.3.6). */
  refuseTunnel(socket: Duplex, requestId: string): void {
    const reply = problem({ requestId }, 'method-not-allowed', { headers: { allow: METHODS } });
    socket.on('error', () => undefined).resume();
    if (this.#isFirst(socket)) this.#counted('malformed-request');
    this.#answer(socket, textOf(reply, requestId));
  }

  #isFirst(socket: Duplex): boolean {
    return !this.#refused.has(socket);
  }

  #answer(socket: Duplex, text: string): void {
    if (this.#refused.has(socket)) return;
    this.#refused.add(socket);
    const standing = this.#connections.standing(socket);
    if (standing === 'begun' || !socket.writable) socket.destroy();
    else if (standing === 'busy') this.#connections.closeAfterAnswers(socket);
    else {
      const timer = setTimeout(() => socket.destroy(), LINGER_MS);
      socket.once('close', () => clearTimeout(timer));
      socket.end(text);
    }
  }
}
