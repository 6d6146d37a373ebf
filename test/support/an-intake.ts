import { Registry } from 'prom-client';
import { createReceiveMetrics } from '../../api-server/ingestion/receive-metrics.ts';
import type { Intake } from '../../api-server/ingestion/receive.ts';
import { IngestRates, type IngestLimits } from '../../api-server/ingestion/source-rates.ts';
import { SourceTraffic } from '../../api-server/ingestion/source-traffic.ts';

/** An intake that takes everything, unless it is told otherwise, with its metrics in a registry of its own. */
export function anIntake(some: Partial<Intake> & { readonly limits?: IngestLimits } = {}): {
  readonly intake: Intake;
  readonly registry: Registry;
} {
  const registry = new Registry();
  const { limits = { perAddress: 1e6, inAll: 1e6 }, ...rest } = some;
  const intake: Intake = {
    rates: new IngestRates(limits),
    isClosed: () => false,
    metrics: createReceiveMetrics(registry),
    traffic: new SourceTraffic(),
    queue: { wake: () => undefined },
    ...rest,
  };
  return { intake, registry };
}
