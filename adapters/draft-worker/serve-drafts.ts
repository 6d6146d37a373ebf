import { evaluateDrafts, validateDraft } from './draft-desk.ts';
import type { EvaluatedDraft, EvaluateWork, ValidatedDraft, ValidateWork } from './port.ts';

/** What the thread is sent, one after the other. */
export type ToDraftThread =
  | readonly [kind: 'validate', work: ValidateWork]
  | readonly [kind: 'evaluate', work: EvaluateWork];

export type DraftResult =
  | readonly [kind: 'validated', draft: ValidatedDraft]
  | readonly [kind: 'evaluated', drafts: readonly EvaluatedDraft[]];

/** `ready` first, then an answer to each message. */
export type FromDraftThread = readonly [kind: 'ready'] | DraftResult | readonly [kind: 'broken', message: string];

/** The thread's end of its channel. */
export interface DraftPort {
  readonly on: (event: 'message', listener: (message: ToDraftThread) => void) => unknown;
  readonly postMessage: (message: FromDraftThread) => void;
}

function answer(message: ToDraftThread): FromDraftThread {
  try {
    return message[0] === 'validate'
      ? ['validated', validateDraft(message[1])]
      : ['evaluated', evaluateDrafts(message[1])];
  } catch (error) {
    return ['broken', error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}

/** Answers each message. */
export function serveDrafts(port: DraftPort): void {
  port.on('message', (message) => port.postMessage(answer(message)));
  port.postMessage(['ready']);
}
