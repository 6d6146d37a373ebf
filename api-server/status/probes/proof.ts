import { parseTlogProof } from '../../../core/merkle/tlog-proof.ts';
import { failed, failureOf, GOOD, hasStatus, LEFT_OUT, type Found, type ProbeParts } from './probe.ts';

/** Origin, size and root are the first three lines of a checkpoint. */
const sizeOf = (checkpoint: string): number => Number(checkpoint.split('\n')[1] ?? Number.NaN);

/**
 * `proof`: the run of the round before stands in the log, under a checkpoint of a log that has not lost entries.
 *
 * Two sizes are compared: that of the proof, and that of the newest checkpoint, which may never be smaller than one that
 * was seen before.
 */
export async function proof({ api, memory }: ProbeParts, signal: AbortSignal): Promise<Found> {
  const before = memory.lastReceipt;
  if (before === null) return LEFT_OUT;
  const answer = await api.call({ method: 'GET', path: `/receipts/${before}/proof` }, signal);
  if (answer.kind === 'failed' || answer.status !== 200) return failureOf(answer);
  const parsed = parseTlogProof(answer.body.toString('utf8'));
  const newest = await api.call({ method: 'GET', path: '/log/checkpoint' }, signal);
  if (newest.kind === 'failed' || !hasStatus(newest, 200)) return failureOf(newest);
  const size = sizeOf(newest.body.toString('utf8'));
  if (parsed === undefined || !(size > parsed.index)) return failed('wrong-answer');
  if (size < memory.treeSize) return failed('too-old');
  memory.treeSize = size;
  return GOOD;
}
