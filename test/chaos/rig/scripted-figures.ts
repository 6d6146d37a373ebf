import type { ProviderMetrics } from '../../../core/failover/metrics.ts';
import { figuresOf } from '../../conformance/scripted-prometheus.ts';
import { busy, traffic } from '../../support/failover.ts';
import { element, startFakePrometheus, vector } from '../../support/prometheus.ts';

/** How a provider does, as its figures tell. */
export type Health = 'well' | 'slow' | 'failing';

/** Of one Orb: provider → how it does. */
type Script = Readonly<Record<string, Health>>;

/** Whose figures they are. */
interface OrbOfFigures {
  readonly namespace: string;
  readonly orbId: string;
}

/** A Prometheus over HTTP that says of each Orb what the plan wants. */
export interface ScriptedFigures {
  readonly url: string;
  /** From the next query on. */
  readonly say: (orb: OrbOfFigures, script: Script) => void;
  readonly forget: (orb: OrbOfFigures) => void;
  /** Every query is refused from now on: nothing is swapped by figures. */
  readonly refuse: () => void;
  readonly stop: () => Promise<void>;
}

const WELL_MS = 200;
const SLOW_MS = 1000;
const RUNS = 100;
const AGE_S = 8;
const PROBED_BEFORE_MS = 5000;

/** Every provider has traffic and probes, so that the script need not know which one is active. */
function metricsOf(health: Health, now: number): ProviderMetrics {
  const isWell = health !== 'failing';
  const p50 = health === 'slow' ? SLOW_MS : WELL_MS;
  const seen = isWell ? traffic(RUNS, p50) : traffic(0, 0, { attempts: RUNS, bad: RUNS });
  const probe = { n: 10, ok: isWell ? 10 : 0, streak: isWell ? 10 : 0, lastAt: now - PROBED_BEFORE_MS };
  return busy(seen, { probe: { ...probe, p50: { kind: 'ok', value: p50 } } });
}

function elementsOf({ namespace, orbId }: OrbOfFigures, script: Script, now: number): readonly unknown[] {
  const labels = { orb_namespace: namespace, orb_id: orbId };
  const at = now / 1000;
  const figures = Object.entries(script).flatMap(([provider, health]) =>
    figuresOf(metricsOf(health, now)).map(([q, value]) => element({ ...labels, provider, q }, value, at)),
  );
  return [...figures, element({ ...labels, q: 'age' }, String(AGE_S), at)];
}

export async function startScriptedFigures(): Promise<ScriptedFigures> {
  const server = await startFakePrometheus();
  const scripts = new Map<string, { readonly orb: OrbOfFigures; readonly script: Script }>();
  const keyOf = ({ namespace, orbId }: OrbOfFigures): string => `${namespace}/${orbId}`;
  server.answer((response) => {
    const now = Date.now();
    response.end(vector([...scripts.values()].flatMap(({ orb, script }) => elementsOf(orb, script, now))));
  });
  return {
    url: server.url,
    say: (orb, script) => void scripts.set(keyOf(orb), { orb, script }),
    forget: (orb) => void scripts.delete(keyOf(orb)),
    refuse: () => server.answer((response) => void response.writeHead(503).end()),
    stop: server.stop,
  };
}
