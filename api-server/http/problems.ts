import { executeProblems } from '../problems/execute.ts';
import { ingestionProblems } from '../problems/ingestion.ts';
import { generalProblems } from '../problems/general.ts';
import { logProblems } from '../problems/log.ts';
import { marketplaceProblems } from '../problems/marketplace.ts';
import { manifestProblems } from '../problems/manifests.ts';
import { policyProblems } from '../problems/policies.ts';
import type { Problem } from '../problems/problem-part.ts';
import { providerProblems } from '../problems/providers.ts';
import { receiptProblems } from '../problems/receipts.ts';
import { reputationProblems } from '../problems/reputation.ts';
import { statusProblems } from '../problems/status.ts';

/**
 * Every error code of the API (design.md §3): one line for each service. The parts are beside the services, not inside
 * them: every service imports `http`, so `http` can't import a service.
 */
export const problems = {
  ...generalProblems,
  ...executeProblems,
  ...providerProblems,
  ...receiptProblems,
  ...logProblems,
  ...manifestProblems,
  ...marketplaceProblems,
  ...reputationProblems,
  ...policyProblems,
  ...statusProblems,
  ...ingestionProblems,
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof problems;
