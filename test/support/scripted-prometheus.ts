import { element, startFakePrometheus, vector } from './prometheus.ts';

/** Latencies in seconds; everything that is not said is that of a provider without traffic, with good probes. */
interface Scripted {
  readonly p50?: number;
  /** Of each window. */
  readonly attempts?: number;
  readonly bad?: number;
  readonly probeP50?: number;
  /** Good probes in a row; 0: the last one failed. */
  readonly streak?: number;
}

type Providers = Readonly<Record<string, Scripted>>;

/** A Prometheus that says the same of every Orb of a test. */
export interface ScriptedPrometheus {
  readonly url: string;
  /** What it says from now on; undefined: it fails. */
  readonly say: (providers: Providers | undefined) => void;
  /** Looks so far. */
  readonly looks: () => number;
  readonly stop: () => Promise<void>;
}

const WINDOWS = ['2m', '5m', '10m'] as const;

type Figure = readonly [string, number];

function figuresOf(
  { p50 = Number.NaN, attempts = 0, bad = 0, probeP50 = 0.2, streak = 10 }: Scripted,
  now: number,
): readonly Figure[] {
  const n = Number.isNaN(p50) ? 0 : attempts - bad;
  const traffic = WINDOWS.flatMap((window): readonly Figure[] => [
    [`p50_${window}`, p50],
    [`p95_${window}`, 2 * p50],
    [`n_${window}`, n],
    [`attempts_${window}`, attempts],
    [`bad_${window}`, bad],
  ]);
  return [
    ...traffic,
    ['base_p95', 0.4],
    ['base_n', 1000],
    ['probe_p50', probeP50],
    ['probes', 10],
    ['probes_ok', Math.min(10, streak)],
    ['successes_2m', attempts - bad],
    ['transport_2m', 0],
    ['breaker', 0],
    ['streak', streak],
    ['last', now - 5],
  ];
}

const text = (value: number): string => (Number.isNaN(value) ? 'NaN' : String(value));

/** @param orbs `namespace/orb_id`; asked for with each look */
export async function startScriptedPrometheus(orbs: () => readonly string[]): Promise<ScriptedPrometheus> {
  const server = await startFakePrometheus();
  let providers: Providers | undefined = {};
  server.answer((response) => {
    if (providers === undefined) return void response.writeHead(503).end();
    const now = Date.now() / 1000;
    const said = Object.entries(providers);
    const elements = orbs().flatMap((key) => {
      const [namespace = '', orbId = ''] = key.split('/');
      const labels = { orb_namespace: namespace, orb_id: orbId };
      const rows = said.flatMap(([provider, scripted]) =>
        figuresOf(scripted, now).map(([q, value]) => element({ ...labels, provider, q }, text(value), now)),
      );
      return [element({ ...labels, q: 'age' }, '8', now), ...rows];
    });
    return void response.end(vector(elements));
  });
  return {
    url: server.url,
    say: (next) => {
      providers = next;
    },
    looks: () => server.seen.length,
    stop: server.stop,
  };
}
