import { createHash } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Dialer, DialResult, OutboundRequest } from '../../adapters/egress/port.ts';
import type { MetricsSource } from '../../adapters/failover-metrics/port.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { createProber } from '../../api-server/probes/prober.ts';
import type { NewPin } from '../../api-server/providers/port.ts';
import type { EvaluationSummary } from '../../core/failover/evaluation-summary.ts';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../core/failover/types.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import type { Condition } from '../../core/reconcile/conditions.ts';
import { conditionsOf, statusOf } from '../../core/reconcile/read-object.ts';
import { ACME, answered, createTestRuntime, type TestRuntime } from '../support/a-runtime.ts';
import { answer, type Script } from '../support/egress.ts';
import { createFakeClock, type MovedClock } from '../support/fake-clock.ts';
import { orbManifest } from '../support/orbs.ts';
import { openThreadedFixture } from '../support/sqlite-ledger.ts';
import { OneLoop } from './one-loop.ts';
import { RecordingSource, type GivenMetrics, type TimedSource } from './recording-source.ts';
import { Seconds } from './seconds.ts';
import { fullVault, hostOf, ORB, orbOptions, serves, setOrbiset, startProviders, type WorldOptions } from './world.ts';

/** How a provider answers at a second of the world. */
interface Behaviour {
  readonly status: number;
  readonly ms: number;
}

export interface TimedOptions {
  /** By provider, in the order of trial. @param second since the start */
  readonly providers: Readonly<Record<string, (second: number) => Behaviour>>;
  readonly swap?: Readonly<Record<string, unknown>>;
  /** Whether a run may be sent as a probe: only then a probe has the latency of a run. Default false. */
  readonly probesAreRuns?: boolean;
  /** Default: the counters of the process. */
  readonly source?: (own: MetricsSource, clock: MovedClock) => TimedSource;
}

/** One evaluation of the swap loop, with the visible state after it. */
interface Evaluated extends GivenMetrics {
  readonly evaluation: EvaluationSummary;
  readonly status: FailoverStatus;
  readonly conditions: readonly Condition[];
}

/** One run as its caller saw it. */
interface Ran {
  readonly second: number;
  readonly status: number;
  /** Name of the provider that answered; '' without an answer. */
  readonly via: string;
}

/** One call of a provider. */
interface Called {
  readonly second: number;
  readonly provider: string;
}

type TimedEvent = readonly [second: number, reason: string];

const START = Date.parse('2026-02-01T10:00:00.000Z');
/** Work in memory takes fewer turns of the event loop between two of its steps. */
const TURNS = 10;

const providerOf = ({ url }: OutboundRequest): string => new URL(url).hostname.split('.', 1)[0] ?? '';

const NOTHING: Behaviour = { status: 500, ms: 1 };

/** The basis of a world: its clock and network. */
interface Ground {
  readonly ledger: Ledger;
  /** `advance` waits when it is the machine's clock. */
  readonly clock: MovedClock;
  /** Only in real time: how to reach the providers. */
  readonly dialer?: Dialer;
}

/**
 * The ids of runs decide which runs take part in a ramp. With other ids a step may get too few requests, and be given
 * up.
 */
function sameEachTime(): (bytes: number) => Uint8Array {
  let drawn = 0;
  return (bytes) => {
    drawn += 1;
    return createHash('sha512').update(`${drawn}`).digest().subarray(0, bytes);
  };
}

function manifestOf(options: TimedOptions): JsonObject {
  const manifest: unknown = JSON.parse(orbManifest(ORB, orbOptions(orbOf(options))));
  if (!isJsonObject(manifest)) throw new TypeError('no manifest');
  return manifest;
}

function answerOf(
  request: OutboundRequest,
  { providers }: TimedOptions,
  { seconds, called }: { readonly seconds: Seconds; readonly called: Called[] },
): DialResult {
  const provider = providerOf(request);
  const second = seconds.passed;
  called.push({ second, provider });
  const { status, ms } = providers[provider]?.(second) ?? NOTHING;
  return answered({ id: provider }, { status, ms });
}

