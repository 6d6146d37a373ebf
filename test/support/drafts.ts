import { evaluateDrafts, validateDraft } from '../../adapters/draft-worker/draft-desk.ts';
import type { Drafts } from '../../adapters/draft-worker/port.ts';

/** Compiles drafts on the thread of the test. */
export const DRAFTS_HERE: Drafts = {
  validate: async (work) => ({ kind: 'done', value: validateDraft(work) }),
  evaluate: async (work) => ({ kind: 'done', value: evaluateDrafts(work) }),
};
