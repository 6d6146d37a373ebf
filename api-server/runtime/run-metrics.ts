import type { BreakerState } from '../../core/failover/metrics.ts';
import type { AttemptOutcome, RunOutcome } from '../../core/receipt/record.ts';

/** One provider of one Orb, with its metric children bound (failover.md §2). */
interface ProviderMetrics {
  /**
   * Counts one attempt; the duration counts only for `success` and `timeout`.
   * @param seconds from before DNS to the last byte
   */
  readonly attempt: (outcome: AttemptOutcome, seconds: number) => void;
  readonly transportError: (kind: 'dns' | 'connect' | 'tls') => void;
  readonly breaker: (state: BreakerState) => void;
  /**
   * Counts one ended probe, only where this process probes the Orb.
   * @param atSeconds end of the probe, since the epoch
   */
  readonly probe: (outcome: AttemptOutcome, seconds: number, atSeconds: number) => void;
}

/** Counters of the execute path. */
export interface RunMetrics {
  readonly provider: (orbNamespace: string, orbId: string, provider: string) => ProviderMetrics;
  readonly run: (outcome: RunOutcome, seconds: number) => void;
  readonly redactions: (orbNamespace: string, orbId: string, hits: number) => void;
}
