import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import { createFigures, type LastFigures } from '../../adapters/failover-metrics/last-figures.ts';
import type { Measured, OrbToMeasure } from '../../adapters/failover-metrics/port.ts';
import { createProcessSource, type ProcessSource } from '../../adapters/failover-metrics/process-source.ts';
import type { Metrics } from '../../adapters/telemetry/metrics.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { FiguresSource } from '../../api-server/providers/port.ts';
import { followPin } from '../../core/failover/follow-pin.ts';
import { resolveSwapConfig } from '../../core/failover/resolve-swap-config.ts';
import {
  FIRST_STEP,
  newSwap,
  resolvedNames,
  stepFailover,
  swapEvents,
  type StepMemory,
} from '../../core/failover/step.ts';
import { writeFailoverStatus } from '../../core/failover/status-codec.ts';
import type { FailoverStatus, ResolvedSwapConfig } from '../../core/failover/types.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { SwappedOrb } from '../../core/swap/swap-receipt-of.ts';
import type { Manifest } from '../../crds/manifest.ts';
import { keyOf, type FailoverRow, type FailoverRows, type HeldOrb } from './failover-rows.ts';

export interface FailoverLoopDeps {
  readonly catalog: Pick<MemoryCatalog, 'orb' | 'all' | 'watch'>;
  readonly rows: Pick<FailoverRows, 'get' | 'put'>;
  readonly metrics: Pick<Metrics, 'swapping' | 'health'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly random: (bytes: number) => Uint8Array;
  /** [0, 1) */
  readonly chance: () => number;
  /** An Orb was swapped, durably: its receipt can be minted. */
  readonly onSwap: (orb: SwappedOrb) => void;
}

/** An Orb with `swap_config`. */
interface Evaluated extends HeldOrb {
  readonly orb: CompiledOrb;
  readonly config: ResolvedSwapConfig;
}

// failover.md §1
const TICK_MS = 15_000;
/** Between two samples of the counters. */
const SAMPLE_MS = 5000;
// About 4 ms of work: the API answers in between.
const ORBS_PER_TURN = 20;
// One process holds the ledger and decides, by the ledger's lock: nobody else's swaps are to be told from its own.
const EPOCH = 1;

const textOf = (status: FailoverStatus | null): string =>
  status === null ? '' : JSON.stringify(writeFailoverStatus(status));

/** The swap loop of standalone: rules and steps of the operator, over the counters of this process and the ledger. */
export class FailoverLoop {
  readonly #deps: FailoverLoopDeps;
  readonly #source: ProcessSource;
  readonly #figures: LastFigures;
  /** Wall clock at the start, less the monotonic time then: a clock that is set moves no hold (failover.md §5.2). */
  readonly #epochMs: number;
  readonly #configs = new WeakMap<Manifest, ResolvedSwapConfig>();
  readonly #memory = new Map<string, StepMemory>();
  /** Orbs that changed, or whose pin did, and were not looked at since. */
  readonly #changed = new Map<string, HeldOrb>();
  #nap = new AbortController();
  #ticks = 0;

  constructor(deps: FailoverLoopDeps) {
    this.#deps = deps;
    const { clock, metrics } = deps;
    this.#epochMs = clock.now() - clock.monotonic();
    this.#source = createProcessSource({ clock, series: metrics, scrapeMs: SAMPLE_MS });
    this.#figures = createFigures(metrics);
  }

