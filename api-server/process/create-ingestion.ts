import type { PlatformKeys } from '../../adapters/keys/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { hmacSha256 } from '../../adapters/keys/primitives.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import { sourceIdOf } from '../../core/ingestion/source/source-id.ts';
import type { SourceLedger } from '../ingestion/kept-sources.ts';
import type { LedgerCounts } from '../ingestion/source-activity.ts';
import { SourceFeed } from '../ingestion/source-feed.ts';
import { SourceTraffic } from '../ingestion/source-traffic.ts';
import type { RuntimeSettings } from '../runtime/runtime.ts';

export interface IngestionParts {
  readonly ledger: SourceLedger & Pick<Ledger, 'sourceCounts'>;
  readonly keys: Pick<PlatformKeys, 'ingestIdKey'>;
  readonly log: Pick<ProcessLog, 'logger'>;
  readonly settings: Pick<RuntimeSettings, 'platformNamespace'>;
}

/** The parts of ingestion that live as long as the process. */
export interface Ingestion {
  /** The signal sources that receive; none until their objects were read. */
  readonly sources: SourceFeed;
  /** Deliveries that leave no row. */
  readonly traffic: SourceTraffic;
  /** Deliveries by source, as the ledger counts them. @throws LedgerError */
  readonly counts: () => Promise<readonly LedgerCounts[]>;
}

/** Makes ingestion. No object was read yet. @throws LedgerError */
export async function createIngestion({ ledger, keys, log, settings }: IngestionParts): Promise<Ingestion> {
  const sources = new SourceFeed({
    ledger,
    platformNamespace: settings.platformNamespace,
    logger: log.logger,
    idOf: (path) => sourceIdOf(keys.ingestIdKey, path, hmacSha256),
  });
  await sources.open();
  return { sources, traffic: new SourceTraffic(), counts: () => ledger.sourceCounts() };
}
