import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Sample } from '../../adapters/prometheus/vector-stream.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

/** A query as the server received it. */
interface SeenQuery {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

/** An HTTP server in place of Prometheus. */
export interface FakePrometheus {
  readonly url: string;
  readonly seen: readonly SeenQuery[];
  /** Sets how it answers from now on. */
  readonly answer: (how: Answering) => void;
  readonly stop: () => Promise<void>;
}

/** One element of a vector, in the JSON form; the value as text. */
export const element = (labels: Readonly<Record<string, string>>, value: string, at: number): unknown => ({
  metric: labels,
  value: [at, value],
});

/** The body of a successful answer. @param more members beside `status` and `data` */
export const vector = (elements: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string =>
  JSON.stringify({ status: 'success', data: { resultType: 'vector', result: elements }, ...more });

type Answering = (response: ServerResponse, query: SeenQuery) => void;
const answerEmpty: Answering = (response) => response.end(vector([]));

/** @param tls options of an https server, including what it requires of clients */
export async function startFakePrometheus(tls?: ServerOptions): Promise<FakePrometheus> {
  const seen: SeenQuery[] = [];
  let how = answerEmpty;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request;
    const query = { method, path: url, headers, form: new URLSearchParams(await text(request)) };
    seen.push(query);
    how(response, query);
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    receive(request, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  const port = await listenOnLoopback(server);
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    seen,
    answer: (next) => {
      how = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A sample of the metric `q`, by default for the provider `a` of `acme/x@1.0.0`. */
export const sampleOf = (q: string, value: number, labels: Readonly<Record<string, string>> = {}): Sample => ({
  labels: { orb_namespace: 'acme', orb_id: 'x@1.0.0', ...(q === 'age' ? {} : { provider: 'a' }), q, ...labels },
  evaluatedAt: 1_800_000_000,
  value,
});
