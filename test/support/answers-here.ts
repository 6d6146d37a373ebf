import type { AnswerReader } from '../../adapters/answer-worker/port.ts';
import { ownMemory, writeAnswer } from '../../core/run/written-answer.ts';

/** Reads answers on the thread of the tests. The caller loses their bytes, as it does to a thread. */
export const answersHere: AnswerReader = {
  read: async (work, { redactor }) => {
    const { bytes } = work;
    const taken = structuredClone(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      transfer: [...ownMemory(bytes)],
    });
    return { kind: 'written', answer: writeAnswer({ ...work, bytes: taken }, redactor) };
  },
  close: async () => undefined,
};
