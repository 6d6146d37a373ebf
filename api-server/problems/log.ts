import type { ProblemPart } from './problem-part.ts';

/** Codes of the log. */
export const logProblems = {
  'checkpoint-pending': {
    status: 404,
    title: 'The log has no signed checkpoint yet',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
} as const satisfies ProblemPart;
