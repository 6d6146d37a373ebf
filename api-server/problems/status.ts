import type { ProblemPart } from './problem-part.ts';

/** Codes of the status (status.md §6). */
export const statusProblems = {
  'status-not-measured': {
    status: 503,
    title: 'The state of the platform is not known',
    next: 'Ask again soon. When this stays so, see whether a prober runs: statusProber.enabled of the chart, or --status-interval.',
    retryAfter: 5,
  },
  'round-invalid': {
    status: 422,
    title: 'The rounds do not fit to those that are kept',
    next: 'Nothing was written. Tell rounds in order of time, behind the end that an empty list of rounds answers with.',
  },
  'maintenance-invalid': {
    status: 422,
    title: 'Maintenance can not be planned so',
    next: 'Give a window that begins now or later, and ends within seven days of its beginning.',
  },
  'maintenance-not-found': {
    status: 404,
    title: 'No such maintenance',
    next: 'GET /status/maintenance lists the windows of the last 90 days and those to come.',
  },
  'maintenance-state': {
    status: 409,
    title: 'The maintenance is over or cancelled',
    next: 'What it excluded stays. Plan another window with POST /status/maintenance.',
  },
} as const satisfies ProblemPart;
