import type { RedactedEntry } from '../../core/redaction/create-redactor.ts';
import type { Redactor } from '../../core/redaction/redactor.ts';
import type { AnswerWork, WrittenAnswer } from '../../core/run/written-answer.ts';

/** For whom an answer is read. */
export interface AnswerOwner {
  /** Answers of one tenant wait for each other, and not for those of others. */
  readonly tenant: string;
  /** Says which secrets they are: the same redactor has the same. */
  readonly redactor: Redactor;
  readonly secrets: readonly RedactedEntry[];
}

export type AnswerResult =
  | { readonly kind: 'written'; readonly answer: WrittenAnswer }
  /** It took too long, or too much memory. */
  | { readonly kind: 'too-complex' }
  /** Too many wait, or the process stops. */
  | { readonly kind: 'unavailable' };

/**
 * Reads large answers of providers away from the event loop. Never rejects, except with the reason of the signal. Calls
 * may run concurrently. The bytes of the answer are handed over: the caller must not read them again.
 */
export interface AnswerReader {
  readonly read: (work: AnswerWork, owner: AnswerOwner, signal: AbortSignal) => Promise<AnswerResult>;
  readonly close: () => Promise<void>;
}
