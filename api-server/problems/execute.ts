import type { ProblemPart } from './problem-part.ts';

/** Codes of runs (design.md §3). */
export const executeProblems = {
  'invalid-inputs': {
    status: 422,
    title: 'The request does not fit the Orb',
    next: 'Correct what errors[] points at; the Orb’s manifest names its inputs.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'The tenant has its quota of the ledger',
    next: 'Ask the operator of the installation for more; detail names the quota. Stored answers, and records of policies and webhooks, give their bytes back at the end of their retention.',
  },
  'orbiset-suspended': {
    status: 503,
    title: 'The Orbiset is suspended',
    next: 'Wait until spec.suspended of the Orbiset is false again.',
  },
  'orb-suspended': {
    status: 503,
    title: 'The Orb is suspended',
    next: 'Use another version, or wait until its publisher or the platform restores it.',
  },
  'egress-stopped': {
    status: 503,
    title: 'All calls to providers are stopped',
    next: 'Wait until the operator of the installation starts them again.',
  },
  'secret-missing': {
    status: 409,
    title: 'The vault lacks an entry that the Orb needs',
    next: 'Add the entry to the vault of the Orbiset.',
  },
  'secret-not-header-safe': {
    status: 409,
    title: 'A vault entry can’t be sent in a header',
    next: 'Store the value without line breaks and control characters.',
  },
  'secret-host-not-allowed': {
    status: 409,
    title: 'A vault entry may not be sent to this host',
    next: 'Add the host to allowedHosts of the entry, if it should have the secret.',
  },
  'policy-unavailable': {
    status: 503,
    title: 'What the Orbiset says about policies can’t be read',
    next: 'In spec.policies of the Orbiset, write only defaultEffect and requireReady; nothing runs while it holds anything else. Rules stand in OrbPolicy objects.',
  },
  'policy-denied': {
    status: 403,
    title: 'A policy denied the run',
    next: 'Read rules[]: ask who writes the policies named there. GET /decisions/{decision_id} shows the whole decision.',
  },
  'provider-failed': {
    status: 502,
    title: 'The provider failed',
    next: 'Read reason and detail in run.attempts. Unless maybe_executed is true, try again later, with another Idempotency-Key if something was sent.',
  },
  'provider-rejected': {
    status: 502,
    title: 'The provider rejected the request',
    next: 'Read provider_status: the inputs or the manifest do not fit the provider.',
  },
  'provider-refused-credential': {
    status: 502,
    title: 'The provider refused the credential or the account',
    next: 'Check the secrets of the Orbiset’s vault, and the account (402: unpaid), with the provider.',
  },
  'provider-rate-limited': {
    status: 502,
    title: 'The provider takes no more requests for now',
    next: 'Unless maybe_executed is true, try again after Retry-After seconds, with another Idempotency-Key if run.attempts is not empty. If it happens often, raise the quota at the provider.',
    retryAfter: 1,
  },
  'provider-timeout': {
    status: 504,
    title: 'The provider did not answer in time',
    next: 'Unless maybe_executed is true, try again later, with another Idempotency-Key if something was sent. The manifest sets the deadlines: execution.timeout_ms and others.',
  },
  'providers-unavailable': {
    status: 502,
    title: 'No provider accepts calls at present',
    next: 'Try again after Retry-After seconds. Nothing was sent, so the same Idempotency-Key may be used again. GET /providers/{orb_id}/status shows breakers and last failures.',
    retryAfter: 1,
  },
  'signing-misconfigured': {
    status: 500,
    title: 'The receipt failed its self-check',
    next: 'The operator of the installation must check the signing keys; this instance starts no more runs.',
  },
  'run-closed': {
    status: 500,
    title: 'The run was closed before it ended',
    next: 'Its receipt says platform_error. Before you try again, check with the provider whether the call was executed.',
  },
} as const satisfies ProblemPart;
