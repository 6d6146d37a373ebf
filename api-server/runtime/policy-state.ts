import type { Decision } from '../../core/policy/decision/decision.ts';
import type { KeptResults } from '../../core/policy/decision/kept-results.ts';
import type { DayCounts } from './day-counts.ts';
import type { LastingFacts } from './lasting-facts.ts';

/** What decisions of this process share, beside the policies themselves. */
export interface PolicyState {
  readonly lastingFacts: LastingFacts;
  readonly kept: KeptResults;
  readonly dayCounts: DayCounts;
  /** Counts a decision. @param seconds for its facts and the decision */
  readonly decided: (decision: Decision, seconds: number) => void;
}
