import type { ProviderMetrics } from '../../../core/failover/metrics.ts';
import { samplesOf } from '../../conformance/scripted-prometheus.ts';
import { busy, traffic } from '../../support/failover.ts';
import { element, startFakePrometheus, vector } from '../../support/prometheus.ts';

/** Health of a provider, as its metrics show. */
export type Health = 'well' | 'slow' | 'failing';

/** For one Orb: provider → health. */
export type Script = Readonly<Record<string, Health>>;

/** The Orb that metrics belong to. */
interface ScriptedOrb {
  readonly namespace: string;
  readonly orbId: string;
}

/** A Prometheus over HTTP that returns the metrics that the plan wants for each Orb. */
export interface ScriptedMetrics {
  readonly url: string;
  /** Sets the metrics from the next query on. */
  readonly set: (orb: ScriptedOrb, script: Script) => void;
  readonly remove: (orb: ScriptedOrb) => void;
  /** Refuses every query from now on: no swap happens by metrics. */
  readonly refuse: () => void;
  /** Queries so far. */
  readonly queryCount: () => number;
  readonly stop: () => Promise<void>;
}

const WELL_MS = 200;
const SLOW_MS = 1000;
const RUNS = 100;
const AGE_S = 8;
const PROBED_BEFORE_MS = 5000;

/** Every provider has traffic and probes, so that the script need not know the active provider. */
function metricsOf(health: Health, now: number): ProviderMetrics {
  const isWell = health !== 'failing';
  const p50 = health === 'slow' ? SLOW_MS : WELL_MS;
  const seen = isWell ? traffic(RUNS, p50) : traffic(0, 0, { attempts: RUNS, bad: RUNS });
  const probe = { n: 10, ok: isWell ? 10 : 0, streak: isWell ? 10 : 0, lastAt: now - PROBED_BEFORE_MS };
  return busy(seen, { probe: { ...probe, p50: { kind: 'ok', value: p50 } } });
}

function elementsOf({ namespace, orbId }: ScriptedOrb, script: Script, now: number): readonly unknown[] {
  const labels = { orb_namespace: namespace, orb_id: orbId };
  const at = now / 1000;
  const samples = Object.entries(script).flatMap(([provider, health]) =>
    samplesOf(metricsOf(health, now)).map(([q, value]) => element({ ...labels, provider, q }, value, at)),
  );
  return [...samples, element({ ...labels, q: 'age' }, String(AGE_S), at)];
}

export async function startScriptedMetrics(): Promise<ScriptedMetrics> {
  const server = await startFakePrometheus();
  const scripts = new Map<string, { readonly orb: ScriptedOrb; readonly script: Script }>();
  const keyOf = ({ namespace, orbId }: ScriptedOrb): string => `${namespace}/${orbId}`;
  server.answer((response) => {
    const now = Date.now();
    response.end(vector([...scripts.values()].flatMap(({ orb, script }) => elementsOf(orb, script, now))));
  });
  return {
    url: server.url,
    set: (orb, script) => void scripts.set(keyOf(orb), { orb, script }),
    remove: (orb) => void scripts.delete(keyOf(orb)),
    refuse: () => server.answer((response) => void response.writeHead(503).end()),
    queryCount: () => server.seen.length,
    stop: server.stop,
  };
}
