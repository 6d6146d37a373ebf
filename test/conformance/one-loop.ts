import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { ValidOrbs } from '../../adapters/catalog/valid-orbs.ts';
import type { ProcessSource } from '../../adapters/failover-metrics/process-source.ts';
import { createController } from '../../adapters/kube/controller.ts';
import type { EventRecorder } from '../../adapters/kube/event-recorder.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import type { RuntimeMetrics } from '../../adapters/kube/kube-metrics.ts';
import type { Reflector } from '../../adapters/kube/port.ts';
import { createWorkQueue, type QueueLoad } from '../../adapters/kube/work-queue.ts';
import { openObjectStore, type ObjectStore } from '../../adapters/object-store/object-store.ts';
import type { OrbMetrics } from '../../adapters/telemetry/orb-metrics.ts';
import { OrbFeed } from '../../api-server/feeds/orb-feed.ts';
import { createObjectPins } from '../../api-server/providers/object-pins.ts';
import type { NewPin } from '../../api-server/providers/port.ts';
import type { EvaluationSummary } from '../../core/failover/evaluation-summary.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { createCompileOnce, type CompileOnce } from '../../core/orb/compile-once.ts';
import { wantedOrbId } from '../../core/orb/plan-holder.ts';
import { done } from '../../core/reconcile/outcome.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { createLocalOperator, type LocalOperator } from '../../standalone/local-operator.ts';
import type { TestRuntime } from '../support/a-runtime.ts';
import { recordMetrics } from '../support/kube/runtime-recorders.ts';

interface OneLoopOptions {
  readonly runtime: TestRuntime;
  /** The metrics that the runtime and the prober count in. */
  readonly orbs: OrbMetrics;
  readonly manifest: JsonObject;
  /** The source of all deciding processes, one after the other: counters outlive them. */
  readonly source: ProcessSource;
  /** Called for each Event of the swap loop, with its reason. */
  readonly onEvent: (reason: string) => void;
}

const NAMESPACE = 'acme';
const NAME = 'echo';
/** Action of the Events of the swap loop. */
const CHOOSE = 'ChooseProvider';
const HALF = (): number => 0.5;

/** A process that decides about swaps. */
interface Deciding {
  readonly lastEvaluation: LocalOperator['lastEvaluation'];
  readonly stop: () => Promise<void>;
}

function orbIdOf(orb: KubeObject): OrbId {
  const parsed = parseOrbId(wantedOrbId(orb) ?? '');
  if (!parsed.ok) throw new TypeError('no orb_id');
  return parsed.value;
}

const depthOf = ({ depths }: QueueLoad): number => Object.values(depths).reduce((all, depth) => all + depth, 0);

/** Metrics of controllers that show whether a controller has work now. */
function watchedMetrics(): { readonly metrics: RuntimeMetrics; readonly isBusy: () => boolean } {
  const { metrics } = recordMetrics();
  const loads = new Set<() => QueueLoad>();
  let working = 0;
  return {
    metrics: {
      ...metrics,
      queue: (name, load) => {
        loads.add(load);
        return metrics.queue(name, load);
      },
      controller: (about) => ({
        ...metrics.controller(about),
        began: () => void (working += 1),
        ended: () => void (working -= 1),
      }),
    },
    isBusy: () => working > 0 || [...loads].some((load) => depthOf(load()) > 0),
  };
}

/**
 * The loop as standalone composes it, over one Orb: objects in the ledger, the operator's controllers and the API's
 * feed of Orbs. The operator can be ended and restarted, as when a process is killed; everything else keeps running.
 */
export class OneLoop {
  readonly #options: OneLoopOptions;
  readonly #store: ObjectStore;
  readonly #compiled: CompileOnce = createCompileOnce([]);
  readonly #metrics = watchedMetrics();
  readonly #reflector: Reflector;
  readonly #ending = new AbortController();
  readonly #following: Promise<unknown>;
  #deciding: Deciding | undefined;

