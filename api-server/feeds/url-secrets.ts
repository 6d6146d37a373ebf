import type { InitialSync } from '../../adapters/kube/initial-sync.ts';
import type { WorkQueue } from '../../adapters/kube/port.ts';
import type { Platform } from '../process/platform.ts';
import { UrlSecretIndex, type UrlSecretIndexDeps } from '../vault/url-secret-index.ts';
import { UrlSecretReports } from '../vault/url-secret-reports.ts';
import type { VaultReporterDeps } from '../vault/vault-reporter.ts';
import type { OrbisetFeed } from './orbiset-feed.ts';

/** Which vault entries Orbs send in URLs, for the reports on vaults. */
export interface UrlSecrets extends Pick<VaultReporterDeps, 'inUrls'> {
  readonly stop: () => void;
}

interface UrlSecretParts {
  /** Of reports on vaults. */
  readonly queue: WorkQueue;
  readonly feed: OrbisetFeed;
  /** Whether every Orb is known. */
  readonly orbs: InitialSync;
}

/** Follows which Orbs send secrets in URLs. */
export function createUrlSecrets(
  { catalog, clock, runtime, reputation }: Platform,
  { queue, feed, orbs }: UrlSecretParts,
): UrlSecrets {
  const { platformNamespace } = runtime.settings;
  const enqueue = (key: string): void => queue.add(key, { lane: 'low' });
  const reports = new UrlSecretReports({ clock, reports: () => feed.allReports(), enqueue });
  const onChange: UrlSecretIndexDeps['onChange'] = (...change) => reports.changed(...change);
  const { version: published, watch } = reputation.listings;
  const index = new UrlSecretIndex({ catalog, platformNamespace, published, onChange });
  const unwatch = watch((change) => index.published(change.orbs));
  const enqueueAll = async (): Promise<void> => {
    await orbs.over;
    for (const [key] of feed.allReports()) enqueue(key);
  };
  void enqueueAll();
  return {
    inUrls: (key, reach) => (orbs.isOver ? index.entriesOf(key.slice(0, key.indexOf('/')), reach) : undefined),
    stop: () => {
      unwatch();
      index.stop();
      reports.stop();
    },
  };
}
