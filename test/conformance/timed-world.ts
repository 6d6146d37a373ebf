import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dialer, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import { createProcessSource, type ProcessSource } from '../../adapters/failover-metrics/process-source.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { createProber } from '../../api-server/probes/prober.ts';
import { failoverConditions } from '../../core/failover/conditions.ts';
import { resolveSwapConfig } from '../../core/failover/resolve-swap-config.ts';
import { newStatus, readFailoverStatus, writeFailoverStatus } from '../../core/failover/status-codec.ts';
import { FIRST_STEP, stepFailover, type FailoverStep, type StepMemory } from '../../core/failover/step.ts';
import type { MetricsSnapshot } from '../../core/failover/metrics.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import { withState } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import type { WantedCondition } from '../../core/reconcile/conditions.ts';
import type { Pin } from '../../crds/orb.ts';
import { ACME, answered, createTestRuntime, type TestRuntime } from '../support/a-runtime.ts';
import { answer, type Script } from '../support/egress.ts';
import { createFakeClock, type MovedClock } from '../support/fake-clock.ts';
import { openSqliteFixture } from '../support/sqlite-ledger.ts';
import { addOrb, fullVault, hostOf, ORB, serves, setOrbiset, startProviders, type WorldOptions } from './world.ts';

/** How a provider answers at a second of the world. */
interface Behaviour {
  readonly status: number;
  readonly ms: number;
}

export interface TimedOptions {
  /** By provider, in the order of trial. @param second since the start */
  readonly providers: Readonly<Record<string, (second: number) => Behaviour>>;
  readonly swap?: Readonly<Record<string, unknown>>;
  /** Whether a run may be sent as a probe: only then is a probe's latency that of a run. Default false. */
  readonly probesAreRuns?: boolean;
  /** Where the loop's figures are from; default: the counters of the process. */
  readonly source?: (own: MetricsSource, clock: MovedClock) => MetricsSource;
}

/** One evaluation of the swap loop. */
interface Evaluated {
  readonly second: number;
  readonly metrics: MetricsSnapshot;
  readonly step: FailoverStep;
  /** That the Orb would have after it. */
  readonly conditions: readonly WantedCondition[];
}

/** One run as its caller saw it. */
interface Ran {
  readonly second: number;
  readonly status: number;
  /** Name of the provider that answered; '' for none. */
  readonly via: string;
}

/** One call of a provider. */
interface Called {
  readonly second: number;
  readonly provider: string;
}

const TICK_S = 15;
const SAMPLE_S = 5;
const START = Date.parse('2026-02-01T10:00:00.000Z');

const providerOf = ({ url }: OutboundRequest): string => new URL(url).hostname.split('.', 1)[0] ?? '';

const NOTHING: Behaviour = { status: 500, ms: 1 };

/** What the world stands on. */
interface Ground {
  readonly ledger: Ledger;
  /** `advance` waits when it is the machine's. */
  readonly clock: MovedClock;
  /** Of real time: how the providers are reached. */
  readonly dialer?: Dialer;
}

/** The ids of runs decide who takes part in a ramp: with other ones a step may see an unlucky few requests, and be given up. */
function sameEachTime(): (bytes: number) => Uint8Array {
  let drawn = 0;
  return (bytes) => {
    drawn += 1;
    return createHash('sha512').update(`${drawn}`).digest().subarray(0, bytes);
  };
}

/** A runtime, its prober and the swap loop. Time passes when it is told to, at once or on the machine's clock. */
export class TimedWorld {
  readonly clock: MovedClock;
  readonly evaluated: Evaluated[] = [];
  readonly ran: Ran[] = [];
  /** Requests that reached a provider: runs and probes. */
  readonly called: Called[];
  readonly probed: Called[] = [];
  /** False: the swap loop is stopped, everything else goes on. */
  deciding = true;
  status: FailoverStatus;

  readonly #options: TimedOptions;
  readonly #isReal: boolean;
  readonly #start: number;
  readonly #runtime: TestRuntime;
  readonly #own: ProcessSource;
  readonly #source: MetricsSource;
  readonly #ending = new AbortController();
  readonly #probing: Promise<void>;
  readonly #running = new Set<Promise<unknown>>();
  #pin: Pin | undefined;
  #memory: StepMemory = FIRST_STEP;
  #conditions: readonly WantedCondition[] = [];
  #isDeciding = false;

