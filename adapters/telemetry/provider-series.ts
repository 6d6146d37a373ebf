import type { AttemptOutcome } from '../../core/receipt/record.ts';
import { SECONDS_BUCKETS } from './buckets.ts';

const OUTCOMES = [
  'success',
  'error',
  'timeout',
  'rate_limited',
  'client_error',
  'cancelled',
  'blocked',
] as const satisfies readonly AttemptOutcome[];
const TRANSPORT_KINDS = ['dns', 'connect', 'tls'] as const;

/** Where a connection failed. */
export type TransportKind = (typeof TRANSPORT_KINDS)[number];

const DURATION = 'orb_provider_request_duration_seconds';
const REQUESTS = 'orb_provider_requests_total';
const TRANSPORT = 'orb_provider_transport_errors_total';
const REDACTIONS = 'orb_redactions_total';

/** In the order of the text: a family's lines stand together, below its help. */
export const FAMILIES = [
  {
    name: DURATION,
    type: 'histogram',
    help: 'Attempts that ended success or timeout, from before DNS to the last byte.',
  },
  { name: REQUESTS, type: 'counter', help: 'Attempts by outcome.' },
  { name: TRANSPORT, type: 'counter', help: 'Attempts that failed before a request was sent, also counted as error.' },
  { name: REDACTIONS, type: 'counter', help: 'Secret values that a provider sent back and that were removed.' },
] as const;

export type Family = (typeof FAMILIES)[number]['name'];

const escapeLabel = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

/** The series of one provider of one Orb, `source="traffic"` (failover.md §2). Written by one thread; nothing is allocated per attempt. */
export class ProviderSeries {
  readonly #labels: string;
  /** Not cumulative; the last one is beyond all bounds. */
  readonly #buckets = new Float64Array(SECONDS_BUCKETS.length + 1);
  readonly #outcomes = new Float64Array(OUTCOMES.length);
  readonly #transport = new Float64Array(TRANSPORT_KINDS.length);
  #seconds = 0;

  constructor(orbNamespace: string, orbId: string, provider: string) {
    this.#labels = `${orbLabels(orbNamespace, orbId)},provider="${escapeLabel(provider)}"`;
  }

  /** Counts one attempt; its time only if it is one: a fast 503 must not look like a fast provider. */
  readonly attempt = (outcome: AttemptOutcome, seconds: number): void => {
    const index = OUTCOMES.indexOf(outcome);
    this.#outcomes[index] = (this.#outcomes[index] ?? 0) + 1;
    if (outcome !== 'success' && outcome !== 'timeout') return;
    const first = SECONDS_BUCKETS.findIndex((bound) => seconds <= bound);
    const bucket = first < 0 ? SECONDS_BUCKETS.length : first;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#seconds += seconds;
  };

  readonly transportError = (kind: TransportKind): void => {
    const index = TRANSPORT_KINDS.indexOf(kind);
    this.#transport[index] = (this.#transport[index] ?? 0) + 1;
  };

  /** Lines of one family in the text format 0.0.4; '' when it has none. */
  lines(family: Family): string {
    switch (family) {
      case DURATION:
        return this.#durationLines();
      case REQUESTS:
        return this.#counterLines(REQUESTS, OUTCOMES, this.#outcomes);
      case TRANSPORT:
        return this.#counterLines(TRANSPORT, TRANSPORT_KINDS, this.#transport);
      case REDACTIONS:
        return '';
      default:
        return family satisfies never;
    }
  }

  #durationLines(): string {
    const labels = `${this.#labels},source="traffic"`;
    let lines = '';
    let count = 0;
    for (const [index, bound] of SECONDS_BUCKETS.entries()) {
      count += this.#buckets[index] ?? 0;
      lines += `${DURATION}_bucket{${labels},le="${bound}"} ${count}\n`;
    }
    count += this.#buckets[SECONDS_BUCKETS.length] ?? 0;
    return (
      `${lines}${DURATION}_bucket{${labels},le="+Inf"} ${count}\n` +
      `${DURATION}_sum{${labels}} ${this.#seconds}\n${DURATION}_count{${labels}} ${count}\n`
    );
  }

  #counterLines(name: Family, values: readonly string[], counts: Float64Array): string {
    const label = name === REQUESTS ? 'outcome' : 'kind';
    const tail = name === REQUESTS ? ',source="traffic"' : '';
    return values
      .map((value, index) => `${name}{${this.#labels},${label}="${value}"${tail}} ${counts[index] ?? 0}\n`)
      .join('');
  }
}

/** The labels that every series of an Orb has. */
const orbLabels = (orbNamespace: string, orbId: string): string =>
  `orb_namespace="${escapeLabel(orbNamespace)}",orb_id="${escapeLabel(orbId)}"`;

/** The line of an Orb's count of redactions. */
export const redactionLine = (orbNamespace: string, orbId: string, hits: number): string =>
  `${REDACTIONS}{${orbLabels(orbNamespace, orbId)}} ${hits}\n`;
