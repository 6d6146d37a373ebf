import type { ProblemPart } from './problem-part.ts';

/** Codes of swaps and pins (failover.md §9). */
export const providerProblems = {
  'provider-unknown': {
    status: 422,
    title: 'The manifest has no such provider',
    next: 'Name a provider of the manifest; GET /providers/{orb_id}/status lists them.',
  },
  'provider-unresolved': {
    status: 422,
    title: 'The provider has no execution',
    next: 'Add the execution that detail names to the manifest.',
  },
  'provider-unhealthy': {
    status: 409,
    title: 'The provider does not work at present',
    next: 'Choose another provider, or send "force": true.',
  },
  'active-changed': {
    status: 409,
    title: 'The active provider is not the expected one',
    next: 'Read active_provider and decide again.',
  },
} as const satisfies ProblemPart;
