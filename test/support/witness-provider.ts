import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** One call as the provider received it. */
interface Witnessed {
  /** Host of the request. */
  readonly host: string;
  readonly path: string;
  /** The token after `Bearer`. */
  readonly token: string;
  /** The input `text` of the run. */
  readonly text: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** An HTTPS provider that records the requests, and sends the caller's secret back in every answer. */
export interface WitnessProvider {
  readonly port: number;
  readonly calls: readonly Witnessed[];
  /** Calls of `/held/STATUS` wait from now on. */
  readonly hold: () => void;
  /** Answers all waiting calls. */
  readonly release: () => void;
  readonly close: () => Promise<void>;
}

const HELD = /^\/held\/(\d{3})$/;

async function witness(request: IncomingMessage): Promise<Witnessed> {
  const at = performance.now();
  const body: unknown = JSON.parse(await textOf(request));
  const text = typeof body === 'object' && body !== null && 'text' in body ? String(body.text) : '';
  const { authorization = '', host = '' } = request.headers;
  return { host, path: request.url ?? '', token: authorization.replace(/^Bearer /, ''), text, at };
}

function answer(response: ServerResponse, status: number, token: string): void {
  const echo = [token, Buffer.from(token).toString('base64'), encodeURIComponent(token)];
  response.writeHead(status, { 'content-type': 'application/json', 'x-echo': token });
  response.end(JSON.stringify({ id: `id ${token}`, echo }));
}

/**
 * Starts a provider on a free loopback port: `/held/STATUS` answers when it is released, every other path at once with
 * 200.
 * @param tls key and certificate in PEM
 */
export async function startWitness(tls: { readonly key: string; readonly cert: string }): Promise<WitnessProvider> {
  const calls: Witnessed[] = [];
  let gate = Promise.withResolvers<void>();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await witness(request);
    calls.push(call);
    const held = HELD.exec(call.path)?.[1];
    if (held !== undefined) await gate.promise;
    answer(response, Number(held ?? 200), call.token);
  };
  const server = createServer(tls, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    calls,
    hold: () => (gate = Promise.withResolvers<void>()),
    release: () => gate.resolve(),
    close: () =>
      new Promise((resolve) => {
        gate.resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
