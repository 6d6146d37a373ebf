import { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import { effectiveProvider } from '../../core/failover/effective-provider.ts';
import { failoverPinOf } from '../../core/failover/pin.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { compileOrb } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { SwappedOrb } from '../../core/swap/swap-receipt-of.ts';
import type { Pin } from '../../crds/orb.ts';
import { FailoverRows } from '../../standalone/failover/failover-rows.ts';
import { FailoverLoop, type FailoverLoopDeps } from '../../standalone/failover/loop.ts';
import type { FakeClock } from './fake-clock.ts';
import { orbManifest } from './orbs.ts';

const NAMESPACE = 'acme';
const SECOND = 1000;

export const ORB = 'acme.lookup@1.0.0';

export function idOf(text: string): OrbId {
  const parsed = parseOrbId(text);
  if (!parsed.ok) throw new TypeError(text);
  return parsed.value.id;
}

/** Short settings: two slow ticks and a minute of hold. */
const SWAP = {
  fallbacks: ['backup'],
  strategy: 'latency',
  latency: { threshold_ms: 500, min_samples: 5, consecutive: 2 },
  dwell: { min: '15s', hold_down: '1m', jitter: 0 },
  failback: { consecutive: 2, min_probe_samples: 5, max_ratio: 3, ramp: [50, 100], ramp_step: '15s' },
  probe: { interval: '5s', max_per_hour: 3600 },
};

function compiled(orbId: OrbId, swap: JsonObject | undefined): CompiledOrb {
  const backup = { type: 'http', method: 'GET', url: 'https://backup.example.com/' };
  const text = orbManifest(orbId, {
    url: 'https://api.example.com/',
    method: 'GET',
    execution: { body_template: undefined, headers: {} },
    manifest: { providers: { backup: { execution: backup } }, ...(swap === undefined ? {} : { swap_config: swap }) },
  });
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError('no manifest');
  const made = compileOrb(value, { namespace: NAMESPACE, allowedOrigins: [] });
  if (!made.ok) throw new TypeError(JSON.stringify(made.findings));
  return made.value;
}

/** A process with Orbs whose providers `main` and `backup` take the time that a test says, and its loop. */
export interface LoopWorld {
  readonly loop: FailoverLoop;
  /** What was shown to who mints. */
  readonly swapped: SwappedOrb[];
  /** Of the log. */
  readonly lines: string[];
  /** Seconds that each provider takes. */
  readonly seconds: Record<'main' | 'backup', number>;
  /** The provider that a run would start with. */
  readonly active: (orbId?: string) => string | undefined;
  readonly orb: (orbId?: string) => CompiledOrb | undefined;
  /** Puts a pin on an Orb, as the API would. */
  readonly pin: (pin: Pin, orbId?: string) => void;
  /** Lets time pass: five runs a second at the active provider, and a probe of the other every 5 s. */
  readonly pass: (seconds: number) => Promise<void>;
  /** Ends the loop. */
  readonly stop: () => Promise<void>;
}

export interface LoopOptions {
  /** Orbs with `swap_config`. */
  readonly orbs?: readonly string[];
  /** Orbs without. */
  readonly plain?: readonly string[];
  /** Lays something between the loop and its rows. */
  readonly rows?: (rows: FailoverRows) => FailoverLoopDeps['rows'];
}

type Rows = Pick<Ledger, 'states' | 'putState' | 'deleteState'>;

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** The ledger, and how to wait until it has nothing left to do for the loop. */
function watched(ledger: Ledger): { readonly kept: Rows; readonly settled: () => Promise<void> } {
  const open = new Set<Promise<unknown>>();
  const counted = <T>(call: Promise<T>): Promise<T> => {
    open.add(call);
    return call.finally(() => open.delete(call));
  };
  return {
    kept: {
      states: (kind) => counted(ledger.states(kind)),
      putState: (kind, key, json) => counted(ledger.putState(kind, key, json)),
      deleteState: (kind, key) => counted(ledger.deleteState(kind, key)),
    },
    settled: async () => {
      await someTurns();
      while (open.size > 0) await Promise.allSettled(open).then(someTurns);
    },
  };
}

/** Starts the loop over a ledger. */
export async function aLoop(ledger: Ledger, clock: FakeClock, options: LoopOptions = {}): Promise<LoopWorld> {
  const { orbs = [ORB], plain = [] } = options;
  const catalog = new MemoryCatalog();
  const metrics = new OrbMetrics(clock);
  const { kept, settled } = watched(ledger);
  const rows = new FailoverRows({ ledger: kept, catalog });
  await rows.open();
  const all = [...orbs.map((id) => compiled(idOf(id), SWAP)), ...plain.map((id) => compiled(idOf(id), undefined))];
  for (const orb of all) {
    const { namespace, orbId, manifest } = orb;
    catalog.setOrb({ namespace, name: orbId, orbId, compiled: orb, createdAt: 0 });
    metrics.setOrb({ namespace, orbId, providers: ['main', 'backup'], swaps: manifest.swap_config !== undefined });
    metrics.setProbing(namespace, orbId, true);
  }
  await rows.prune();
  const swapped: SwappedOrb[] = [];
  const lines: string[] = [];
  const line = (message: string): void => void lines.push(message);
  const loop = new FailoverLoop({
    catalog,
    rows: options.rows?.(rows) ?? rows,
    metrics: { swapping: () => metrics.swapping(), health: metrics.health },
    clock,
    logger: { info: line, warn: line, error: line },
    random: (length) => new Uint8Array(length).fill(7),
    chance: () => 0.5,
    onSwap: (orb) => void swapped.push(orb),
  });
  const stopping = new AbortController();
  const running = loop.run(stopping.signal);
  await settled();
  const seconds = { main: 0.04, backup: 0.3 };
  const orb = (orbId = ORB): CompiledOrb | undefined => catalog.orb(NAMESPACE, idOf(orbId))?.compiled;
  const active = (orbId = ORB): string | undefined => {
    const found = orb(orbId);
    return found === undefined ? undefined : effectiveProvider(found, { now: clock.now() });
  };
  const second = (index: number): void => {
    for (const { orbId } of all) {
      const [name, other] = active(orbId) === 'backup' ? (['backup', 'main'] as const) : (['main', 'backup'] as const);
      for (let run = 0; run < 5; run += 1) metrics.provider(NAMESPACE, orbId, name).attempt('success', seconds[name]);
      if (index % 5 > 0) continue;
      metrics.provider(NAMESPACE, orbId, other).probe('success', seconds[other], clock.now() / SECOND);
    }
  };
  return {
    loop,
    swapped,
    lines,
    seconds,
    active,
    orb,
    pin: (pin, orbId = ORB) => {
      const place = { namespace: NAMESPACE, orbId: idOf(orbId) };
      catalog.lay(place, 'pin', (one) => ({ ...one, pin: failoverPinOf(pin) }));
    },
    pass: async (span) => {
      for (let index = 0; index < span; index += 1) {
        second(index);
        await clock.advance(SECOND);
        await settled();
      }
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
