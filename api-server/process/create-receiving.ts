import type { Ledger } from '../../adapters/ledger/port.ts';
import type { UseLimits } from '../../adapters/process/limit-flags.ts';
import { watchVolume } from '../../adapters/process/volume-use.ts';
import type { ProcessLog } from '../../adapters/telemetry/logger.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { isIntakeClosed } from '../ingestion/intake-load.ts';
import { DeliveryBell } from '../ingestion/queue.ts';
import { createReceiveMetrics } from '../ingestion/receive-metrics.ts';
import type { Intake } from '../ingestion/receive.ts';
import { INGEST_LIMITS, IngestRates } from '../ingestion/source-rates.ts';
import type { SourceTraffic } from '../ingestion/source-traffic.ts';

export interface ReceivingParts {
  readonly ledger: Pick<Ledger, 'load'>;
  /** Its volume must have room. */
  readonly ledgerFolder: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<ProcessLog, 'logger'>;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly loopDelayMs: () => number;
  readonly traffic: SourceTraffic;
  /** Without a rate by address, clients have none here either: all of them may have the address of a proxy. */
  readonly use: Pick<UseLimits, 'rates'>;
}

/** The parts of receiving that live as long as the process. */
export interface Receiving {
  readonly intake: Intake;
  /** Rings for every delivery that was accepted. */
  readonly bell: DeliveryBell;
  readonly close: () => void;
}

export async function createReceiving(parts: ReceivingParts): Promise<Receiving> {
  const { ledger, ledgerFolder, log, metrics, loopDelayMs, traffic, use } = parts;
  const volume = await watchVolume(ledgerFolder, log.logger);
  const pressure = { ledger: () => ledger.load(), loopDelayMs, volumeUsed: volume.used };
  const bell = new DeliveryBell();
  const intake: Intake = {
    rates: new IngestRates(use.rates.address === 'none' ? { ...INGEST_LIMITS, perAddress: 'none' } : INGEST_LIMITS),
    isClosed: () => isIntakeClosed(pressure),
    metrics: createReceiveMetrics(metrics.registry),
    traffic,
    queue: bell,
  };
  return { intake, bell, close: volume.close };
}
