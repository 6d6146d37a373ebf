import { createHolderTasks } from '../../api-server/process/holder-tasks.ts';
import type { Platform } from '../../api-server/process/platform.ts';
import type { FiguresSource } from '../../api-server/providers/port.ts';
import type { FailoverRows } from './failover-rows.ts';
import { FailoverLoop } from './loop.ts';

/** The running failover of standalone. */
export interface RunningFailover {
  /** What the last evaluation of each Orb saw. */
  readonly figures: FiguresSource;
  readonly stop: () => Promise<void>;
}

// The ledger has one process: the lease of one that was killed is its own.
const IDENTITY = 'standalone';

/** Starts the loop, the probes and the receipts of swaps; the Orbs are loaded. */
export function startFailover(platform: Platform, rows: FailoverRows): RunningFailover {
  const { catalog, metrics, clock, log, random, version } = platform;
  const loop = new FailoverLoop({
    catalog,
    rows,
    metrics,
    clock,
    logger: log.logger,
    random,
    chance: Math.random,
    onSwap: (orb) => holder.observe(orb),
  });
  const holder = createHolderTasks(platform, {
    identity: IDENTITY,
    random: Math.random,
    evaluator: () => ({ id: `orb-platform/${version}`, instance: IDENTITY }),
    swapped: () => loop.swapped(),
    // The log says it already, and there is nobody else to tell.
    onBudgetExhausted: () => undefined,
  });
  const stopping = new AbortController();
  const running = Promise.all([loop.run(stopping.signal), holder.run(stopping.signal)]);
  return {
    figures: loop.figures,
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
