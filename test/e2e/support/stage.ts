import { connectApi, type ApiClient } from './api-client.ts';
import { untilServed } from './load.ts';
import {
  executionOf,
  loadOrb,
  loadOrbiset,
  removeProviders,
  startProviders,
  type ProviderPods,
} from './provider-pods.ts';
import { ensureRelease, removeRelease } from './release.ts';

/** The Orb of the load: its request may not be sent twice. */
export const SEND = 'load.send@1.0.0';
// Short enough to detect a lost request soon; long enough that a disk pause of some seconds does not lose a request.
const SEND_TIMEOUT_MS = 15_000;

/** The platform in pods, with a provider, an Orb that posts to it, and a caller. */
export interface Stage {
  readonly providers: ProviderPods;
  readonly api: ApiClient;
  readonly close: () => Promise<void>;
}

const sendOrb = (): object =>
  loadOrb('send', {
    provider: 'alpha',
    effect: 'irreversible',
    execution: { ...executionOf('alpha', 'POST'), timeout_ms: SEND_TIMEOUT_MS },
  });

interface StageOptions {
  /** Values of the chart, in addition to those for the providers. */
  readonly values?: object;
  /** Folder or package of the chart. */
  readonly chart?: string;
  /** Names; the first is `alpha`. */
  readonly providers?: readonly string[];
}

/**
 * Removes everything, also from other tests: their ledger may hold receipts, and every receipt is counted at the end.
 */
async function clear(): Promise<void> {
  await removeProviders();
  await removeRelease();
}

/** Installs everything on an empty cluster; the Orb can be executed when this resolves. */
export async function setStage({
  values = {},
  chart,
  providers: names = ['alpha'],
}: StageOptions = {}): Promise<Stage> {
  await clear();
  const providers = await startProviders(...names);
  await ensureRelease({ ...providers.values, ...values }, chart);
  await providers.tenant.apply(...loadOrbiset(...names), sendOrb());
  await providers.tenant.kubectl('wait', 'orb/send', '--for=condition=Ready', '--timeout=180s');
  const api = await connectApi();
  await untilServed(api, SEND);
  const close = async (): Promise<void> => {
    await api.close();
    await clear();
  };
  return { providers, api, close };
}
