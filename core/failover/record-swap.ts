import type { FailoverInput, FailoverStatus, RuleId, SwapReason, SwapRecord } from './types.ts';

// failover.md §6
export const MAX_HISTORY = 20;
const MAX_WITH_EVIDENCE = 5;

/** Keeps the newest records, and the evidence only of the newest of them. */
function bounded(history: readonly SwapRecord[]): readonly SwapRecord[] {
  const newest = history.slice(-MAX_HISTORY);
  const bare = newest.length - MAX_WITH_EVIDENCE;
  return newest.map((record, index) => (index < bare ? { ...record, evidence: null } : record));
}

export interface Swap {
  readonly to: string;
  readonly reason: SwapReason;
  readonly rule: RuleId;
  readonly actor: string | null;
}

/** Records one change of the active provider: it gets the next number, and a ramp ends. */
export function recordSwap(
  status: FailoverStatus,
  { to, reason, rule, actor }: Swap,
  { now, epoch, receiptId }: Pick<FailoverInput, 'now' | 'epoch' | 'receiptId'>,
): FailoverStatus {
  const seq = status.swapSeq + 1;
  const from = status.activeProvider;
  const record = { seq, at: now, from, to, reason, rule, epoch, receiptId, actor, evidence: null };
  return {
    ...status,
    activeProvider: to,
    since: now,
    reason,
    swapSeq: seq,
    epoch,
    ramp: null,
    history: bounded([...status.history, record]),
  };
}

/**
 * The status with the evidence of its newest swap.
 * @param text JSON, at most 4096 bytes
 */
export const withEvidence = (status: FailoverStatus, text: string): FailoverStatus => ({
  ...status,
  history: status.history.map((record, index, all) =>
    index === all.length - 1 ? { ...record, evidence: text } : record,
  ),
});