/** Parts that run while time passes. */
interface Parts {
  readonly seconds: Seconds;
  readonly orbs: OrbMetrics;
  readonly runtime: TestRuntime;
  readonly source: RecordingSource;
  readonly loop: OneLoop;
  /** Reasons of the Events of the swap loop, in order, with their second. */
  readonly events: readonly TimedEvent[];
  /** Requests that reached a provider: runs and probes. */
  readonly called: readonly Called[];
}

/** A runtime, its prober and the swap loop. The test lets time pass, at once or on the machine's clock. */
export class TimedWorld {
  readonly clock: MovedClock;
  readonly evaluated: Evaluated[] = [];
  readonly ran: Ran[] = [];
  readonly called: readonly Called[];
  readonly probed: Called[] = [];
  readonly events: readonly TimedEvent[];

  readonly #isReal: boolean;
  readonly #parts: Parts;
  readonly #ending = new AbortController();
  readonly #probing: Promise<void>;
  readonly #running = new Set<Promise<unknown>>();

  private constructor({ clock, dialer }: Ground, parts: Parts) {
    this.clock = clock;
    this.#isReal = dialer !== undefined;
    this.#parts = parts;
    this.called = parts.called;
    this.events = parts.events;
    this.#probing = this.#probe();
  }

  static async open(options: TimedOptions, ground: Ground, called: Called[]): Promise<TimedWorld> {
    const { ledger, clock, dialer } = ground;
    const seconds = new Seconds(clock);
    const orbs = new OrbMetrics(clock);
    const { provider, redactions } = orbs;
    const runtime = createTestRuntime({
      ledger,
      clock,
      answer: (request) => answerOf(request, options, { seconds, called }),
      parts: {
        metrics: { provider, redactions, run: () => undefined },
        random: sameEachTime(),
        ...(dialer === undefined ? {} : { dialer }),
      },
    });
    // The Orb of the store must be the only Orb.
    runtime.catalog.removeOrb('acme', ORB);
    setOrbiset(runtime, 'support', 'acme', fullVault(Object.keys(options.providers)));
    const events: TimedEvent[] = [];
    const source = new RecordingSource({ clock, seconds, orbs, other: options.source });
    const onEvent = (reason: string): void => void events.push([seconds.passed, reason]);
    const loop = await OneLoop.open({ runtime, orbs, manifest: manifestOf(options), source, onEvent });
    const world = new TimedWorld(ground, { seconds, orbs, runtime, source, loop, events, called });
    loop.decide();
    await world.#settled();
    return world;
  }

  /** Whole seconds since the start. */
  get second(): number {
    return this.#parts.seconds.passed;
  }

