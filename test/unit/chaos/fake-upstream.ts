import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** A watch that the test feeds. */
interface OpenWatch {
  readonly url: string;
  /** Writes one event as a line. */
  readonly emit: (type: string, object: unknown) => void;
  readonly end: () => void;
}

/** A small API server: objects by path with versions, and watches that the test feeds. */
export interface FakeUpstream {
  readonly url: string;
  /** `METHOD path` of everything that arrived, in order. */
  readonly seen: readonly string[];
  /** Resolves with the n-th watch (from 1) once it is open. */
  readonly watch: (nth: number) => Promise<OpenWatch>;
  readonly close: () => Promise<void>;
}

interface Stored {
  readonly text: string;
  readonly version: number;
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

class Upstream {
  readonly seen: string[] = [];
  readonly #objects = new Map<string, Stored>();
  readonly #watches: OpenWatch[] = [];
  readonly #waiting: (() => void)[] = [];
  #version = 100;

  async handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const url = incoming.url ?? '';
    const body = await readText(incoming);
    this.seen.push(`${incoming.method} ${url}`);
    if (url.includes('watch=true')) this.#open(url, outgoing);
    else if (incoming.method === 'GET') this.#json(outgoing, 200, { items: [], metadata: { resourceVersion: '100' } });
    else this.#write(url.split('?')[0] ?? '', body, outgoing);
  }

  /** A write of what is there already changes nothing and keeps the version, as the API server does it. */
  #write(path: string, text: string, outgoing: ServerResponse): void {
    const before = this.#objects.get(path);
    if (before?.text !== text) this.#version += 1;
    const version = before?.text === text ? before.version : this.#version;
    this.#objects.set(path, { text, version });
    const metadata = {
      name: path.split('/').at(-1),
      namespace: 'n',
      uid: `uid-${path}`,
      resourceVersion: String(version),
    };
    this.#json(outgoing, before === undefined ? 201 : 200, { metadata });
  }

  #json(outgoing: ServerResponse, status: number, body: unknown): void {
    outgoing.writeHead(status, { 'content-type': 'application/json' });
    outgoing.end(JSON.stringify(body));
  }

  #open(url: string, outgoing: ServerResponse): void {
    outgoing.writeHead(200, { 'content-type': 'application/json' });
    outgoing.flushHeaders();
    this.#watches.push({
      url,
      emit: (type, object) => void outgoing.write(`${JSON.stringify({ type, object })}\n`),
      end: () => void outgoing.end(),
    });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async watch(nth: number): Promise<OpenWatch> {
    for (;;) {
      const found = this.#watches[nth - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/** Starts it on a free loopback port. */
export async function startFakeUpstream(): Promise<FakeUpstream> {
  const upstream = new Upstream();
  const server = createServer((incoming, outgoing) => {
    upstream.handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    seen: upstream.seen,
    watch: (nth) => upstream.watch(nth),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An object as events carry it. */
export const anObject = (name: string, version: number): unknown => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name, namespace: 'n', uid: `uid-${name}`, resourceVersion: String(version) },
});
