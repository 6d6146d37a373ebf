import { ANSWER, startTextProvider, type AnswerText, type TextProvider } from '../text-provider.ts';

/** How far the answer to a text goes: it then stands still. A text that begins with none of these is answered whole. */
const STOPS = ['send', 'headers', 'body'] as const;

const HALF = ANSWER.length / 2;

const answerUntil: AnswerText = (text, response, done) => {
  const stop = STOPS.find((each) => text.startsWith(`${each}-`));
  if (stop !== 'send') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length });
    if (stop === 'headers') response.flushHeaders();
    else if (stop === 'body') response.write(ANSWER.slice(0, HALF));
    else response.end(ANSWER);
  }
  done();
};

/** A provider that stands still in the middle of chosen answers. */
export const startStandingProvider = (): Promise<TextProvider> => startTextProvider(answerUntil);
