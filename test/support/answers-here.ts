import type { AnswerReader } from '../../adapters/answer-worker/port.ts';
import { writeAnswer } from '../../core/run/written-answer.ts';

/** Reads answers on the thread of the tests. */
export const answersHere: AnswerReader = {
  read: async (work, { redactor }) => ({ kind: 'written', answer: writeAnswer(work, redactor) }),
  close: async () => undefined,
};
