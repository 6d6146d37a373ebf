import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { createReflector } from '../../../adapters/kube/reflector.ts';
import { VaultWatches } from '../../../api-server/cluster/vault-watches.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from './fake-kube-client.ts';
import { noteLog, noteMetrics } from './runtime-notes.ts';

/** Watches of vaults over a fake cluster, on a clock of the test's. */
export interface RunningVaults {
  readonly client: FakeKubeClient;
  readonly clock: FakeClock;
  readonly watches: VaultWatches;
  readonly changed: string[];
  /** What the reflectors ask, in the order of their beginning. */
  readonly clients: readonly Pick<KubeClient, 'list'>[];
  /** Selections that were listed, in order. */
  readonly listed: readonly string[];
  readonly put: (name: string, value: string, namespace?: string) => void;
  readonly text: (name: string, namespace?: string) => string;
}

/** What an API server says to whoever may not. */
export const forbidden = (): Error => kubeError(403, 'Forbidden');

const all: VaultWatches[] = [];

/** Ends them all: a watch of the fake cluster keeps the process alive. */
export const stopVaults = (): void => all.splice(0).forEach((watches) => watches.stop());

/** @param limit of single watches */
export function startVaults({ limit = 200, mayWatchNamespaces = true } = {}): RunningVaults {
  const client = createFakeKubeClient();
  const clock = createFakeClock(0);
  const changed: string[] = [];
  const listed: string[] = [];
  const clients: Pick<KubeClient, 'list'>[] = [];
  const { logger } = noteLog();
  const watches = new VaultWatches({
    client,
    logger,
    clock,
    mayWatchNamespaces,
    limit,
    reflect: (about) => {
      const { namespace = '', fieldSelector = '*' } = about.selection;
      clients.push(about.client);
      listed.push(`${namespace} ${fieldSelector}`);
      const { metrics } = noteMetrics();
      return createReflector({ ...about, kind: KINDS.secret, clock, random: () => 0.5, logger, metrics, freeze: true });
    },
    onChange: (orbisets) => void changed.push(...orbisets),
  });
  all.push(watches);
  const put: RunningVaults['put'] = (name, value, namespace = 'acme') => {
    const data = { TOKEN: Buffer.from(value).toString('base64') };
    client.put(KINDS.secret, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data });
  };
  const text: RunningVaults['text'] = (name, namespace = 'acme') => {
    const read = watches.read(namespace, name);
    return read.kind === 'found' ? Buffer.from(read.values.read().get('TOKEN') ?? []).toString() : read.kind;
  };
  return { client, clients, clock, watches, changed, listed, put, text };
}
