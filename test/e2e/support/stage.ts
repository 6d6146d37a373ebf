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

/** Of the load: it may not be sent twice. */
export const SEND = 'load.send@1.0.0';
// A lost one is soon known to be lost; a disk that stands still for some seconds loses none.
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

interface StageWish {
  /** Of the chart, beside those for the providers. */
  readonly values?: object;
  /** Folder or package. */
  readonly chart?: string;
  /** The first is `alpha`. */
  readonly providers?: readonly string[];
}

/** Also what others have left: their ledger may have receipts, and every receipt is counted at the end. */
async function clear(): Promise<void> {
  await removeProviders();
  await removeRelease();
}

/** Installs everything from nothing; the Orb is executed when this resolves. */
export async function setStage({ values = {}, chart, providers: names = ['alpha'] }: StageWish = {}): Promise<Stage> {
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
