import { KINDS } from '../../../adapters/kube/kinds.ts';
import type { KubeClient } from '../../../adapters/kube/port.ts';
import { createReflector } from '../../../adapters/kube/reflector.ts';
import { VaultWatches, type VaultWatchesDeps } from '../../../api-server/vault/vault-watches.ts';
import { createFakeClock, type FakeClock } from '../fake-clock.ts';
import { createFakeKubeClient, kubeError, type FakeKubeClient } from './fake-kube-client.ts';
import { recordLog, recordMetrics } from './runtime-recorders.ts';

/** Watches of vaults over a fake cluster, on the test's clock. */
export interface RunningVaults {
  readonly client: FakeKubeClient;
  readonly clock: FakeClock;
  readonly watches: VaultWatches;
  readonly changed: string[];
  /** The clients of the reflectors, in the order of their start. */
  readonly clients: readonly Pick<KubeClient, 'list'>[];
  /** Selections that were listed, in order. */
  readonly listed: readonly string[];
  readonly put: (name: string, value: string, namespace?: string) => void;
  readonly text: (name: string, namespace?: string) => string;
}

/** LISTs have no answer from now on, until the returned function is called. */
export function holdLists({ client }: Pick<RunningVaults, 'client'>): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  client.after = ({ verb }) => (verb === 'list' ? promise : undefined);
  return () => {
    client.after = () => undefined;
    resolve();
  };
}

/** The API server's answer to a client without permission. */
export const forbidden = (): Error => kubeError(403, 'Forbidden');

const all: VaultWatches[] = [];

/** Ends all watches: a watch of the fake cluster keeps the process alive. */
export const stopVaults = (): void => all.splice(0).forEach((watches) => watches.stop());

/** @param options `limit` of single watches; without it that of the platform holds */
export function startVaults({
  limit,
  mayWatchNamespaces = true,
}: Partial<Pick<VaultWatchesDeps, 'limit' | 'mayWatchNamespaces'>> = {}): RunningVaults {
  const client = createFakeKubeClient();
  const clock = createFakeClock(0);
  const changed: string[] = [];
  const listed: string[] = [];
  const clients: Pick<KubeClient, 'list'>[] = [];
  const { logger } = recordLog();
  const watches = new VaultWatches({
    client,
    logger,
    clock,
    mayWatchNamespaces,
    ...(limit === undefined ? {} : { limit }),
    reflect: (about) => {
      const { namespace = '', fieldSelector = '*' } = about.selection;
      clients.push(about.client);
      listed.push(`${namespace} ${fieldSelector}`);
      const { metrics } = recordMetrics();
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
