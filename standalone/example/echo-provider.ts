import { createServer, type Server } from 'node:https';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The bundled provider that the first example calls: real HTTPS on loopback, a real bearer token. */
export interface EchoProvider {
  readonly port: number;
  readonly close: () => Promise<void>;
}

export interface EchoOptions {
  /** PEM. */
  readonly key: string;
  /** PEM, for `echo.orbs.example`. */
  readonly cert: string;
  /** Bearer token that callers must send. */
  readonly token: string;
}

const MAX_BODY_BYTES = 1024 * 1024;

function sameToken(sent: string | undefined, token: string): boolean {
  const given = Buffer.from(sent ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function textOf(body: string): string | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
    return typeof value.text === 'string' ? value.text : undefined;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function handle(request: IncomingMessage, response: ServerResponse, token: string): Promise<void> {
  if (!sameToken(request.headers.authorization, token)) return answer(response, 401, { error: 'wrong token' });
  const body = await readText(request);
  const text = body === undefined ? undefined : textOf(body);
  if (text === undefined) return answer(response, 400, { error: 'send {"text": "…"}' });
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return answer(response, 200, { text, words });
}

const listening = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });

/** Starts the provider on a free loopback port. */
export async function startEchoProvider(options: EchoOptions): Promise<EchoProvider> {
  const server = createServer({ key: options.key, cert: options.cert }, (request, response) => {
    handle(request, response, options.token).catch(() => response.destroy());
  });
  const port = await listening(server);
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
