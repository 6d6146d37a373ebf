import { decisionRows } from './policy-decision-rows.ts';
import { policyCountRows } from './policy-counts.ts';
import { policyTextRows } from './policy-texts.ts';
import { grantRows } from './policy-grants.ts';
import { replayChangeRows } from './policy-replay-changes.ts';
import { replayRows } from './policy-replays.ts';
import {
  numberOf,
  refused,
  type Connection,
  type RowOf,
  type TableParts,
  type WriterParts,
  type Writers,
} from './table.ts';

/** Up to when records are erased, and how many in one transaction. */
export interface PolicyErasure {
  /** Decisions made before this time, with the facts of their runs; ms since epoch. */
  readonly decisionsBefore: number;
  /** Ended replays that started before this time, with their changes; ms since epoch. Their totals stay. */
  readonly replaysBefore: number;
  /** Most rows that one call erases, 1 or more; a decision counts as one with its facts. */
  readonly limit: number;
}

/** Ends the time that records of policies are kept (policy.md §3.4). */
interface PolicyRetentionPort {
  /**
   * Erases what is older, then grants that expired a day ago, and sums of past days.
   * @returns rows that were erased; fewer than `limit`: no others are due
   */
  readonly erasePolicyRecords: (erasure: PolicyErasure) => Promise<number>;
}

type PolicyRetentionOperations = { readonly erasePolicyRecords: readonly [erasure: PolicyErasure, now: number] };

const DAY_MS = 86_400_000;

/** Erases at most so many rows, and returns their number. */
type Erase = (limit: number) => number;

/** A replay goes after its last change. */
function eraseReplays(db: Connection): (before: number) => Erase {
  const replays = replayRows(db);
  const changes = replayChangeRows(db);
  return (before) => (limit) => {
    let erased = 0;
    for (const id of replays.startedBefore(before, limit)) {
      erased += changes.erase(id, limit - erased);
      if (erased === limit) return erased;
      replays.erase(id);
      erased += 1;
    }
    return erased;
  };
}

function policyRetentionWriters(db: WriterParts): Writers<PolicyRetentionOperations> {
  const decisions = decisionRows(db);
  const replays = eraseReplays(db);
  const grants = grantRows(db);
  const counts = policyCountRows(db);
  const texts = policyTextRows(db);
  return {
    erasePolicyRecords: ({ decisionsBefore, replaysBefore, limit }, now) => {
      if (![decisionsBefore, replaysBefore, limit, now].every(Number.isSafeInteger))
        return refused('a time or a limit is no whole number');
      if (limit < 1) return refused('a call erases one row or more');
      const steps: readonly Erase[] = [
        (rows) => decisions.eraseBefore(decisionsBefore, rows),
        // None is left before this time when a call comes here with room for more.
        (rows) => texts.eraseBefore(decisionsBefore, rows),
        replays(replaysBefore),
        (rows) => grants.eraseExpired(now - DAY_MS, rows),
        (rows) => counts.eraseBefore(now, rows),
      ];
      return steps.reduce((erased, erase) => erased + erase(limit - erased), 0);
    },
  };
}

const policyRetentionPort = ({ write, now }: TableParts<RowOf<PolicyRetentionOperations>>): PolicyRetentionPort => ({
  erasePolicyRecords: async (erasure) => numberOf(await write(['erasePolicyRecords', erasure, now()])),
});

/** Writes of several tables that belong to no run and to no entry. It has no table of its own. */
export const policyRetention = { schema: {}, port: policyRetentionPort, writers: policyRetentionWriters };
