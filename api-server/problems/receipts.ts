import type { ProblemPart } from './problem-part.ts';

/** Codes of receipts and their proofs. */
export const receiptProblems = {
  'receipt-not-found': {
    status: 404,
    title: 'No such receipt',
    next: 'Check the receipt id; receipts of other tenants are not shown.',
  },
  'proof-pending': {
    status: 404,
    title: 'The receipt is not in a signed tree yet',
    next: 'Ask again after Retry-After seconds.',
    retryAfter: 1,
  },
} as const satisfies ProblemPart;
