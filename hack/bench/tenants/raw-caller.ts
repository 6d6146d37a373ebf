import { connect, type Socket } from 'node:net';
import { Answers } from '../answers.ts';

/** Status of an answer; 0: the connection was cut before it came. */
type Status = number;

/** One keep-alive connection with one request at a time; it is opened again after it was cut. */
export class RawCaller {
  readonly #place: { readonly port: number; readonly address: string };
  #socket: Socket | undefined;
  #answers = new Answers();
  #waiting: ((status: Status) => void) | undefined;

  /** @param address local address: each caller has its own */
  constructor(port: number, address: string) {
    this.#place = { port, address };
  }

  send(request: Buffer): Promise<Status> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#socket ??= this.#open();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const { port, address } = this.#place;
    const socket = connect({ host: '127.0.0.1', port, localAddress: address, noDelay: true });
    this.#answers = new Answers();
    socket.on('data', (chunk) => {
      const answer = this.#answers.take(chunk);
      if (answer !== undefined) this.#settle(answer.status);
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
      this.#settle(0);
    });
    return socket;
  }

  #settle(status: Status): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(status);
  }
}

/** The bytes of a POST of JSON. */
export function postOf(path: string, key: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
  return Buffer.from(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
