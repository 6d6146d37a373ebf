import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { DelayedKeys } from '../../adapters/kube/delayed-keys.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { resolveSwapConfig } from '../../core/failover/resolve-swap-config.ts';
import type { OrbId } from '../../core/manifest/orb-id.ts';
import { effectiveProvider } from '../../core/orb/effective-provider.ts';
import type { OrbFailovers } from '../runtime/failover/orb-failovers.ts';
import { OrbSchedule } from './orb-schedule.ts';
import { ProbeQueue } from './probe-queue.ts';
import { probesRequestedAt, probeTargets } from './probe-targets.ts';
import { prepareProbe, sendProbe, type ProbedOrb, type ProbeTools, type ReadyProbe } from './send-probe.ts';

/** An Orb of the catalogue, by resource and by id. */
export interface OrbName {
  readonly namespace: string;
  readonly name: string;
  readonly orbId: OrbId;
}

export interface ProberDeps extends Omit<ProbeTools, 'catalog' | 'clock'> {
  readonly catalog: Pick<MemoryCatalog, 'orb' | 'all' | 'watch' | 'orbiset' | 'onlyOrbiset'>;
  readonly clock: Clock;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
  readonly metrics: Pick<Metrics, 'provider' | 'setProbing'>;
  readonly failover: Pick<OrbFailovers, 'breakers' | 'onBreakerOpened'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Whether this process still has the lease under which one process probes. */
  readonly isHolder: () => boolean;
  /** Called at most once an hour for each provider. */
  readonly onBudgetExhausted: (orb: OrbName, provider: string) => void;
}

/** Probes the providers that have no traffic (failover.md §7). */
export interface Prober {
  /** Probes until the signal is aborted; then all work ends. Never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

interface Known extends ProbedOrb {
  readonly name: string;
  readonly schedule: OrbSchedule;
  /** Time of the newest request of the operator that was followed. */
  asked: number;
  /** Provider → why it is not probed, as it was logged. */
  readonly skipped: Map<string, string>;
}

// 10 000 Orbs with one standby each and probes every 30 s, where some probes wait for their timeout. A burst to a slow
// provider overlaps itself.
const LIMITS = { atOnce: 256, perKey: 3 };
const ORBS_PER_TURN = 50;

const keyOf = (namespace: string, orbId: string): string => `${namespace}/${orbId}`;

/** Handles thousands of items in parts, so that other work gets a turn between two parts. */
async function inSlices<T>(items: Iterable<T>, act: (item: T) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    act(item);
    count += 1;
    if (count % ORBS_PER_TURN === 0) await nextTurn();
  }
}

/** The work of one process while it holds the lease. */
class Watch {
  readonly #deps: ProberDeps;
  readonly #signal: AbortSignal;
  readonly #orbs = new Map<string, Known>();
  readonly #due: DelayedKeys;
  readonly #queue = new ProbeQueue(LIMITS);

  constructor(deps: ProberDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
    this.#due = new DelayedKeys(deps.clock, (key) => this.#wake(key));
  }

