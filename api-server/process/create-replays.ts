import type { SharedCount } from '../../adapters/threads/shared-count.ts';
import { ReplayRunner } from '../../adapters/replay-worker/replay-runner.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import { createReplayCounters } from '../replays/replay-metrics.ts';
import { Replays } from '../replays/replays.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { Platform } from './platform.ts';

interface ReplayParts extends Pick<Platform, 'metrics' | 'policies'> {
  readonly runtime: Runtime;
  readonly document: KeysDocument;
  /** Path of the ledger's file. */
  readonly ledgerFile: string;
  /** Runs that were admitted. */
  readonly runs: SharedCount;
  /** Frees memory for the thread of a replay. */
  readonly makeRoom: () => Promise<void>;
}

/** The replays of one process, and their threads. */
export const createReplays = ({
  runtime,
  document,
  ledgerFile,
  runs,
  makeRoom,
  policies,
  metrics,
}: ReplayParts): Replays => {
  const { ledger, catalog, sealing, issuer, clock, random, logger, settings } = runtime;
  return new Replays({
    ledger,
    catalog,
    sealing,
    issuer,
    clock,
    random,
    logger,
    owner: settings.owner,
    keys: document,
    runner: new ReplayRunner({ file: ledgerFile, most: settings.policyReplayThreads, runs, makeRoom }),
    counters: createReplayCounters(metrics.registry),
    replayed: policies.replayed,
  });
};
