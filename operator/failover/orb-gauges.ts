import { escapeLabel, familyHead, orbLabels } from '../../adapters/telemetry/exposition.ts';
import type { EvaluationSummary } from '../../core/failover/evaluation-summary.ts';
import { EVALUATION_FAMILIES, type LabelledValue } from '../../core/failover/evaluation-series.ts';
import type { SwapReason } from '../../core/failover/types.ts';

export interface OrbKey {
  readonly namespace: string;
  readonly orbId: string;
}

/** Values of the last evaluation of an Orb. */
export interface OrbGauges {
  readonly summary: EvaluationSummary;
  readonly quantile: number;
  /** Names of all its providers. */
  readonly providers: readonly string[];
  readonly active: string;
  /** Ms since epoch. */
  readonly pinExpiresAt: number | null;
}

const SWAP_REASONS = ['manual', 'hard_failure', 'latency', 'failback'] as const satisfies readonly SwapReason[];

/** One counter of swaps, with the providers that it counts. */
interface SwapCount {
  readonly from: string;
  readonly to: string;
  value: number;
}

/** The series of one Orb. Counters outlive the gauges: Prometheus reads their last value. */
export class OrbSeries {
  readonly #labels: string;
  /** Keyed by the text of their own labels. */
  readonly #swaps = new Map<string, SwapCount>();
  readonly #evaluations = new Map<string, number>([['exception', 0]]);
  /** Names of the providers whose swap counters exist. */
  #prepared: readonly string[] = [];
  gauges: OrbGauges | undefined;
  /** Ms since epoch; undefined while the Orb exists. */
  goneAt: number | undefined;

  constructor({ namespace, orbId }: OrbKey) {
    this.#labels = orbLabels(namespace, orbId);
  }

  /**
   * Creates a counter with 0 for every possible swap: a counter that starts at 1 shows no increase. Counters of names
   * in neither this manifest nor the one before are removed, so renamed providers don't fill the memory.
   * @param providers empty: not known now
   */
  prepare(providers: readonly string[]): void {
    if (providers.length === 0 || providers.join(' ') === this.#prepared.join(' ')) return;
    const kept = new Set([...this.#prepared, ...providers]);
    for (const [labels, { from, to }] of this.#swaps) {
      if (!kept.has(from) || !kept.has(to)) this.#swaps.delete(labels);
    }
    this.#prepared = providers;
    const pairs = providers.flatMap((from) => providers.filter((to) => to !== from).map((to) => [from, to] as const));
    for (const [from, to] of pairs) for (const reason of SWAP_REASONS) this.#swap(from, to, { reason, by: 0 });
  }

  swapped(from: string, to: string, reason: SwapReason): void {
    this.#swap(from, to, { reason, by: 1 });
    if (this.gauges !== undefined) this.gauges = { ...this.gauges, active: to };
  }

  evaluated(result: string): void {
    this.#evaluations.set(result, (this.#evaluations.get(result) ?? 0) + 1);
  }

  swapLines(name: string): string {
    return [...this.#swaps].map(([labels, { value }]) => `${name}{${this.#labels},${labels}} ${value}\n`).join('');
  }

  evaluationLines(name: string): string {
    return [...this.#evaluations].map(([result, value]) => this.line(name, { labels: { result }, value })).join('');
  }

  line(name: string, { labels, value }: LabelledValue): string {
    const own = Object.entries(labels).map(([label, text]) => `,${label}="${escapeLabel(text)}"`);
    return `${name}{${this.#labels}${own.join('')}} ${value}\n`;
  }

  #swap(from: string, to: string, { reason, by }: { readonly reason: SwapReason; readonly by: number }): void {
    const labels = `from="${escapeLabel(from)}",to="${escapeLabel(to)}",reason="${reason}"`;
    const count = this.#swaps.get(labels) ?? { from, to, value: 0 };
    count.value += by;
    this.#swaps.set(labels, count);
  }
}

interface OrbFamily {
  readonly name: string;
  readonly type: 'gauge' | 'counter';
  readonly help: string;
  readonly text: (series: OrbSeries, name: string) => string;
}

const gaugeText =
  (samples: (gauges: OrbGauges) => readonly LabelledValue[]): OrbFamily['text'] =>
  (series, name) =>
    series.gauges === undefined
      ? ''
      : samples(series.gauges)
          .map((sample) => series.line(name, sample))
          .join('');

/** Metric families, in the order of the text. */
const FAMILIES: readonly OrbFamily[] = [
  {
    name: 'orb_provider_active',
    type: 'gauge',
    help: '1 for the active provider of an Orb, 0 for the others.',
    text: gaugeText(({ providers, active }) =>
      providers.map((provider) => ({ labels: { provider }, value: provider === active ? 1 : 0 })),
    ),
  },
  {
    name: 'orb_provider_pin_expiry_timestamp_seconds',
    type: 'gauge',
    help: 'When the pin of an Orb ends.',
    text: gaugeText(({ pinExpiresAt }) => (pinExpiresAt === null ? [] : [{ labels: {}, value: pinExpiresAt / 1000 }])),
  },
  ...EVALUATION_FAMILIES.map(({ name, help, samples }): OrbFamily => ({
    name,
    type: 'gauge',
    help,
    text: gaugeText(({ summary, quantile }) => samples(summary, quantile)),
  })),
  {
    name: 'orb_provider_swaps_total',
    type: 'counter',
    help: 'Changes of the active provider.',
    text: (series, name) => series.swapLines(name),
  },
  {
    name: 'orb_swap_evaluations_total',
    type: 'counter',
    help: 'Evaluations by the rule that decided; exception: a bug.',
    text: (series, name) => series.evaluationLines(name),
  },
];

/** Whole lines; those of one family are contiguous. Orbs may change between two lines. */
export function* orbFamilies(orbs: ReadonlyMap<string, OrbSeries>): Generator<string> {
  for (const { name, type, help, text } of FAMILIES) {
    yield familyHead(name, type, help);
    for (const series of orbs.values()) yield text(series, name);
  }
}
