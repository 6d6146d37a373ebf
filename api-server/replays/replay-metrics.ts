import { Counter, type Registry } from 'prom-client';

const ENDS = ['completed', 'failed', 'cancelled', 'aborted'] as const;
export type ReplayEnd = (typeof ENDS)[number];

/** What replays count. */
export interface ReplayCounters {
  readonly ended: (end: ReplayEnd) => void;
  readonly evaluated: (receipts: number) => void;
  readonly mismatched: (receipts: number) => void;
}

/** Counters of replays; each series exists with 0 from the start. */
export function createReplayCounters(registry: Registry): ReplayCounters {
  const registers = [registry];
  const ended = new Counter({
    name: 'orb_policy_replays_total',
    help: 'Replays of policies by this process, by how they ended.',
    labelNames: ['status'],
    registers,
  });
  for (const status of ENDS) ended.inc({ status }, 0);
  const evaluated = new Counter({
    name: 'orb_policy_replay_receipts_total',
    help: 'Receipts that replays of policies looked at.',
    registers,
  });
  const mismatched = new Counter({
    name: 'orb_policy_replay_mismatches_total',
    help: 'Receipts, or facts of their runs, that replays found to differ from what was signed.',
    registers,
  });
  return {
    ended: (status) => ended.inc({ status }),
    evaluated: (receipts) => evaluated.inc(receipts),
    mismatched: (receipts) => mismatched.inc(receipts),
  };
}
