import type { LastProbe, ProviderHealth } from '../../core/failover/evaluation-summary.ts';
import type { BreakerState } from '../../core/failover/metrics.ts';
import type { AttemptOutcome } from '../../core/receipt/record.ts';
import { escapeLabel, orbLabels } from './exposition.ts';
import { DURATION, REQUESTS, SourceSeries, type SourceCounts } from './source-series.ts';

const TRANSPORT_KINDS = ['dns', 'connect', 'tls'] as const;
const BREAKER_VALUES = { closed: 0, half_open: 1, open: 2 } as const satisfies Record<BreakerState, number>;

/** The step in which a connection failed. */
export type TransportKind = (typeof TRANSPORT_KINDS)[number];

const TRANSPORT = 'orb_provider_transport_errors_total';
const BREAKER = 'orb_provider_breaker_state';
const PROBE_STREAK = 'orb_provider_probe_consecutive_successes';
const PROBE_LAST = 'orb_provider_probe_last_timestamp_seconds';
const PROBE_SECONDS = 'orb_provider_probe_last_duration_seconds';
const REDACTIONS = 'orb_redactions_total';

/** In the order of the text: the lines of a family are adjacent, below its help. */
export const FAMILIES = [
  {
    name: DURATION,
    type: 'histogram',
    help: 'Attempts and probes that ended success or timeout, from before DNS to the last byte.',
  },
  { name: REQUESTS, type: 'counter', help: 'Attempts and probes by outcome.' },
  { name: TRANSPORT, type: 'counter', help: 'Attempts that failed before a request was sent, also counted as error.' },
  { name: BREAKER, type: 'gauge', help: 'Breaker of the provider in this process: 0 closed, 1 half-open, 2 open.' },
  { name: PROBE_STREAK, type: 'gauge', help: 'Good probes in a row, from the process that probes.' },
  { name: PROBE_LAST, type: 'gauge', help: 'When the last probe ended, from the process that probes.' },
  {
    name: PROBE_SECONDS,
    type: 'gauge',
    help: 'Time of the last probe, with its outcome, from the process that probes.',
  },
  { name: REDACTIONS, type: 'counter', help: 'Secret values that a provider sent back and that were removed.' },
] as const;

export type Family = (typeof FAMILIES)[number]['name'];

/** The counters of one provider. */
export interface ProviderCounts {
  readonly traffic: SourceCounts;
  /** Undefined: this process does not probe the provider. */
  readonly probe: SourceCounts | undefined;
  readonly transportErrors: number;
}

/** The series of one provider of one Orb (failover.md §2). */
export class ProviderSeries {
  static readonly #LINES: Readonly<Record<Family, (series: ProviderSeries) => string>> = {
    [DURATION]: (series) => series.#traffic.durationLines() + (series.#probes?.durationLines() ?? ''),
    [REQUESTS]: (series) => series.#traffic.outcomeLines() + (series.#probes?.outcomeLines() ?? ''),
    [TRANSPORT]: (series) => series.#transportLines(),
    [BREAKER]: (series) => `${BREAKER}{${series.#labels}} ${BREAKER_VALUES[series.#breaker]}\n`,
    [PROBE_STREAK]: (series) => (series.#probing ? `${PROBE_STREAK}{${series.#labels}} ${series.#streak}\n` : ''),
    [PROBE_LAST]: (series) => series.#lastProbeLine(PROBE_LAST, '', ({ at }) => at),
    [PROBE_SECONDS]: (series) =>
      series.#lastProbeLine(PROBE_SECONDS, `,outcome="${series.#lastProbe?.outcome}"`, ({ durationMs }) => durationMs),
    [REDACTIONS]: () => '',
  };
  readonly #labels: string;
  readonly #traffic: SourceSeries;
  readonly #transport = new Float64Array(TRANSPORT_KINDS.length);
  #breaker: BreakerState = 'closed';
  #probes: SourceSeries | undefined;
  #probing = false;
  #streak = 0;
  #lastProbe: LastProbe | null = null;

  constructor(orbNamespace: string, orbId: string, provider: string) {
    this.#labels = `${orbLabels(orbNamespace, orbId)},provider="${escapeLabel(provider)}"`;
    this.#traffic = new SourceSeries(this.#labels, 'traffic');
  }

  readonly attempt = (outcome: AttemptOutcome, seconds: number): void => this.#traffic.count(outcome, seconds);

  readonly transportError = (kind: TransportKind): void => {
    const index = TRANSPORT_KINDS.indexOf(kind);
    this.#transport[index] = (this.#transport[index] ?? 0) + 1;
  };

  readonly breaker = (state: BreakerState): void => {
    this.#breaker = state;
  };

  /**
   * Records a probe that ended, while this process probes the Orb; a probe that ends later is ignored. A cancelled
   * probe is counted, but changes neither streak nor last probe. Every other outcome than success ends the streak, also
   * outcomes that are not attempts.
   */
  readonly probe = (outcome: AttemptOutcome, seconds: number, atSeconds: number): void => {
    if (!this.#probing) return;
    this.#probes?.count(outcome, seconds);
    if (outcome === 'cancelled') return;
    this.#streak = outcome === 'success' ? this.#streak + 1 : 0;
    this.#lastProbe = { at: Math.round(atSeconds * 1000), outcome, durationMs: Math.round(seconds * 1000) };
  };

  /**
   * Sets whether this process probes. From the start every probe counter exists with 0. At the end the gauges are
   * removed at once, because an old streak would stay in the `max` over all processes. The counters stay for
   * `dropProbes`.
   */
  setProbing(probing: boolean): void {
    if (probing) this.#probes ??= new SourceSeries(this.#labels, 'probe');
    this.#probing = probing;
    if (probing) return;
    this.#streak = 0;
    this.#lastProbe = null;
  }

  /** Removes the counters of a process that no longer probes. */
  dropProbes(): void {
    if (!this.#probing) this.#probes = undefined;
  }

  /** Whether there are probe counters. */
  get probed(): boolean {
    return this.#probes !== undefined;
  }

  get probing(): boolean {
    return this.#probing;
  }

  counts(): ProviderCounts {
    return {
      traffic: this.#traffic.counts(),
      probe: this.#probes?.counts(),
      transportErrors: this.#transport.reduce((sum, count) => sum + count, 0),
    };
  }

  health(): ProviderHealth & { readonly streak: number } {
    return { breaker: this.#breaker, lastProbe: this.#lastProbe, streak: this.#streak };
  }

  /** Lines of one family in the text format 0.0.4; '' when it has no lines. */
  lines(family: Family): string {
    return ProviderSeries.#LINES[family](this);
  }

  #transportLines(): string {
    return TRANSPORT_KINDS.map(
      (kind, index) => `${TRANSPORT}{${this.#labels},kind="${kind}"} ${this.#transport[index] ?? 0}\n`,
    ).join('');
  }

  #lastProbeLine(family: Family, labels: string, readMs: (probe: LastProbe) => number): string {
    return this.#lastProbe === null ? '' : `${family}{${this.#labels}${labels}} ${readMs(this.#lastProbe) / 1000}\n`;
  }
}

/** The line with an Orb's count of redactions. */
export const redactionLine = (orbNamespace: string, orbId: string, hits: number): string =>
  `${REDACTIONS}{${orbLabels(orbNamespace, orbId)}} ${hits}\n`;
