import { createIngestWorker } from '../ingestion/worker/create-worker.ts';
import type { SignalSource } from '../ingestion/source.ts';
import type { Platform } from './platform.ts';

/** A key is `namespace/name`. */
const partsOf = (key: string): readonly [namespace: string, name: string] => {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
};

/**
 * Maps what was accepted until the signal is aborted, in the replica that holds the lease. Never rejects.
 * @param missing parts that were not read yet
 */
export function runIngestWorker(
  { ledger, ledgerFile, scores, catalog, runtime, runs, ingestion, receiving, clock, random, log, metrics }: Platform,
  missing: () => readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { published, settings } = runtime;
  const { index } = ingestion.sources;
  const sourceOf = (key: string): SignalSource | undefined => index.byName(...partsOf(key));
  const worker = createIngestWorker({
    ledger,
    ledgerFile,
    catalog,
    count: scores.count,
    published,
    runs,
    platformNamespace: settings.platformNamespace,
    sourceOf,
    sources: () => [...ingestion.sources.keys()].flatMap((key) => sourceOf(key) ?? []),
    clock,
    random,
    logger: log.logger,
    registry: metrics.registry,
    holder: settings.owner,
    isReady: () => missing().length === 0,
  });
  receiving.bell.listen(worker.wake);
  return worker.run(signal);
}