  constructor(options: TimedOptions, { ledger, clock, dialer: realDialer }: Ground, called: Called[]) {
    this.clock = clock;
    this.called = called;
    this.#options = options;
    this.#isReal = realDialer !== undefined;
    this.#start = clock.monotonic();
    const names = Object.keys(options.providers);
    this.status = newStatus(names[0] ?? '', clock.now());
    const orbs = new OrbMetrics(clock);
    const { provider, redactions, setOrb, setProbing } = orbs;
    this.#runtime = createTestRuntime({
      ledger,
      clock,
      answer: (request) => this.#answer(request),
      parts: {
        metrics: { provider, redactions, run: () => undefined },
        random: sameEachTime(),
        ...(realDialer === undefined ? {} : { dialer: realDialer }),
      },
    });
    const { runtime, catalog } = this.#runtime;
    addOrb(this.#runtime, orbOf(options));
    setOrbiset(this.#runtime, 'support', 'acme', fullVault(names));
    setOrb({ namespace: 'acme', orbId: ORB, providers: names, swaps: true });
    this.#own = createProcessSource({ clock, series: orbs });
    this.#source = options.source?.(this.#own, clock) ?? this.#own;
    const { dialer, switches, settings, failover, logger } = runtime;
    const metrics = { provider, setProbing };
    const noting = { dial: this.#noting(dialer) };
    const tools = { catalog, clock, dialer: noting, switches, settings, failover, logger, metrics, random: () => 0.5 };
    const prober = createProber({ ...tools, isHolder: () => true, onBudgetExhausted: () => undefined });
    this.#probing = prober.run(this.#ending.signal);
  }

  /** Whole seconds since the start. */
  get second(): number {
    return Math.floor((this.clock.monotonic() - this.#start) / 1000);
  }

  get #orb(): CompiledOrb {
    const found = this.#runtime.catalog.orbs('acme').find(({ orbId }) => orbId === ORB)?.compiled;
    if (found === undefined) throw new TypeError('no Orb');
    return found;
  }

  /** Lets time pass second by second, with runs in each, samples, and evaluations every 15 s. */
  async pass(seconds: number): Promise<void> {
    const until = this.second + seconds;
    while (this.second < until) {
      const before = this.second;
      await this.clock.advance(this.#start + (before + 1) * 1000 - this.clock.monotonic());
      await this.#hold(this.run());
      if (this.#reached(SAMPLE_S, before)) this.#own.sample();
      if (this.deciding && this.#reached(TICK_S, before)) await this.#hold(this.#decide());
    }
    await Promise.all(this.#running);
  }

  /** One run. */
  async run(): Promise<Ran> {
    const { second } = this;
    const { status, body } = await this.#runtime.execute({ caller: ACME });
    const { outputs } = body;
    const id = typeof outputs === 'object' && outputs !== null && 'id' in outputs ? outputs['id'] : '';
    const ran = { second, status, via: typeof id === 'string' ? id : '' };
    this.ran.push(ran);
    return ran;
  }

  /** The process that decides ends and another one begins: it has what was written, and nothing else. */
  restart(): void {
    this.#memory = FIRST_STEP;
    const text: unknown = JSON.parse(JSON.stringify(writeFailoverStatus(this.status)));
    const read = readFailoverStatus(text);
    if (read === null) throw new TypeError('the status can not be read back');
    this.status = read;
  }

  /** Pins, or takes the pin away; runs follow at once. */
  pin(pin: Pin | undefined): void {
    this.#pin = pin;
    this.#lay();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#probing, ...this.#running]);
  }

  #reached(everyS: number, before: number): boolean {
    return Math.floor(this.second / everyS) > Math.floor(before / everyS);
  }

  /** In real time nobody waits for a run: the next second comes all the same. */
  async #hold(work: Promise<unknown>): Promise<void> {
    if (!this.#isReal) {
      await work;
      return;
    }
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** The dialer of the prober. */
  #noting({ dial }: Dialer): Dialer['dial'] {
    return (request, ...others) => {
      this.probed.push({ second: this.second, provider: providerOf(request) });
      return dial(request, ...others);
    };
  }

  #answer(request: OutboundRequest): DialResult {
    const provider = providerOf(request);
    this.called.push({ second: this.second, provider });
    const { status, ms } = this.#options.providers[provider]?.(this.second) ?? NOTHING;
    return answered({ id: provider }, { status, ms });
  }

  /** As the API does it: pin and written state are laid over the Orb. */
  #lay(): void {
    const state = { pin: this.#pin, failover: this.status };
    this.#runtime.catalog.lay(this.#orb, 'failover', (orb) => withState(orb, state));
  }

  async #decide(): Promise<void> {
    if (this.#isDeciding) return; // a tick is left out while the last one still runs
    this.#isDeciding = true;
    try {
      await this.#evaluate();
    } finally {
      this.#isDeciding = false;
    }
  }

  async #evaluate(): Promise<void> {
    const config = resolveSwapConfig(this.#orb.manifest);
    if (config === undefined) throw new TypeError('an Orb without swap_config');
    const { quantile } = config.latency;
    const asked = { namespace: 'acme', orbId: ORB, providers: this.#orb.order, quantile };
    const measured = await this.#source.look([asked], this.#ending.signal);
    const metrics = measured.snapshot(asked);
    const { second, status, clock } = this;
    const orb = this.#orb;
    const input = {
      now: clock.now(),
      random: 0.5,
      epoch: 1,
      receiptId: `rcpt_${second}`,
      config,
      resolved: orb.order,
      pin: orb.pin ?? null,
      metrics,
      persisted: status,
    };
    const step = stepFailover({ input, memory: this.#memory, origin: measured.origin });
    this.#memory = step.memory;
    this.status = step.status;
    const seen = { status, primary: config.primary, metrics: { kind: 'looked', step } as const, now: clock.now() };
    this.#conditions = failoverConditions(seen, this.#conditions);
    this.evaluated.push({ second, metrics, step, conditions: this.#conditions });
    this.#lay();
  }
}

/** A slow answer is to be slow, not late: in real time deadlines count. */
const PATIENT = { timeout_ms: 60_000, attempt_timeout_ms: 30_000 };

function orbOf({ providers, swap, probesAreRuns = false }: TimedOptions): WorldOptions {
  const names = Object.keys(providers);
  const probes = names.map(
    (name) => [name, { probe: { method: 'GET', url: `https://${hostOf(name)}/probe` } }] as const,
  );
  return {
    places: Object.fromEntries(names.map((name) => [name, { kind: 'unknown' }])),
    execution: { ...PATIENT, ...(probesAreRuns ? { method: 'GET', body_template: undefined } : {}) },
    ...(probesAreRuns ? {} : { executions: Object.fromEntries(probes) }),
    swap: { probe: { inputs: { text: 'probe' } }, ...swap },
  };
}

/** Starts a world in which minutes pass at once, uses it, ends it. */
async function inVirtualTime<T>(options: TimedOptions, use: (world: TimedWorld) => Promise<T>): Promise<T> {
  const fixture = await openSqliteFixture();
  const world = new TimedWorld(options, { ledger: fixture.ledger, clock: createFakeClock(START) }, []);
  try {
    return await use(world);
  } finally {
    await world.close();
    await fixture.dispose();
  }
}

const machineClock: MovedClock = { ...systemClock, advance: (ms) => delay(Math.max(0, ms)) };

/** The same on the machine's clock, with providers behind TLS. */
async function inRealTime<T>(options: TimedOptions, use: (world: TimedWorld) => Promise<T>): Promise<T> {
  const fixture = await openSqliteFixture();
  const began = performance.now();
  const called: Called[] = [];
  const script =
    (provider: string): Script =>
    (socket) => {
      const second = Math.floor((performance.now() - began) / 1000);
      called.push({ second, provider });
      const { status, ms } = options.providers[provider]?.(second) ?? NOTHING;
      const bytes = answer(JSON.stringify({ id: provider }), ['content-type: application/json'], `${status} S`);
      setTimeout(() => socket.write(bytes), ms);
    };
  const places = Object.fromEntries(Object.keys(options.providers).map((name) => [name, serves(script(name))]));
  const { dialer, close } = await startProviders({ places }, systemClock);
  const world = new TimedWorld(options, { ledger: fixture.ledger, clock: machineClock, dialer }, called);
  try {
    return await use(world);
  } finally {
    await world.close();
    await close();
    await fixture.dispose();
  }
}

/** In real time, or in a time that passes at once. */
export const inTime = <T>(isReal: boolean, options: TimedOptions, use: (world: TimedWorld) => Promise<T>): Promise<T> =>
  isReal ? inRealTime(options, use) : inVirtualTime(options, use);

/** The swaps that were decided, `a>b latency`, with their second. */
export const swapsOf = ({ evaluated }: TimedWorld): readonly (readonly [second: number, swap: string])[] =>
  evaluated.flatMap(({ second, step: { swap } }) =>
    swap === undefined ? [] : [[second, `${swap.from}>${swap.to} ${swap.reason}`] as const],
  );

/** Reasons of the Events that were sent, in order, with their second. */
export const eventsOf = ({ evaluated }: TimedWorld): readonly (readonly [second: number, reason: string])[] =>
  evaluated.flatMap(({ second, step }) => step.events.map(({ reason }) => [second, reason] as const));
