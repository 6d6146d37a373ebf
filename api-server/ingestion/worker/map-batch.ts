import type { AcceptedDelivery, DeliveryEffects, Ledger } from '../../../adapters/ledger/port.ts';
import { LedgerError } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { NotLeading } from '../../../core/errors/not-leading.ts';
import type { SignalSource } from '../source.ts';
import { mapDelivery, type MapTools } from './map-delivery.ts';
import { WorkingSet, type IncidentReads } from './working-set.ts';

/** Deliveries of one batch, at most. */
const BATCH = 200;
/** Bodies that one read opens: half a millisecond. */
const BATCH_BYTES = 262_144;
/** For so long batches follow each other on what the first of them read; then incidents that people changed are seen. */
const STRETCH_MS = 1000;
/** States and incidents in memory at which a stretch ends, about 20 MB. */
const MOST_KNOWN = 20_000;

export interface BatchDeps {
  readonly ledger: IncidentReads & Pick<Ledger, 'acceptedDeliveries' | 'applyDeliveries' | 'failDelivery'>;
  readonly sourceOf: (key: string) => SignalSource | undefined;
  readonly orbs: MapTools['orbs'];
  readonly slices: MapTools['slices'];
  readonly random: MapTools['random'];
  readonly now: () => number;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** A delivery became a dead letter. */
  readonly died: (reason: string) => void;
}

/** A lease with the epoch that the worker holds it in. */
export interface Epoch {
  readonly name: string;
  readonly epoch: number;
}

/** What a batch came to: whether there may be more to do at once. */
export type BatchResult = 'empty' | 'worked' | 'stale' | 'lost-lease';

interface Failure {
  readonly delivery: AcceptedDelivery;
  readonly error: unknown;
}

const NO_BODY = 'its body was stored under another data key';

interface Mapped {
  readonly effects: readonly DeliveryEffects[];
  /** Deliveries that failed for a reason outside of them. */
  readonly failures: readonly Failure[];
}

/** A redrive maps it, once a source of its name is there again. */
const withoutSource = ({ deliveryId }: AcceptedDelivery): DeliveryEffects => ({
  deliveryId,
  outcome: { state: 'dead', reason: 'downstream', pointer: '', detail: 'its source was deleted' },
  signals: [],
  states: [],
  incidents: [],
});

async function mapAll(deliveries: readonly AcceptedDelivery[], work: WorkingSet, deps: BatchDeps): Promise<Mapped> {
  const effects: DeliveryEffects[] = [];
  const failures: Failure[] = [];
  for (const delivery of deliveries) {
    try {
      const source = deps.sourceOf(delivery.source);
      const { raw } = delivery;
      if (source === undefined) effects.push(withoutSource(delivery));
      // It changed nothing, so what is behind it goes on.
      else if (raw === undefined) failures.push({ delivery, error: new Error(NO_BODY) });
      else effects.push(await mapDelivery({ delivery, source, raw }, { ...deps, work, now: deps.now() }));
    } catch (error) {
      if (error instanceof LedgerError || error instanceof NotLeading) throw error;
      // What it changed in the working set is gone with it: the next batch begins with this delivery's successors.
      return { effects, failures: [...failures, { delivery, error }] };
    }
    await deps.slices.rest();
  }
  return { effects, failures };
}

const detailOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 1000);

async function fail({ delivery, error }: Failure, deps: BatchDeps, lease: Epoch): Promise<BatchResult> {
  const { ledger, logger, died } = deps;
  const { deliveryId, source } = delivery;
  logger.warn('a delivery could not be mapped', { delivery: deliveryId, source, error });
  const result = await ledger.failDelivery(lease, deliveryId, detailOf(error));
  if (result.kind === 'lost-lease') return 'lost-lease';
  if (result.kind === 'failed' && result.isDead) died('downstream');
  // Nothing that it needs comes by waiting, and the deliveries of other sources stand behind it.
  return 'worked';
}

async function write(effects: readonly DeliveryEffects[], deps: BatchDeps, lease: Epoch): Promise<BatchResult> {
  const { ledger, died } = deps;
  if (effects.length === 0) return 'worked';
  const result = await ledger.applyDeliveries(lease, effects);
  if (result.kind !== 'applied') return result.kind;
  for (const { outcome } of effects) if (outcome.state === 'dead') died(outcome.reason);
  return 'worked';
}

/** Batches that share what was read and changed, while the one before is written. */
class Stretch {
  readonly #deps: BatchDeps;
  readonly #lease: Epoch;
  readonly #work: WorkingSet;
  readonly #until: number;
  /** How the batch before ends; it never rejects. */
  #written: Promise<{ readonly result: BatchResult } | { readonly error: unknown }> | undefined;
  #lastSeq = 0;

  constructor(deps: BatchDeps, lease: Epoch) {
    this.#deps = deps;
    this.#lease = lease;
    this.#work = new WorkingSet(deps.ledger);
    this.#until = deps.now() + STRETCH_MS;
  }

  async run(): Promise<BatchResult> {
    try {
      while (!this.#isLong()) {
        const ended = await this.#next();
        if (ended !== undefined) return ended;
      }
      return await this.#earlier();
    } finally {
      await this.#written;
    }
  }

  #isLong(): boolean {
    return this.#work.size >= MOST_KNOWN || this.#deps.now() >= this.#until;
  }

  /** One batch. @returns how the stretch ends; undefined: it goes on */
  async #next(): Promise<BatchResult | undefined> {
    const query = { limit: BATCH, maxBytes: BATCH_BYTES, afterSeq: this.#lastSeq };
    const deliveries = await this.#deps.ledger.acceptedDeliveries(query);
    if (deliveries.length === 0) return this.#earlier();
    const { effects, failures } = await mapAll(deliveries, this.#work, this.#deps);
    const earlier = await this.#earlier();
    // What was mapped on top of a batch that was refused is dropped with it.
    if (earlier !== 'worked' && earlier !== 'empty') return earlier;
    this.#write(effects);
    this.#lastSeq = deliveries.at(-1)?.seq ?? this.#lastSeq;
    return failures.length === 0 ? undefined : this.#failed(failures);
  }

  #write(effects: readonly DeliveryEffects[]): void {
    this.#written = write(effects, this.#deps, this.#lease).then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
  }

  /** @throws LedgerError the batch before could not be written */
  async #earlier(): Promise<BatchResult> {
    const written = await this.#written;
    if (written === undefined) return 'empty';
    if ('error' in written) throw written.error;
    return written.result;
  }

  async #failed(failures: readonly Failure[]): Promise<BatchResult> {
    const earlier = await this.#earlier();
    if (earlier !== 'worked') return earlier;
    for (const failure of failures)
      if ((await fail(failure, this.#deps, this.#lease)) === 'lost-lease') return 'lost-lease';
    return 'worked';
  }
}

/**
 * Maps the oldest deliveries that wait, batch by batch for up to a second: while the ledger writes one, the next is
 * mapped. Each delivery takes effect exactly once: its effects and its end are one transaction.
 * @throws LedgerError the ledger is away: nothing, or a beginning of what was mapped, was written
 */
export const mapBatch = (deps: BatchDeps, lease: Epoch): Promise<BatchResult> => new Stretch(deps, lease).run();