  private constructor(options: OneLoopOptions, store: ObjectStore, valid: ValidOrbs) {
    this.#options = options;
    this.#store = store;
    const { clock, logger } = options.runtime.runtime;
    const { metrics } = this.#metrics;
    const queue = createWorkQueue({ name: 'orb-feed', clock, metrics });
    this.#reflector = store.reflect({ kind: KINDS.orb, onChange: ({ key }) => queue.add(key) });
    const { run, store: cache } = this.#reflector;
    const feed = new OrbFeed({ valid, logger, compile: this.#compiled.compile });
    const controller = createController({
      name: 'orb-feed',
      kind: 'Orb',
      queue,
      clock,
      random: HALF,
      logger,
      metrics,
      reconcile: async (key) => {
        await feed.apply(key, cache.get(key));
        return done;
      },
    });
    const { signal } = this.#ending;
    this.#following = Promise.all([run(signal), controller.run(signal)]);
  }

  /** Opens the loop; it decides nothing before `decide`. */
  static async open(options: OneLoopOptions): Promise<OneLoop> {
    const { runtime, orbs, manifest } = options;
    const { ledger, clock, logger } = runtime.runtime;
    const store = await openObjectStore({ ledger, clock, logger, newUid: randomUUID });
    const valid = new ValidOrbs({ catalog: runtime.catalog, ledger, metrics: orbs, allowedOrigins: [] });
    await valid.open();
    const loop = new OneLoop(options, store, valid);
    const orb = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { namespace: NAMESPACE, name: NAME } };
    await store.client.apply(KINDS.orb, { ...orb, spec: manifest }, { fieldManager: 'test' }, loop.#ending.signal);
    return loop;
  }

  /** The current Orb. */
  get orb(): KubeObject {
    const orb = this.#reflector.store.get(`${NAMESPACE}/${NAME}`);
    if (orb === undefined) throw new TypeError('no Orb');
    return orb;
  }

  /** The metrics of the last evaluation. */
  async lastEvaluation(): Promise<EvaluationSummary | undefined> {
    const active = { provider: '', since: 0 };
    return this.#deciding?.lastEvaluation({ namespace: NAMESPACE, orbId: orbIdOf(this.orb), quantile: 0.95, active });
  }

  /** Whether a controller has work now. */
  get isBusy(): boolean {
    return this.#metrics.isBusy();
  }

  /** Starts to decide, only from what is written. */
  decide(): void {
    const { runtime, orbs, source, onEvent } = this.#options;
    const { clock, logger, settings } = runtime.runtime;
    const recorder: EventRecorder = {
      record: (_object, events) => {
        for (const { action, reason } of events) if (action === CHOOSE) onEvent(reason);
      },
      run: () => Promise.resolve(),
      flush: () => Promise.resolve(),
    };
    const ending = new AbortController();
    const series = { registry: new Registry(), swapping: () => orbs.swapping(), health: orbs.health };
    const operator = createLocalOperator({
      platform: { clock, log: { logger }, exceptions: [], metrics: series },
      store: this.#store,
      metrics: this.#metrics.metrics,
      recorder,
      compiled: this.#compiled,
      platformNamespace: settings.platformNamespace,
      random: HALF,
      source,
    });
    const running = operator.run(ending.signal);
    this.#deciding = {
      lastEvaluation: operator.lastEvaluation,
      stop: async () => {
        ending.abort();
        await running;
      },
    };
  }

  /** Stops deciding; pins still reach the runs. */
  async stopDeciding(): Promise<void> {
    await this.#deciding?.stop();
    this.#deciding = undefined;
  }

  /** Pins as the API does. */
  async pin(pin: NewPin): Promise<void> {
    const { clock } = this.#options.runtime.runtime;
    const pins = createObjectPins({ client: this.#store.client, clock });
    const { kind } = await pins.set({ namespace: NAMESPACE, name: NAME, orbId: orbIdOf(this.orb) }, pin);
    if (kind !== 'set') throw new TypeError(`the pin was not set: ${kind}`);
  }

  async close(): Promise<void> {
    await this.stopDeciding();
    this.#ending.abort();
    await this.#following;
  }
}
