import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** A provider that notes the texts which it was sent. */
export interface NotingProvider {
  readonly port: number;
  readonly called: ReadonlySet<string>;
  /** Resolves when the answer to this text was written. */
  readonly answered: (text: string, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

const TEXT = /"text":"([^"]+)"/;

export async function startNotingProvider(): Promise<NotingProvider> {
  const called = new Set<string>();
  const events = new EventEmitter({ captureRejections: true });
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = TEXT.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '';
      called.add(text);
      response.setHeader('content-type', 'application/json');
      response.end('{"id":"m-1"}', () => void events.emit(text));
    });
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    called,
    answered: async (text, signal) => void (await once(events, text, { signal })),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
