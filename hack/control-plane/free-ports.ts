import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

// Below what systems give to outgoing connections (Linux from 32768, others from 49152) and to node ports (from 30000): a port
// that is free now stays free until its server listens, and while that is killed and started again.
const FIRST = 20_000;
const LAST = 29_999;
const TRIES = 100;

const close = (server: Server): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));

/** @returns undefined: somebody listens there */
function taken(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function takeOne(): Promise<{ readonly port: number; readonly server: Server }> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, LAST + 1);
    const server = await taken(port);
    if (server !== undefined) return { port, server };
  }
  throw new Error(`no free port of 127.0.0.1 between ${FIRST} and ${LAST} after ${TRIES} tries`);
}

/** Free ports of 127.0.0.1, all taken at once so that they differ, for servers that can't be told to take any. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found: Awaited<ReturnType<typeof takeOne>>[] = [];
  try {
    while (found.length < count) found.push(await takeOne());
    return found.map(({ port }) => port);
  } finally {
    await Promise.all(found.map(({ server }) => close(server)));
  }
}
