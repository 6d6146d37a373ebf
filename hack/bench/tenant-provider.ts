// Providers of `npm run bench tenants`: `node hack/bench/tenant-provider.ts` prints its port. The ends of the paths say what they
// do: fast, slow, together (all answers at one moment), or the name of a hostile answer. `stalled` never sends its last bytes.
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';
import { hostileAnswers } from '../../test/support/hostile-answers.ts';
import { FAST_MS, HOSTILE_ANSWERS, SECRET, SLOW_MS } from './tenants/parts.ts';

const PLAIN = Buffer.from('{"id":"x"}');
const hostile = Object.fromEntries(
  Object.entries(HOSTILE_ANSWERS).map(([name, { kind, bytes }]) => [
    `/${name}`,
    Buffer.from(hostileAnswers(SECRET, bytes)[kind] ?? ''),
  ]),
);

/** Time until the answer, ms. */
function waitMs(path: string): number {
  if (path === '/slow') return SLOW_MS;
  if (path === '/fast') return FAST_MS;
  return path === '/together' ? SLOW_MS - (performance.now() % SLOW_MS) : 0;
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const path = request.url ?? '';
  const body = hostile[path] ?? PLAIN;
  request.resume().once('end', () => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      if (path === '/stalled') response.write(body.subarray(1));
      else response.end(body);
    }, waitMs(path));
  });
});
const port = await listenOnLoopback(server);
process.stdout.write(`${JSON.stringify({ port })}\n`);
