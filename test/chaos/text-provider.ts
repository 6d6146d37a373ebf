import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

export const ANSWER = '{"id":"m-1"}';

/** A provider of the Orbs that send a text. */
export interface TextProvider {
  readonly port: number;
  /** Number of requests by text. */
  readonly called: ReadonlyMap<string, number>;
  /** Resolves when the answer to this text went as far as it goes. */
  readonly answered: (text: string, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}

/** Answers a request. @param done to call when the answer went as far as it goes */
export type AnswerText = (text: string, response: ServerResponse, done: () => void) => void;

const TEXT = /"text":"([^"]+)"/;

const answerWhole: AnswerText = (_text, response, done) => {
  response.setHeader('content-type', 'application/json');
  response.end(ANSWER, done);
};

/** Starts it on loopback. @param answer default: the whole answer at once */
export async function startTextProvider(answer: AnswerText = answerWhole): Promise<TextProvider> {
  const called = new Map<string, number>();
  const events = new EventEmitter({ captureRejections: true });
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = TEXT.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? '';
      called.set(text, (called.get(text) ?? 0) + 1);
      answer(text, response, () => void events.emit(text));
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
