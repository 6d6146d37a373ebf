import type { ProblemPart } from './problem-part.ts';

/** Codes of manifests. */
export const manifestProblems = {
  'manifest-not-found': {
    status: 404,
    title: 'No such manifest',
    next: 'Check the digest; manifests of other tenants are not shown.',
  },
} as const satisfies ProblemPart;
