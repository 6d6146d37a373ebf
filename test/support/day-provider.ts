import { createServer, type RequestListener } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** The secret that each path of the provider wants. */
export const DAY_SECRETS = { hook: 'T012/B345/abcdefghij12', key: 'sk-local-1234567890' } as const;

const LATE_MS = 3000;

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

/** By path. A text is sent as it is, anything else as JSON. */
const answers: Readonly<Record<string, Answer>> = {
  '/search': [200, { total: 2, items: [{ title: 'a' }, { title: 'b' }], took: 1.5, more: false }],
  '/html': [200, `<p>${'x'.repeat(1193)}</p>`, { 'content-type': 'text/html' }],
  '/number': [200, { ts: 5 }],
  '/message': [200, { ts: '5' }],
  '/large': [200, { ts: 'x'.repeat(5 * 1024 * 1024) }],
  '/limited': [429, {}, { 'retry-after': '37' }],
  '/denied': [401, {}],
  '/down': [500, {}],
  '/three': [200, { text: 'hallo' }],
};

const chatAnswer = (text: string): Answer => [
  200,
  { choices: [{ message: { content: `heard ${text.length} characters` } }], usage: { total_tokens: 12 } },
];

function answerTo(path: string, authorization: string, text: string): Answer {
  if (path === `/services/${DAY_SECRETS.hook}`) return [200, 'ok', { 'content-type': 'text/plain' }];
  if (path === '/chat') return authorization === `Bearer ${DAY_SECRETS.key}` ? chatAnswer(text) : [401, {}];
  return answers[path] ?? [404, {}];
}

const listener: RequestListener = (request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  request.on('end', () => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const [status, body, headers = {}] = answerTo(path, request.headers.authorization ?? '', text);
    const send = (): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (path === '/slow') setTimeout(send, LATE_MS).unref();
    else send();
  });
};

/** The providers that a person writes on the first day, in one process: good ones, and one for each way to fail. */
export async function startDayProvider(): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  const server = createServer(listener);
  const port = await listenOnLoopback(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
