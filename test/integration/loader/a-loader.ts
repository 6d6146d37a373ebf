import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directConnection } from '../../../adapters/kube/connection.ts';
import { createEventRecorder } from '../../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { createReflector } from '../../../adapters/kube/reflector.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { createManifestLoader } from '../../../operator/loader/manifest-loader.ts';
import { recordingLogger, recordingMetrics, type RecordedLine } from '../../support/kube/recorders.ts';
import { liveClock } from '../../support/live-clock.ts';

/** Where RBAC lets the operator's loader write. */
export const NAMESPACE = 'orb-system';
export const POD = {
  name: 'orb-operator-loader-test',
  namespace: NAMESPACE,
  uid: 'b0f4a2e2-0000-4000-8000-000000000000',
};

/** A loader over a temporary folder, as the operator's ServiceAccount. */
export interface ALoader {
  readonly folder: string;
  readonly client: KubeClient;
  readonly lines: readonly RecordedLine[];
  /** Writes that succeeded and failed: `apply success`. */
  readonly writes: readonly string[];
  readonly stop: () => Promise<void>;
}

export async function startLoader(plane: ControlPlane, folder?: string): Promise<ALoader> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const logger = recordingLogger();
  const writes: string[] = [];
  const metrics = recordingMetrics();
  const connection = await directConnection({
    server: plane.server.url,
    token: plane.users.operator.token,
    caFile: plane.caFile,
  });
  const basics = { clock: systemClock, random: Math.random, logger, metrics };
  const client = createKubeClient({ ...basics, connection, userAgent: 'loader-test' });
  const orbs = createReflector({
    ...basics,
    client,
    kind: KINDS.orb,
    selection: { namespace: NAMESPACE },
    freeze: true,
    onChange: () => undefined,
  });
  const recorder = createEventRecorder({
    ...basics,
    client,
    metrics: { eventDropped: () => undefined },
    reportingController: 'orbs.dev/operator',
    reportingInstance: POD.name,
  });
  const made = folder ?? mkdtempSync(join(tmpdir(), 'orb-manifests-'));
  // A folder that is away while the test stands still is no longer away than the test wants.
  const live = liveClock();
  const loader = createManifestLoader({
    folder: made,
    namespace: NAMESPACE,
    client,
    orbs: orbs.store,
    assertLeading: () => undefined,
    recorder,
    reportOn: () => Promise.resolve({ apiVersion: 'v1', kind: 'Pod', metadata: POD }),
    clock: live,
    logger,
    metrics: {
      files: () => undefined,
      readable: () => undefined,
      wrote: (verb, result) => void writes.push(`${verb} ${result}`),
    },
    allowedOrigins: [],
  });
  const runs = [orbs.run(signal), recorder.run(signal)];
  await orbs.synced;
  runs.push(loader.run(signal));
  return {
    folder: made,
    client,
    lines: logger.lines,
    writes,
    stop: async () => {
      await recorder.flush(1000);
      stopping.abort(new Error('the test is over'));
      await Promise.all(runs);
      live.stop();
      await client.close();
    },
  };
}
