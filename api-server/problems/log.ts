import type { ProblemPart } from './problem-part.ts';

/** Codes of the log. */
export const logProblems = {
  'checkpoint-pending': {
    status: 404,
    title: 'The log has no signed checkpoint yet',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
  'entry-not-found': {
    status: 404,
    title: 'The log has no such entry, tile or bundle',
    next: 'Ask for what the newest checkpoint covers (GET /log/checkpoint).',
  },
} as const satisfies ProblemPart;
