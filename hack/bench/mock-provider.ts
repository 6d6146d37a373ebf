// A provider that answers at once with 1 kB: `node hack/bench/mock-provider.ts` prints its port.
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

const filler = 'x'.repeat(940);
const body = Buffer.from(JSON.stringify({ message_id: 'm-0123456789', status: 'queued', filler }));
const headers = { 'content-type': 'application/json', 'content-length': body.length };

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, headers);
    response.end(body);
  });
});
const port = await listenOnLoopback(server);
process.stdout.write(`${JSON.stringify({ port })}\n`);
