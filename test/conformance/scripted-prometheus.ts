import type { ServerResponse } from 'node:http';
import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createPrometheusClient, type PrometheusClient } from '../../adapters/prometheus/client.ts';
import { createPrometheusSource } from '../../adapters/prometheus/source.ts';
import type { MetricsSnapshot, ProviderMetrics, Reading } from '../../core/failover/metrics.ts';
import type { MovedClock } from '../support/fake-clock.ts';
import { element, startFakePrometheus, vector } from '../support/prometheus.ts';
import type { TimedSource } from './recording-source.ts';

/** Possible faults of Prometheus, in the words of failover.md §13, S18. */
export const FAULTS = [
  'down',
  '400',
  '[]',
  'NaN',
  '+Inf',
  'stale target',
  'two series',
  'warnings',
  '10 s slow',
] as const;
export type Fault = (typeof FAULTS)[number];

type Element = readonly [labels: Readonly<Record<string, string>>, value: string];

const ORB = { orb_namespace: 'acme', orb_id: 'acme.echo@1.0.0' };
/** Deadline of a query, as in the source. */
const DEADLINE_MS = 10_000;
const SLOW_MS = DEADLINE_MS + 1;
const STALE_S = 400;
const BREAKERS = { closed: 0, half_open: 1, open: 2 } as const;

const secondsOf = (reading: Reading): string => (reading.kind === 'ok' ? String(reading.value / 1000) : 'NaN');

/** All samples of a provider in one query: name of the metric, value in the format of Prometheus. */
export function samplesOf({
  windows,
  base,
  baseN,
  probe,
  ...rest
}: ProviderMetrics): readonly (readonly [string, string])[] {
  const ofWindows = Object.entries(windows).flatMap(([name, { n, p50, pq, attempts, bad }]) => [
    [`p50_${name}`, secondsOf(p50)] as const,
    [`p95_${name}`, secondsOf(pq)] as const,
    [`n_${name}`, String(n)] as const,
    [`attempts_${name}`, String(attempts)] as const,
    [`bad_${name}`, String(bad)] as const,
  ]);
  return [
    ...ofWindows,
    ['base_p95', secondsOf(base)],
    ['base_n', String(baseN)],
    ['probe_p50', secondsOf(probe.p50)],
    ['probes', String(probe.n)],
    ['probes_ok', String(probe.ok)],
    ['streak', String(probe.streak)],
    ['last', String((probe.lastAt ?? 0) / 1000)],
    ['transport_2m', String(rest.transportErrors2m)],
    ['successes_2m', String(rest.successes2m)],
    ['breaker', String(BREAKERS[rest.breaker])],
  ];
}

function elementsOf(snapshot: MetricsSnapshot): readonly Element[] {
  if (snapshot.state === 'unusable') return [];
  const samples = Object.entries(snapshot.providers).flatMap(([provider, metrics]) =>
    samplesOf(metrics).map(([q, value]): Element => [{ ...ORB, provider, q }, value]),
  );
  return [...samples, [{ ...ORB, q: 'age' }, '8']];
}

const isLatency = ({ provider, q = '' }: Element[0]): boolean => provider === 'a' && /^p(?:50|95)_/.test(q);

/** Duplicates every series, as if another target also had it. */
const twice = (elements: readonly Element[]): readonly Element[] =>
  elements.flatMap(([labels, value]): readonly Element[] =>
    isLatency(labels)
      ? [
          [labels, value],
          [{ ...labels, replica: 'b' }, value],
        ]
      : [[labels, value]],
  );

const withLatency = (elements: readonly Element[], text: string): readonly Element[] =>
  elements.map(([labels, value]): Element => [labels, isLatency(labels) ? text : value]);

const aged = (elements: readonly Element[]): readonly Element[] =>
  elements.map(([labels, value]): Element => [labels, labels['q'] === 'age' ? String(STALE_S) : value]);

function changed(elements: readonly Element[], fault: Fault | undefined): readonly Element[] {
  if (fault === '[]') return [];
  if (fault === 'NaN' || fault === '+Inf') return withLatency(elements, fault);
  if (fault === 'stale target') return aged(elements);
  return fault === 'two series' ? twice(elements) : elements;
}

function answer(response: ServerResponse, elements: readonly Element[], { now, fault }: Shown): void {
  response.setHeader('date', new Date(now).toUTCString());
  if (fault === '400') {
    response.writeHead(400).end(JSON.stringify({ status: 'error', errorType: 'bad_data', error: 'parse error' }));
    return;
  }
  const more = fault === 'warnings' ? { warnings: ['a store did not answer'] } : {};
  const body = vector(
    changed(elements, fault).map(([labels, value]) => element(labels, value, now / 1000)),
    more,
  );
  response.end(body);
}

interface Shown {
  readonly now: number;
  readonly fault: Fault | undefined;
}

/** A Prometheus over HTTP that returns what the process has counted, and can have a fault. */
export interface ScriptedPrometheus {
  /** Undefined: no fault. */
  fault: Fault | undefined;
  readonly sourceOf: (own: MetricsSource, clock: MovedClock) => TimedSource;
  readonly stop: () => Promise<void>;
}

// An address where no server listens.
const NOWHERE = 'http://127.0.0.1:1';

export async function startScriptedPrometheus(): Promise<ScriptedPrometheus> {
  const server = await startFakePrometheus();
  const clients: PrometheusClient[] = [];
  const scripted: ScriptedPrometheus = {
    fault: undefined,
    sourceOf: (own, clock) => {
      const [client, lost] = [server.url, NOWHERE].map((url) =>
        createPrometheusClient({ connection: { url, headers: {} }, clock }),
      );
      if (client === undefined || lost === undefined) throw new TypeError('two clients');
      clients.push(client, lost);
      const query: PrometheusClient['query'] = (asked, signal) =>
        (scripted.fault === 'down' ? lost : client).query(asked, signal);
      const source = createPrometheusSource({
        client: { query, close: client.close },
        clock,
        scrapeIntervalMs: 15_000,
        mode: 'query',
      });
      // Monotonic ms at which the pending query is given up.
      let heldUntil = 0;
      return {
        isHeld: () => clock.monotonic() < heldUntil,
        measure: async (orbs, signal) => {
          const { fault } = scripted;
          const began = clock.monotonic();
          const [orb] = orbs;
          const snapshot = (await own.measure(orbs, signal)).snapshot(orb ?? { namespace: '', orbId: '' });
          const shown = { now: clock.now(), fault };
          const waiting = new AbortController();
          server.answer((response) => {
            if (fault !== '10 s slow') {
              answer(response, elementsOf(snapshot), shown);
              return;
            }
            heldUntil = began + DEADLINE_MS;
            void clock.sleep(SLOW_MS, waiting.signal).then(
              () => answer(response, elementsOf(snapshot), shown),
              () => response.destroy(),
            );
          });
          const measured = await source.measure(orbs, signal);
          waiting.abort();
          return measured;
        },
      };
    },
    stop: async () => {
      for (const client of clients) await client.close();
      await server.stop();
    },
  };
  return scripted;
}
