import { randomBytes } from 'node:crypto';
import { createLastEvaluations } from '../adapters/failover-metrics/last-evaluations.ts';
import { createProcessSource, type ProcessSource } from '../adapters/failover-metrics/process-source.ts';
import type { EventRecorder } from '../adapters/kube/event-recorder.ts';
import type { RuntimeMetrics } from '../adapters/kube/kube-metrics.ts';
import { createManager, type LeaderTask, type Manager } from '../adapters/kube/manager.ts';
import type { ObjectStore } from '../adapters/object-store/object-store.ts';
import type { Platform } from '../api-server/process/platform.ts';
import type { EvaluationSource } from '../api-server/providers/port.ts';
import type { CompileOnce } from '../core/orb/compile-once.ts';
import { judgeCompiled } from '../core/orb/plan-manifest.ts';
import { API_ACCOUNT } from '../core/orbiset/vault-reader.ts';
import { createFailoverState } from '../operator/failover/failover-state.ts';
import { createFailoverGauges, type FailoverGauges } from '../operator/failover/gauges.ts';
import { createLoops } from '../operator/loops.ts';

/** The parts of a platform that controllers use. */
type OperatorParts = Pick<Platform, 'clock' | 'exceptions'> & {
  readonly log: Pick<Platform['log'], 'logger'>;
  readonly metrics: Pick<Platform['metrics'], 'registry' | 'swapping' | 'health'>;
};

export interface LocalOperatorOptions {
  readonly platform: OperatorParts;
  readonly store: ObjectStore;
  readonly metrics: RuntimeMetrics;
  readonly recorder: EventRecorder;
  readonly compiled: CompileOnce;
  /** Namespace of the Orbs that all namespaces may list. */
  readonly platformNamespace: string;
  /** [0, 1) */
  readonly random: () => number;
  /** Source of metrics for swaps; default: the counters of this process. */
  readonly source?: ProcessSource;
}

/** The operator's controllers over the local object store, always leading (operator.md A16). */
export interface LocalOperator {
  readonly run: Manager['run'];
  /** Metrics seen by the last evaluation of each Orb. */
  readonly lastEvaluation: EvaluationSource;
  /** The metrics whose number grows with the Orbs. */
  readonly slices: FailoverGauges['slices'];
}

// failover.md §1
const TICK_MS = 15_000;
/** Ms between two samples of the counters. */
const SAMPLE_MS = 5000;
const WORKERS = 8;
// The lock of the ledger excludes every other process, so the leader never changes.
const EPOCH = 1;

/** This process leads as long as it runs. */
const alwaysLeading: Parameters<typeof createManager>[0]['election'] = {
  run: async (signal, lead) => lead(signal, EPOCH),
};

export function createLocalOperator(options: LocalOperatorOptions): LocalOperator {
  const { platform, store, metrics, recorder, compiled, platformNamespace, random } = options;
  const { clock, log, exceptions } = platform;
  const { logger } = log;
  const counters = (): ProcessSource => createProcessSource({ clock, series: platform.metrics, scrapeMs: SAMPLE_MS });
  const { source = counters() } = options;
  const last = createLastEvaluations(platform.metrics);
  const own = createFailoverGauges(platform.metrics.registry, clock);
  const gauges: FailoverGauges = {
    ...own,
    set: (orb, output, at) => {
      own.set(orb, output, at);
      last.set(orb, output, at);
    },
    remove: (orb) => {
      own.remove(orb);
      last.remove(orb);
    },
  };
  const failover = createFailoverState({
    clock,
    random,
    randomBytes,
    epoch: () => EPOCH,
    scrapeIntervalMs: SAMPLE_MS,
    gauges,
  });
  const { reflectors, tasks } = createLoops({
    client: store.client,
    reflect: store.reflect,
    recorder,
    assertLeading: () => undefined,
    failover,
    clock,
    random,
    logger,
    metrics,
    source,
    workers: WORKERS,
    tickMs: TICK_MS,
    allowedOrigins: exceptions.map(({ origin }) => origin),
    platformNamespace,
    apiAccount: API_ACCOUNT,
    vaultMode: 'local',
    judge: (orb) => judgeCompiled(compiled.compile(orb)),
  });
  const sampling: LeaderTask = {
    name: 'samples',
    run: async (signal) => {
      while (!signal.aborted) {
        source.sample();
        await clock.sleep(SAMPLE_MS, signal, { ref: false }).catch(() => undefined);
      }
    },
  };
  const controllers = [sampling, ...tasks];
  const manager = createManager({ reflectors, election: alwaysLeading, controllers, recorder, clock, logger });
  return { run: manager.run, lastEvaluation: (orb) => Promise.resolve(last.get(orb)), slices: own.slices };
}
