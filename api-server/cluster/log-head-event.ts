import { createEventRecorder } from '../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
import { LOG_HEAD_NAME } from '../../adapters/log-head/config-map-head-store.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { Doubt } from '../log-head/judge-head.ts';
import type { Platform } from '../process/platform.ts';

export interface ForkEventDeps {
  readonly platform: Pick<Platform, 'clock' | 'log' | 'followHead'>;
  readonly client: KubeClient;
  readonly metrics: RuntimeMetrics;
  /** Namespace of the platform. */
  readonly namespace: string;
  /** Name of this process among its replicas. */
  readonly identity: string;
}

const eventOf = ({ why, next }: Doubt): EventSpec => ({
  type: 'Warning',
  reason: 'LedgerForked',
  action: 'StopSigning',
  note: `Nothing is signed, and no run is started: ${why}. ${next}`,
});

/** Reports a doubtful history as an Event on its ConfigMap, until the signal is aborted. Never rejects. */
export async function reportFork(doubt: Doubt, deps: ForkEventDeps, signal: AbortSignal): Promise<void> {
  const { platform, client, metrics, namespace, identity } = deps;
  const { clock, log } = platform;
  const reporting = { reportingController: 'orbs.dev/api', reportingInstance: identity };
  const recorder = createEventRecorder({ client, clock, logger: log.logger, metrics, ...reporting });
  const head = await client.get(KINDS.configMap, { namespace, name: LOG_HEAD_NAME }, signal).catch(() => undefined);
  if (head !== undefined) recorder.record(head, [eventOf(doubt)]);
  await recorder.run(signal);
}
