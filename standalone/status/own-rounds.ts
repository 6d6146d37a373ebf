import { createPlatformClient } from '../../adapters/platform-api/client.ts';
import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Platform } from '../../api-server/process/platform.ts';
import { newProbeMemory } from '../../api-server/status/probes/probe.ts';
import { makeRound } from '../../api-server/status/round-maker.ts';
import { RoundLoop } from '../../api-server/status/round-loop.ts';
import { RoundTeller, type Told, type WaitingRound } from '../../api-server/status/round-teller.ts';
import type { CanaryKey } from './canary-key.ts';
import { createProbeObserver } from '../../api-server/status/status-metrics.ts';

export interface OwnRoundsOptions {
  /** Address of the API of this process, and of its metrics. */
  readonly url: string;
  readonly metricsUrl: string;
  readonly canary: Pick<CanaryKey, 'text' | 'sourceSecret'>;
  readonly platformNamespace: string;
  readonly intervalMs: number;
}

const DEADLINE_MS = 10_000;
const AT_ONCE = 120;
/** A week of rounds every minute. */
const MOST_WAITING = 10_080;
/** Metrics of many Orbs. */
const MAX_METRICS_BYTES = 64 * 1024 * 1024;

/** Rounds of the checks in this process, over its own address, until it is stopped. */
export function runOwnRounds(platform: Platform, options: OwnRoundsOptions): { readonly stop: () => Promise<void> } {
  const { clock, log, random, status, metrics: own } = platform;
  const { logger } = log;
  const { url, metricsUrl, canary, platformNamespace, intervalMs } = options;
  const api = createPlatformClient({ origin: url, token: () => Promise.resolve(canary.text), clock });
  const origin = new URL(metricsUrl).origin;
  const metrics = createPlatformClient({ origin, clock, maxBytes: MAX_METRICS_BYTES });
  const tell = async (rounds: readonly WaitingRound[]): Promise<Told> => {
    try {
      const taken = await status.take(rounds);
      if (taken.kind === 'taken') return taken;
      const kept = await status.take([]);
      return { kind: 'refused', why: taken.problem, last: kept.kind === 'taken' ? kept.last : null };
    } catch (error) {
      if (error instanceof LedgerError) return { kind: 'away', why: error.code };
      throw error;
    }
  };
  const teller = new RoundTeller({ tell, logger, atOnce: AT_ONCE, mostWaiting: MOST_WAITING });
  const parts = {
    api,
    metrics,
    sourceSecret: () => Promise.resolve(canary.sourceSecret),
    loops: () => Promise.resolve([metrics]),
    platformNamespace,
    clock,
    random,
    memory: newProbeMemory(),
    deadlineMs: DEADLINE_MS,
    observer: createProbeObserver(own.registry, () => teller.waiting),
  };
  let telling: Promise<void> | undefined;
  const loop = new RoundLoop({
    make: (signal) => makeRound(parts, signal),
    finished: (rounds) => {
      telling = teller.add(rounds);
    },
    clock,
    logger,
    intervalMs,
  });
  const stopping = new AbortController();
  const running = loop.run(stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await running;
      await telling;
    },
  };
}
