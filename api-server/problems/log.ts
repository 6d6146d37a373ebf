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
  'entry-not-retractable': {
    status: 409,
    title: 'The entry can’t be retracted',
    next: 'Retract receipts, violations, incidents, test reports and audits, each once.',
  },
} as const satisfies ProblemPart;
