import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** An answer to one request. */
export interface Answer {
  /** 0: the connection broke. */
  readonly status: number;
  readonly text: string;
  /** From its due time until its answer was read. */
  readonly ms: number;
}

/** One request. */
export interface Delivery {
  readonly path: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Addresses of clients: the rate of one client would hold a storm back. */
const CLIENTS = 250;

/** A vendor with many senders, behind one proxy. */
export class Sender {
  readonly #port: number;
  readonly #agent: Agent;
  #sent = 0;

  /** @param connections at most open */
  constructor(port: number, connections: number) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Never rejects. @param due when it was to be sent, of `performance.now()` */
  send({ path, body, headers }: Delivery, due = performance.now()): Promise<Answer> {
    this.#sent += 1;
    const client = `10.1.${Math.floor((this.#sent % CLIENTS) / 250)}.${this.#sent % CLIENTS}`;
    return new Promise((resolve) => {
      const options = { port: this.#port, path, method: 'POST', agent: this.#agent };
      const call = request({
        ...options,
        headers: {
          'content-type': 'application/json',
          'content-length': body.length,
          'x-forwarded-for': client,
          ...headers,
        },
      });
      const end = (status: number, text: string): void => resolve({ status, text, ms: performance.now() - due });
      call.on('error', () => end(0, ''));
      call.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', () => end(0, ''));
        response.on('end', () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')));
      });
      call.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/**
 * Calls `next` at a rate, whatever earlier calls wait for.
 * @param next undefined: nothing is left; it gets the time at which it was due
 */
export async function atRate(perSecond: number, next: (due: number) => Promise<void> | undefined): Promise<void> {
  const began = performance.now();
  const running = new Set<Promise<void>>();
  for (let count = 0; ; count += 1) {
    const due = began + (count * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 1) await delay(wait);
    const call = next(due);
    if (call === undefined) break;
    const ended = call.finally(() => running.delete(ended));
    running.add(ended);
  }
  await Promise.all(running);
}