  async run(): Promise<void> {
    const { catalog, failover } = this.#deps;
    const ended = new Promise((resolve) => this.#signal.addEventListener('abort', resolve, { once: true }));
    const unwatch = catalog.watch((namespace, orbId) => this.#see(namespace, orbId));
    const unhear = failover.onBreakerOpened((namespace, orbId, provider) => this.#opened(namespace, orbId, provider));
    await inSlices(catalog.all(), ({ namespace, orbId }) => this.#see(namespace, orbId));
    if (!this.#signal.aborted) await ended;
    unwatch();
    unhear();
    this.#due.clear();
    await inSlices(this.#orbs.values(), ({ orb }) => this.#deps.metrics.setProbing(orb.namespace, orb.orbId, false));
    await this.#queue.end();
  }

  #see(namespace: string, orbId: OrbId): void {
    if (this.#signal.aborted) return;
    const key = keyOf(namespace, orbId);
    const entry = this.#deps.catalog.orb(namespace, orbId);
    const known = this.#orbs.get(key);
    const { compiled } = entry ?? {};
    if (entry === undefined || compiled === undefined) return this.#forget(key, known);
    if (known?.orb === compiled) return undefined;
    const config = resolveSwapConfig(compiled.manifest);
    if (config?.probe.mode !== 'synthetic') return this.#forget(key, known);
    return this.#follow(key, { orb: compiled, probing: config.probe }, entry.name);
  }

  #forget(key: string, known: Known | undefined): void {
    if (known === undefined) return;
    this.#orbs.delete(key);
    this.#due.cancel(key);
    this.#deps.metrics.setProbing(known.orb.namespace, known.orb.orbId, false);
  }

  #follow(key: string, probed: ProbedOrb, name: string): void {
    const { clock, random, metrics } = this.#deps;
    const { orb, probing } = probed;
    const before = this.#orbs.get(key);
    const schedule = before?.schedule ?? new OrbSchedule(random);
    const { intervalMs, jitter, maxPerHour } = probing;
    const providers = orb.order.filter((provider) => orb.providers.get(provider)?.probe !== undefined);
    schedule.follow({ intervalMs, jitter, maxPerHour, providers }, clock.monotonic());
    const { asked, skipped } = before ?? { asked: -Infinity, skipped: new Map<string, string>() };
    const known: Known = { ...probed, name, schedule, asked, skipped };
    this.#orbs.set(key, known);
    if (before === undefined) metrics.setProbing(orb.namespace, orb.orbId, true);
    const asks = probesRequestedAt(orb, clock.now());
    if (asks !== undefined && asks > known.asked) {
      known.asked = asks;
      schedule.burst(clock.monotonic(), true);
    }
    this.#wait(key, known);
  }

  #opened(namespace: string, orbId: OrbId, provider: string): void {
    const { clock } = this.#deps;
    const key = keyOf(namespace, orbId);
    const known = this.#orbs.get(key);
    if (known === undefined || effectiveProvider(known.orb, { now: clock.now() }) !== provider) return;
    known.schedule.burst(clock.monotonic(), false);
    this.#wait(key, known);
  }

  #wait(key: string, { schedule }: Known): void {
    this.#due.cancel(key);
    if (schedule.nextAt < Infinity) this.#due.add(key, 'low', schedule.nextAt);
  }

  /** Called by a timer. A fault in one Orb must not stop the probes of the others. */
  #wake(key: string): void {
    const known = this.#orbs.get(key);
    if (known === undefined || this.#signal.aborted) return;
    const { clock, failover, logger } = this.#deps;
    const due = known.schedule.takeDue(clock.monotonic());
    this.#wait(key, known);
    const { orb } = known;
    try {
      const view = { now: clock.now(), breakers: failover.breakers(orb.namespace, orb.orbId) };
      const targets = probeTargets(orb, view);
      for (const provider of due) {
        if (targets.has(provider)) this.#queue.add(`${key} ${provider}`, () => this.#probe(key, provider));
      }
    } catch (error) {
      logger.error('an Orb could not be probed', { orb_id: orb.orbId, namespace: orb.namespace, error });
    }
  }

  /** Uses the present state, not the state when the probe began to wait. */
  async #probe(key: string, provider: string): Promise<void> {
    const known = this.#orbs.get(key);
    if (known === undefined || this.#signal.aborted || !this.#deps.isHolder()) return;
    const { namespace, orbId } = known.orb;
    try {
      const ready = this.#prepare(known, provider);
      if (ready === undefined || !this.#spend(key, provider)) return;
      const { outcome, ms } = await sendProbe(ready, this.#deps, this.#signal);
      // A probe that this process aborted proves nothing. An Orb that was removed must not get a series again.
      if (this.#signal.aborted || !this.#orbs.has(key)) return;
      const { metrics, clock } = this.#deps;
      metrics.provider(namespace, orbId, provider).probe(outcome, ms / 1000, clock.now() / 1000);
    } catch (error) {
      this.#deps.logger.error('a probe failed', { orb_id: orbId, namespace, provider, error });
    }
  }

  #prepare(known: Known, provider: string): ReadyProbe | undefined {
    const compiled = known.orb.providers.get(provider);
    if (compiled === undefined) return undefined;
    const prepared = prepareProbe(known, compiled, this.#deps);
    if (prepared.kind === 'ready') {
      known.skipped.delete(provider);
      return prepared.probe;
    }
    if (prepared.kind === 'skip' && known.skipped.get(provider) !== prepared.why)
      this.#reportSkipped(known, provider, prepared.why);
    return undefined;
  }

  #reportSkipped(known: Known, provider: string, why: string): void {
    const { namespace, orbId } = known.orb;
    known.skipped.set(provider, why);
    this.#deps.logger.info('a provider is not probed', { orb_id: orbId, namespace, provider, code: why });
  }

  #spend(key: string, provider: string): boolean {
    const known = this.#orbs.get(key);
    if (known === undefined) return false;
    const spending = known.schedule.spend(provider, this.#deps.clock.monotonic());
    if (spending.kind === 'spent') return true;
    this.#wait(key, known);
    if (spending.kind === 'exhausted' && spending.isNews) this.#reportExhausted(known, provider);
    return false;
  }

  #reportExhausted({ orb, name }: Known, provider: string): void {
    const { namespace, orbId } = orb;
    const { logger, onBudgetExhausted } = this.#deps;
    logger.warn('the probes of this hour are used up', { orb_id: orbId, namespace, provider });
    onBudgetExhausted({ namespace, name, orbId }, provider);
  }
}

export const createProber = (deps: ProberDeps): Prober => ({ run: (signal) => new Watch(deps, signal).run() });
