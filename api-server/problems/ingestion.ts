import type { ProblemPart } from './problem-part.ts';

/** Codes of ingestion. */
export const ingestionProblems = {
  'source-not-found': {
    status: 404,
    title: 'No such signal source',
    next: 'Send to the path in status.urlPath of the OrbSignalSource.',
  },
  'source-disabled': {
    status: 410,
    title: 'The signal source is disabled',
    next: 'Stop sending. To receive again, set spec.mode of the OrbSignalSource to Active or Observe.',
  },
  'secret-unreadable': {
    status: 503,
    title: 'The signal source can’t verify deliveries at present',
    next: 'Send the delivery again. The condition SecretsReadable of the OrbSignalSource names the Secret that is missing.',
    retryAfter: 30,
  },
  'signal-not-found': {
    status: 404,
    title: 'No such signal',
    next: 'List them with GET /signals; old ones are erased, and those of other tenants are not shown.',
  },
  'incident-not-found': {
    status: 404,
    title: 'No such incident',
    next: 'List them with GET /incidents; those of other tenants are not shown.',
  },
  'incident-state': {
    status: 409,
    title: 'The status of the incident does not allow it',
    next: 'Read the incident: only one that has not ended is acknowledged, resolved or muted.',
  },
  'dead-letter-not-found': {
    status: 404,
    title: 'No such dead letter',
    next: 'List them with GET /dead-letters; a delivery that was mapped again is none any more.',
  },
  'dead-letter-erased': {
    status: 409,
    title: 'The body of the dead letter was erased',
    next: 'Let the vendor send the event again.',
  },
  'template-not-found': {
    status: 404,
    title: 'No template for this vendor',
    next: 'Name a type of OrbSignalSource, or github, slack, stripe or sendgrid.',
  },
} as const satisfies ProblemPart;