  readonly figures: FiguresSource = (orb) => Promise.resolve(this.#figures.get(orb));

  /** Every Orb of which something is written, as it is now. */
  *swapped(): Generator<SwappedOrb> {
    const { catalog, rows } = this.#deps;
    for (const { namespace, orbId, compiled } of catalog.all()) {
      const row = rows.get({ namespace, orbId });
      if (compiled !== undefined && row !== undefined) yield swappedOrb(compiled, row);
    }
  }

  /** Follows pins at once and decides every 15 s until the signal is aborted; one Orb at a time. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { catalog, clock } = this.#deps;
    const unwatch = catalog.watch((namespace, orbId) => {
      this.#changed.set(keyOf({ namespace, orbId }), { namespace, orbId });
      this.#nap.abort();
    });
    for (const { namespace, orbId } of catalog.all())
      this.#changed.set(keyOf({ namespace, orbId }), { namespace, orbId });
    let tickAt = clock.monotonic();
    while (!signal.aborted) {
      await this.#followPins(signal);
      this.#source.sample();
      if (clock.monotonic() >= tickAt) {
        await this.#tick(this.#epochMs + tickAt, signal);
        // What is late is left out: a look at what was is of no use.
        tickAt += TICK_MS * Math.max(1, Math.ceil((clock.monotonic() - tickAt) / TICK_MS));
      }
      await this.#rest(Math.min(SAMPLE_MS, tickAt - clock.monotonic()), signal);
    }
    unwatch();
  }

  async #rest(ms: number, signal: AbortSignal): Promise<void> {
    this.#nap = new AbortController();
    if (this.#changed.size > 0) this.#nap.abort();
    const until = AbortSignal.any([signal, this.#nap.signal]);
    await this.#deps.clock.sleep(Math.max(0, ms), until, { ref: false }).catch(() => undefined);
  }

  #now(): number {
    return this.#epochMs + this.#deps.clock.monotonic();
  }

  /** What could not be written is looked at again with the next tick. */
  async #followPins(signal: AbortSignal): Promise<void> {
    const changed = [...this.#changed.values()];
    this.#changed.clear();
    await this.#each(changed, signal, (orb) => this.#followPin(orb));
  }

  /** Nothing is written of an Orb that nobody ever pinned and that has no `swap_config`: its manifest says it all. */
  async #followPin(held: HeldOrb): Promise<void> {
    const { catalog, rows } = this.#deps;
    const orb = catalog.orb(held.namespace, held.orbId)?.compiled;
    if (orb === undefined) {
      this.#memory.delete(keyOf(held));
      this.#figures.remove(held);
      return;
    }
    const persisted = rows.get(held)?.status ?? null;
    if (persisted === null && orb.pin === undefined) return;
    const hasSwapConfig = orb.manifest.swap_config !== undefined;
    const { next, events } = followPin({ ...this.#common(orb), persisted, hasSwapConfig });
    if (textOf(next) !== textOf(persisted)) await this.#write(orb, next);
    // Streaks of the provider before are not those of this one.
    if (next.activeProvider !== persisted?.activeProvider) this.#memory.delete(keyOf(held));
    this.#tell(orb, swapEvents(events, newSwap(persisted, next)));
  }

  /** @param at ms since epoch, when it was due: a step of a ramp lasts from tick to tick, whenever it was written */
  async #tick(at: number, signal: AbortSignal): Promise<void> {
    const orbs = [...this.#deps.catalog.all()].flatMap(({ compiled }) => compiled ?? []);
    const due = orbs.flatMap((orb) => this.#dueNow(orb) ?? []);
    this.#ticks += 1;
    const measured = await this.#source.look(due.map(toMeasure), signal);
    await this.#each(due, signal, (evaluated) => this.#evaluate(evaluated, measured, at));
    // Pins end by themselves: those of Orbs without `swap_config` are looked at here.
    const plain = orbs.filter(({ manifest }) => manifest.swap_config === undefined);
    await this.#each(plain, signal, (orb) => this.#followPin(orb));
  }

  #dueNow(orb: CompiledOrb): Evaluated | undefined {
    const { namespace, orbId, manifest } = orb;
    const config = this.#configs.get(manifest) ?? resolveSwapConfig(manifest);
    if (config === undefined) return undefined;
    this.#configs.set(manifest, config);
    const ticks = Math.ceil(config.latency.evaluationIntervalMs / TICK_MS);
    return this.#ticks % ticks === 0 ? { namespace, orbId, orb, config } : undefined;
  }

  async #evaluate({ orb, config }: Evaluated, measured: Measured, now: number): Promise<void> {
    // Changed since the tick began: the next one sees what it is now.
    if (this.#deps.catalog.orb(orb.namespace, orb.orbId)?.compiled !== orb) return;
    const key = keyOf(orb);
    const metrics = measured.snapshot(orb);
    const persisted = this.#deps.rows.get(orb)?.status ?? null;
    const step = stepFailover({
      input: { ...this.#common(orb), now: Math.floor(now), random: this.#deps.chance(), config, metrics, persisted },
      memory: this.#memory.get(key) ?? FIRST_STEP,
      origin: measured.origin,
    });
    const at =
      metrics.state === 'fresh'
        ? { evaluatedAt: metrics.evaluatedAt, ageMs: metrics.ageMs }
        : { evaluatedAt: this.#now(), ageMs: null };
    this.#figures.set(orb, step.output, at);
    if (step.isChanged) await this.#write(orb, step.status);
    this.#tell(orb, step.events);
    this.#memory.set(key, step.memory);
  }

  #common(orb: CompiledOrb) {
    const now = this.#now();
    const receiptId = newId('rcpt_', now, this.#deps.random);
    return {
      now,
      epoch: EPOCH,
      receiptId,
      resolved: resolvedNames(orb.order, orb.providers.keys()),
      pin: orb.pin ?? null,
    };
  }

  /** @throws LedgerError nothing was changed */
  async #write(orb: CompiledOrb, status: FailoverStatus): Promise<void> {
    const { rows, onSwap } = this.#deps;
    const before = rows.get(orb)?.status ?? null;
    const row = await rows.put(orb, status);
    if (newSwap(before, status) !== undefined) onSwap(swappedOrb(orb, row));
  }

  #tell(orb: CompiledOrb, events: readonly EventSpec[]): void {
    const { logger } = this.#deps;
    for (const { type, reason, note } of events) {
      const fields = { reason, orb_id: orb.orbId, namespace: orb.namespace };
      if (type === 'Warning') logger.warn(note, fields);
      else logger.info(note, fields);
    }
  }

  /** One after the other; what goes wrong with one Orb leaves it as it is, and never stops another. */
  async #each<T extends HeldOrb>(
    orbs: readonly T[],
    signal: AbortSignal,
    work: (orb: T) => Promise<void>,
  ): Promise<void> {
    for (const [index, orb] of orbs.entries()) {
      if (signal.aborted) return;
      try {
        await work(orb);
      } catch (error) {
        const fields = { orb_id: orb.orbId, namespace: orb.namespace, error };
        this.#deps.logger.error('the provider of an Orb could not be decided on', fields);
      }
      if (index % ORBS_PER_TURN === ORBS_PER_TURN - 1) await nextTurn();
    }
  }
}

const toMeasure = ({ orb, config }: Evaluated): OrbToMeasure => ({
  namespace: orb.namespace,
  orbId: orb.orbId,
  providers: resolvedNames(orb.order, orb.providers.keys()),
  quantile: config.latency.quantile,
});

/** A file has no generation: its digest says which version ran. */
const swappedOrb = (orb: CompiledOrb, { uid, status }: FailoverRow): SwappedOrb => ({
  namespace: orb.namespace,
  uid,
  orbId: orb.orbId,
  manifestDigest: orb.digest,
  generation: 1,
  failover: status,
  pin: orb.pin ?? null,
});
