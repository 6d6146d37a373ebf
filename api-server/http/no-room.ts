import type { BodyReason } from './body.ts';
import { problem } from './problem.ts';
import type { Reply } from './route.ts';

const DETAILS: Readonly<Record<BodyReason, string>> = {
  'body-bytes': 'Too many bodies have not arrived whole (--max-body-bytes).',
  'body-bytes-per-address': 'Too many bodies of this address have not arrived whole (--max-body-bytes-per-address).',
  'body-bytes-per-key': 'Too many bodies of this key have not arrived whole (--max-body-bytes-per-key).',
};

/** The answer to a body that the process can't hold until the rest of it arrives. */
export const noRoom = (request: { readonly requestId: string }, reason: BodyReason): Reply => ({
  ...problem(request, 'overloaded', { detail: DETAILS[reason] }),
  leavesBody: true,
});
