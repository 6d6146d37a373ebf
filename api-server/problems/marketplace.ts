import type { ProblemPart } from './problem-part.ts';

/** Codes of publishing, organisations and the lists (trust.md §8.5). */
export const marketplaceProblems = {
  'validation-failed': {
    status: 422,
    title: 'The publication has errors',
    next: 'Correct what validation_report.findings[] points at. orb publish --dry-run shows the same report.',
  },
  'namespace-not-owned': {
    status: 403,
    title: 'The organisation belongs to another tenant',
    next: 'Publish under an organisation of your own: orb org claim NAME.',
  },
  'namespace-unverified': {
    status: 403,
    title: 'Nobody has proven the organisation',
    next: 'Prove it: orb org claim NAME, then orb org verify NAME.',
  },
  'version-immutable': {
    status: 409,
    title: 'The version was published with other bytes',
    next: 'Publish the change as a new version.',
  },
  'version-tombstoned': {
    status: 409,
    title: 'The version was yanked',
    next: 'Publish a new version: a yanked one never comes back.',
  },
  'version-build-metadata': {
    status: 409,
    title: 'A published version has no build metadata',
    next: 'Leave out “+…” of the version: two such ids would have the same precedence.',
  },
  'org-not-found': { status: 404, title: 'No such organisation', next: 'Claim it: orb org claim NAME.' },
  'org-taken': {
    status: 409,
    title: 'The organisation belongs to another tenant',
    next: 'Choose another name: a name is never given to a second tenant.',
  },
  'name-confusable': {
    status: 409,
    title: 'The name looks like another organisation’s, or is reserved',
    next: 'Choose a name that nobody takes for another one.',
  },
  'org-proof-failed': {
    status: 409,
    title: 'The proof of the organisation does not hold',
    next: 'Correct what detail names, and verify again.',
  },
  'status-transition': {
    status: 409,
    title: 'The state can’t change like this',
    next: 'Read the state first; a yanked version stays yanked.',
  },
} as const satisfies ProblemPart;