  /** The failover status of the Orb. */
  get status(): FailoverStatus {
    const status = readFailoverStatus(statusOf(this.#parts.loop.orb)['failover']);
    if (status === null) throw new TypeError('no status.failover');
    return status;
  }

  /** The swaps of the Orb, `a>b latency`, with their second. */
  get swaps(): readonly (readonly [second: number, swap: string])[] {
    const { seconds } = this.#parts;
    return this.status.history.map(({ at, from, to, reason }) => [seconds.of(at), `${from}>${to} ${reason}`]);
  }

  /** Lets time pass second by second, with a run in each. */
  async pass(length: number): Promise<void> {
    const until = this.second + length;
    while (this.second < until) {
      await this.#parts.seconds.next();
      await this.#settled();
      await this.#hold(this.run());
    }
    await Promise.all(this.#running);
  }

  /** One run. */
  async run(): Promise<Ran> {
    const { second } = this;
    const { status, body } = await this.#parts.runtime.execute({ caller: ACME });
    const { outputs } = body;
    const id = typeof outputs === 'object' && outputs !== null && 'id' in outputs ? outputs['id'] : '';
    const ran = { second, status, via: typeof id === 'string' ? id : '' };
    this.ran.push(ran);
    return ran;
  }

  /** Ends the controllers; everything else keeps running. */
  async stopDeciding(): Promise<void> {
    await this.#parts.loop.stopDeciding();
  }

  /** Ends the deciding process and starts another, which only knows what was written. */
  async restart(): Promise<void> {
    await this.stopDeciding();
    this.#parts.loop.decide();
    await this.#settled();
  }

  /** Pins by the API; runs follow at once. */
  async pin(pin: NewPin): Promise<void> {
    await this.#parts.loop.pin(pin);
    await this.#settled();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await Promise.all([this.#parts.loop.close(), this.#probing, ...this.#running]);
  }

  #probe(): Promise<void> {
    const { runtime, orbs } = this.#parts;
    const { dialer, switches, settings, failover, logger } = runtime.runtime;
    const { provider, setProbing } = orbs;
    const prober = createProber({
      catalog: runtime.catalog,
      clock: this.clock,
      dialer: { dial: this.#noting(dialer) },
      switches,
      settings,
      failover,
      logger,
      metrics: { provider, setProbing },
      random: () => 0.5,
      isHolder: () => true,
      onBudgetExhausted: () => undefined,
    });
    return prober.run(this.#ending.signal);
  }

  /** The dialer of the prober. */
  #noting({ dial }: Dialer): Dialer['dial'] {
    return (request, ...others) => {
      this.probed.push({ second: this.second, provider: providerOf(request) });
      return dial(request, ...others);
    };
  }

  /** In real time the world does not wait for a run: the next second comes anyway. */
  async #hold(work: Promise<unknown>): Promise<void> {
    if (!this.#isReal) {
      await work;
      return;
    }
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Resolves when all work that does not wait for time has ended. */
  async #settled(): Promise<void> {
    const { loop, source } = this.#parts;
    for (let idle = 0; idle < TURNS; idle = loop.isBusy || source.isBusy ? 0 : idle + 1) await nextTurn();
    const evaluation = await loop.lastEvaluation();
    const taken = source.takeEvaluated();
    if (taken === undefined || evaluation === undefined) return;
    this.evaluated.push({ ...taken, evaluation, status: this.status, conditions: conditionsOf(loop.orb) });
  }
}

/** A slow answer must be slow, not late: in real time deadlines apply. */
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
  const fixture = await openThreadedFixture();
  const world = await TimedWorld.open(options, { ledger: fixture.ledger, clock: createFakeClock(START) }, []);
  try {
    return await use(world);
  } finally {
    await world.close();
    await fixture.dispose();
  }
}

const machineClock: MovedClock = { ...systemClock, advance: (ms) => delay(Math.max(0, ms)) };

/** Does the same on the machine's clock, with providers behind TLS. */
async function inRealTime<T>(options: TimedOptions, use: (world: TimedWorld) => Promise<T>): Promise<T> {
  const fixture = await openThreadedFixture();
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
  const world = await TimedWorld.open(options, { ledger: fixture.ledger, clock: machineClock, dialer }, called);
  try {
    return await use(world);
  } finally {
    await world.close();
    await close();
    await fixture.dispose();
  }
}

/** Runs in real time, or in virtual time that passes at once. */
export const inTimedWorld = <T>(
  isReal: boolean,
  options: TimedOptions,
  use: (world: TimedWorld) => Promise<T>,
): Promise<T> => (isReal ? inRealTime(options, use) : inVirtualTime(options, use));

/** The swaps that were made, `a>b latency`, with their second. */
export const swapsOf = ({ swaps }: TimedWorld): TimedWorld['swaps'] => swaps;

/** Reasons of the Events of the swap loop, in order, with their second. */
export const eventsOf = ({ events }: TimedWorld): TimedWorld['events'] => events;
