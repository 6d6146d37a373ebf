import { deletion } from './deletion.ts';
import { failoverOfLeaders } from './failover-of-leaders.ts';
import { idle } from './idle.ts';
import { mutation } from './mutation.ts';
import type { Procedure } from './procedure.ts';
import { swapsOfLeaders } from './swaps-of-leaders.ts';

/** Tests of reliability.md §4.1 that are more than one workload under one fault; `idle` is oracle c. */
export const PROCEDURES: Readonly<Record<string, Procedure>> = {
  R7: failoverOfLeaders,
  'R7-swaps': swapsOfLeaders,
  R10: mutation,
  R11: deletion,
  idle,
};
