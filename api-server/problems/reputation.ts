import type { ProblemPart } from './problem-part.ts';

/** Codes of reputations and certificates. */
export const reputationProblems = {
  'certificate-not-issued': {
    status: 404,
    title: 'No certificate was issued yet',
    next: 'Meet the criteria in missing; a certificate follows with the next evaluation.',
  },
  'evaluation-pending': {
    status: 404,
    title: 'The version was published a moment ago and is being evaluated',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
} as const satisfies ProblemPart;
