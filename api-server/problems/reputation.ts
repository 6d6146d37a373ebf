import type { ProblemPart } from './problem-part.ts';

/** Codes of reputations and certificates. */
export const reputationProblems = {
  'orb-not-published': {
    status: 404,
    title: 'No such Orb is published',
    next: 'Check name and version of orb_id; a version is published with: orb publish MANIFEST',
  },
  'certificate-not-issued': {
    status: 404,
    title: 'No certificate was issued yet',
    next: 'Meet the criteria in missing; a certificate follows with the next evaluation.',
  },
} as const satisfies ProblemPart;
