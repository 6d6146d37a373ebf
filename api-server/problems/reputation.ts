import type { ProblemPart } from './problem-part.ts';

/** Codes of certificates. */
export const reputationProblems = {
  'certificate-not-issued': {
    status: 404,
    title: 'No certificate was issued yet',
    next: 'Meet the criteria in missing; a certificate follows with the next evaluation.',
  },
} as const satisfies ProblemPart;
