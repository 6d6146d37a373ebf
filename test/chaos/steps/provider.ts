import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';

/** How far the answer to a text goes: it then stands still. A text that begins with none of these is answered whole. */
const STOPS = ['send', 'headers', 'body'] as const;
type Stop = (typeof STOPS)[number];

/** A provider that counts what it was sent, and stands still in the middle of chosen answers. */
export interface StandingProvider {
  readonly port: number;
  /** Requests by text. */
  readonly called: ReadonlyMap<string, number>;
  /** Resolves when the answer to this text stands still. */
  readonly standing: (text: string, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

const TEXT = /"text":"([^"]+)"/;
const ANSWER = '{"id":"m-1"}';
const HALF = ANSWER.length / 2;

/** Does so much of the answer, and ends it when nothing was to stop it. */
function answerUntil(stop: Stop | undefined, response: ServerResponse): void {
  if (stop === 'send') return;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
  if (stop === 'headers') response.flushHeaders();
  else if (stop === 'body') response.write(ANSWER.slice(0, HALF));
  else response.end(ANSWER);
}

export async function startStandingProvider(): Promise<StandingProvider> {
  const called = new Map<string, number>();
  const events = new EventEmitter({ captureRejections: true });
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = TEXT.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '';
      called.set(text, (called.get(text) ?? 0) + 1);
      answerUntil(
        STOPS.find((each) => text.startsWith(`${each}-`)),
        response,
      );
      events.emit(text);
    });
  });
  const port = await listenOnLoopback(server);
  return {
    port,
    called,
    standing: async (text, signal) => void (await once(events, text, { signal })),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
