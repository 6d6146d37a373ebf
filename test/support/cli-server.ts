import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An API whose answers the test sets. */
export interface CliServer {
  readonly url: string;
  readonly received: readonly Received[];
  readonly close: () => Promise<void>;
}

export type Answering = (request: Received, response: ServerResponse, count: number) => void;

/** A JSON answer. */
export const json =
  (status: number, value: unknown, type = 'application/json'): Answering =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(JSON.stringify(value));

/** Starts it on a free loopback port. */
export async function aServer(answer: Answering): Promise<CliServer> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      answer(one, response, received.length);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
