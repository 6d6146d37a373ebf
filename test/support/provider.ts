import { createServer as createHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** One request as a provider received it. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** A provider under the control of a test. */
export interface TestProvider {
  readonly port: number;
  readonly seen: SeenRequest[];
  readonly connections: () => number;
  /** Answers the pending requests to `/held`. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

type Behaviour = (request: SeenRequest, response: ServerResponse) => void;

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
};

const sentSecret = (request: SeenRequest): string => (request.headers['authorization'] ?? '').replace(/^Bearer /, '');

/** By path; each is a possible behaviour of a provider. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  '/ok': (request, response) =>
    json(response, 200, { echo: JSON.parse(request.body || 'null') as unknown, id: 'id-1' }),
  '/accepted': (_request, response) => {
    response.writeHead(202, { 'x-message-id': 'msg-42', 'content-length': '0' });
    response.end();
  },
  '/slow': (_request, response) => {
    setTimeout(() => json(response, 200, { id: 'late' }), 3000).unref();
  },
  '/reset': (_request, response) => {
    response.socket?.resetAndDestroy();
  },
  '/redirect': (_request, response) => {
    response.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' });
    response.end();
  },
  '/not-json': (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end('{"id":');
  },
  '/empty': (_request, response) => json(response, 200, {}),
  '/echo-secret': (request, response) => {
    const secret = sentSecret(request);
    json(
      response,
      200,
      {
        raw: secret,
        base64: Buffer.from(secret).toString('base64'),
        shifted: Buffer.from(`x${secret}`).toString('base64'),
        hex: Buffer.from(secret).toString('hex'),
        url: encodeURIComponent(secret),
        [secret]: 'as a key',
        id: `id ${secret}`,
      },
      { 'x-echo': Buffer.from(secret).toString('hex') },
    );
  },
  '/echo-secret-error': (request, response) => json(response, 500, { error: `bad token ${sentSecret(request)}` }),
  '/echo-secret-gzip': (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify({ id: `id ${sentSecret(request)}` })));
  },
  '/echo-secret-br': (request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' });
    response.end(brotliCompressSync(JSON.stringify({ id: `id ${sentSecret(request)}` })));
  },
};

function behave(request: SeenRequest, response: ServerResponse): void {
  const path = request.url.split('?', 1)[0] ?? '';
  const status = /^\/status\/(\d{3})$/.exec(path)?.[1];
  if (status !== undefined) {
    json(response, Number(status), { error: `status ${status}` });
    return;
  }
  (behaviours[path] ?? ((_request, answer) => json(answer, 404, { error: 'no such path' })))(request, response);
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Starts a provider on a free loopback port.
 * @param tls key and certificate in PEM: https; absent: http
 */
export async function startProvider(tls?: { readonly key: string; readonly cert: string }): Promise<TestProvider> {
  const seen: SeenRequest[] = [];
  const held: ServerResponse[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    readText(request).then(
      (body) => {
        const { method = '', url = '', headers, rawHeaders } = request;
        const record: SeenRequest = { method, url, headers, rawHeaders, body };
        seen.push(record);
        if (url === '/held') held.push(response);
        else behave(record, response);
        return undefined;
      },
      () => response.destroy(),
    );
  };
  const server = tls === undefined ? createHttp(listener) : createHttps(tls, listener);
  server.on('connection', () => (connections += 1));
  const port = await listenOnLoopback(server);
  return {
    port,
    seen,
    connections: () => connections,
    release: () => held.splice(0).forEach((response) => json(response, 200, { id: 'held' })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
