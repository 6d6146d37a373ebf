import type { ReputationInput, RunGroup } from '../../core/reputation/input.ts';

/** Runs that are spread evenly over callers of one month. */
export const runsOf = (callers: number, each: Pick<RunGroup, 'runs' | 'success' | 'within_slo'>): readonly RunGroup[] =>
  Array.from({ length: callers }, (_, index) => ({
    caller: `ct_${String(index).padStart(2, '0')}`,
    epoch: '2026-11',
    age_days: 0,
    version: 'same' as const,
    self: false,
    ...each,
  }));

/** R06 of trust.md §5.4: 990 of 1000 runs of 25 callers, 960 in time, 60 days old. */
export const R06: ReputationInput = {
  groups: [
    ...runsOf(25, { runs: 40, success: 39, within_slo: 38 }).slice(0, 10),
    ...runsOf(25, { runs: 40, success: 40, within_slo: 38 }).slice(10, 15),
    ...runsOf(25, { runs: 40, success: 40, within_slo: 39 }).slice(15),
  ],
  tests: { required: 24, passed: 24, age_days: 5, digest_match: true, provenance: 'receipted' },
  violations: [],
  incidents: [],
  receipts: { total: 0, invalid: 0, invalid_7d: 0 },
  suspended: false,
  meta: { namespace_verified: true, age_days: 60, namespace_suspension_age_days: null, log_witnessed: null },
};
