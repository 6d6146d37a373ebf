import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { once } from 'node:events';
import { listenOn } from '../../adapters/process/listen.ts';
import type { ListenAddress } from '../../core/network/listen-address.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { TlsFiles } from '../http/server.ts';

const MAX_BYTES = 4096;
const PATH = '/v1/echo';

async function textIn(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    if (!Buffer.isBuffer(part)) continue;
    size += part.length;
    if (size > MAX_BYTES) return undefined;
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    const text = isJsonObject(value) ? value['text'] : undefined;
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isEcho = request.method === 'POST' && request.url === PATH;
  const text = isEcho ? await textIn(request) : undefined;
  const status = isEcho ? (text === undefined ? 400 : 200) : 404;
  const body = JSON.stringify(text === undefined ? { error: `POST ${PATH} {"text":"…"}` } : { text });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const handle = (request: IncomingMessage, response: ServerResponse): void => {
  answer(request, response).catch(() => response.destroy());
};

/** The provider of the canary Orb: it returns what it is given, so that no foreign service decides about the platform. */
export interface CanaryProvider {
  readonly port: number;
  readonly useTls: (files: TlsFiles) => void;
  readonly close: () => Promise<void>;
}

/** @param tls absent: plain HTTP @throws Error the address can't be listened on */
export async function startCanaryProvider(listen: ListenAddress, tls: TlsFiles | undefined): Promise<CanaryProvider> {
  const secure = tls === undefined ? undefined : createTlsServer({ ...tls }, handle);
  const server = secure ?? createServer(handle);
  const { port } = await listenOn(server, listen);
  return {
    port,
    useTls: (files) => secure?.setSecureContext({ ...files }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
