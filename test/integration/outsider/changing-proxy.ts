import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** Changes an answer; gives the same bytes for one that it leaves alone. */
export type Change = (path: string, body: Buffer) => Buffer;

/** Leaves every answer alone. */
export const unchanged: Change = (_, body) => body;

/** A proxy between the platform and a reader. */
export interface ChangingProxy {
  readonly url: string;
  /** How many answers were changed since this was last set. */
  readonly changed: () => number;
  readonly setChange: (change: Change) => void;
  /** Paths that were asked for with a key: an outsider has none. */
  readonly withKey: readonly string[];
  readonly close: () => Promise<void>;
}

/** @param target address of the platform */
export async function aChangingProxy(target: string): Promise<ChangingProxy> {
  let change = unchanged;
  let count = 0;
  const withKey: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    if (request.headers.authorization !== undefined) withKey.push(path);
    void (async () => {
      const answer = await fetch(`${target}${path}`);
      const body = Buffer.from(await answer.arrayBuffer());
      const changed = answer.ok ? change(path, Buffer.from(body)) : body;
      if (!changed.equals(body)) count += 1;
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(changed);
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    changed: () => count,
    setChange: (next) => {
      change = next;
      count = 0;
    },
    withKey,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
