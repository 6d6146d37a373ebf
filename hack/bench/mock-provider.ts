// A provider that answers at once with 1 kB, below /large with 64 KiB: `node hack/bench/mock-provider.ts` prints its port.
// Its answer is also that of a chat model, so that a gateway for models takes it.
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

const SMALL = 1000;
const LARGE = 64 * 1024;

const answerWith = (content: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-0123456789',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'bench',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 200, completion_tokens: 180, total_tokens: 380 },
      message_id: 'm-0123456789',
      status: 'queued',
    }),
  );
const empty = answerWith('').length;
const answerOf = (bytes: number): Buffer => answerWith('x'.repeat(bytes - empty));
const [small, large] = [answerOf(SMALL), answerOf(LARGE)];

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    const body = request.url?.startsWith('/large') === true ? large : small;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});
const port = await listenOnLoopback(server);
process.stdout.write(`${JSON.stringify({ port })}\n`);
