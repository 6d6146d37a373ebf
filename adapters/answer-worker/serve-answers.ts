import { createRedactor, type RedactedEntry } from '../../core/redaction/create-redactor.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import { buffersOf, writeAnswer, type AnswerWork, type WrittenAnswer } from '../../core/run/written-answer.ts';

/** One answer, and the secrets to remove from it. `vault` numbers them: the same number has the same secrets. */
export type ToAnswerThread = readonly [work: AnswerWork, vault: number, secrets: readonly RedactedEntry[]];

/** `ready` once, when the thread is loaded; then one answer to each message. An error ends the thread. */
export type FromAnswerThread = readonly ['ready'] | readonly ['written', WrittenAnswer];

/** The thread's end of its channel. */
export interface AnswerPort {
  readonly on: (event: 'message', listener: (message: ToAnswerThread) => void) => unknown;
  readonly postMessage: (message: FromAnswerThread, transfer?: readonly ArrayBuffer[]) => void;
}

/** Serves answers one after the other. */
export function serveAnswers(port: AnswerPort): void {
  // One vault at a time: the automaton of a large one takes 50 MB.
  let known: { readonly vault: number; readonly redactor: Redactor } | undefined;
  port.on('message', ([work, vault, secrets]) => {
    if (known?.vault !== vault) known = { vault, redactor: createRedactor(secrets) };
    const answer = writeAnswer(work, known.redactor);
    port.postMessage(['written', answer], buffersOf(answer));
  });
  port.postMessage(['ready']);
}
