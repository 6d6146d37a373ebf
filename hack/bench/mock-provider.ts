// A provider that answers at once with 1 kB: `node hack/bench/mock-provider.ts` prints its port.
import { createServer } from 'node:http';

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
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(
    `${JSON.stringify({ port: typeof address === 'object' && address !== null ? address.port : 0 })}\n`,
  );
});
