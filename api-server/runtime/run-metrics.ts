import type { BreakerState } from '../../core/failover/metrics.ts';
import type { AttemptOutcome, RunOutcome } from '../../core/receipt/record.ts';

/** One provider of one Orb, with its metric children bound (failover.md §2). */
interface ProviderMetrics {
  /** One attempt; the duration counts only for `success` and `timeout`. @param seconds from before DNS to the last byte */
  readonly attempt: (outcome: AttemptOutcome, seconds: number) => void;
  readonly transportError: (kind: 'dns' | 'connect' | 'tls') => void;
  readonly breaker: (state: BreakerState) => void;
  /** One probe that ended; counts only where this process probes the Orb. @param atSeconds since the epoch, when it ended */
  readonly probe: (outcome: AttemptOutcome, seconds: number, atSeconds: number) => void;
}

/** What the execute path counts. */
export interface RunMetrics {
  readonly provider: (orbNamespace: string, orbId: string, provider: string) => ProviderMetrics;
  readonly run: (outcome: RunOutcome, seconds: number) => void;
  readonly redactions: (orbNamespace: string, orbId: string, hits: number) => void;
}
