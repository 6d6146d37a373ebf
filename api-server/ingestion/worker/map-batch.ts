import type { AcceptedDelivery, DeliveryEffects, Ledger, PackedEffects } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import type { SignalSource } from '../source.ts';
import { MappingEnded, type DeliveryMapper, type SourcedDelivery } from './delivery-mapper.ts';
import type { MappedBatch } from './map-desk.ts';

/** Deliveries of one batch, at most. */
const BATCH = 200;
/** Bodies that one read opens: half a millisecond. */
const BATCH_BYTES = 262_144;
/** Deliveries that may be mapped on the main thread, and their bodies: a thread of its own would cost 30 MB for them. */
const FEW = 4;
const FEW_BYTES = 16_384;
/** For so long batches follow each other on what the first of them read; then incidents that people changed are seen. */
const STRETCH_MS = 1000;
/** States, incidents and Orbs in memory at which a stretch ends, about 20 MB. */
const MOST_KNOWN = 20_000;

/** Deliveries among which one ended the thread that maps. They are mapped one at a time, until it is known which. */
interface Suspects {
  /** The last of them, in the order of arrival; 0: there are none. */
  untilSeq: number;
}

export interface BatchDeps {
  readonly ledger: Pick<Ledger, 'acceptedDeliveries' | 'applyDeliveries' | 'failDelivery'>;
  /** Maps many deliveries, in a thread of its own. */
  readonly mapper: Pick<DeliveryMapper, 'map'>;
  /** Maps few small ones, on this thread: a rare webhook, and the status page's own. */
  readonly mapperHere: Pick<DeliveryMapper, 'map'>;
  readonly suspects: Suspects;
  readonly sourceOf: (key: string) => SignalSource | undefined;
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

type Effects = DeliveryEffects | PackedEffects;

interface Failure {
  readonly deliveryId: string;
  readonly detail: string;
}

const NO_BODY = 'its body was stored under another data key';

/** A delivery without effects, as a dead letter: a redrive maps it again. */
const givenUp = ({ deliveryId }: AcceptedDelivery, detail: string): DeliveryEffects => ({
  deliveryId,
  outcome: { state: 'dead', reason: 'downstream', pointer: '', detail },
  signals: [],
  states: [],
  incidents: [],
});

/** Deliveries of a batch, by what has to be done with them. */
interface Sorted {
  readonly toMap: readonly SourcedDelivery[];
  /** Of deliveries whose source was deleted. */
  readonly effects: readonly DeliveryEffects[];
  readonly failures: readonly Failure[];
}

function sorted(deliveries: readonly AcceptedDelivery[], sourceOf: BatchDeps['sourceOf']): Sorted {
  const toMap: SourcedDelivery[] = [];
  const effects: DeliveryEffects[] = [];
  const failures: Failure[] = [];
  for (const delivery of deliveries) {
    const source = sourceOf(delivery.source);
    const { raw, deliveryId } = delivery;
    if (source === undefined) effects.push(givenUp(delivery, 'its source was deleted'));
    else if (raw === undefined) failures.push({ deliveryId, detail: NO_BODY });
    else toMap.push({ delivery, source, raw });
  }
  return { toMap, effects, failures };
}

/** How work ends; it never rejects. */
type Ending<T> = { readonly value: T } | { readonly error: unknown };

const endingOf = <T>(work: Promise<T>): Promise<Ending<T>> =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** A batch that was given to the mapper. */
interface Batch extends Sorted {
  readonly deliveries: readonly AcceptedDelivery[];
  readonly mapped: Promise<Ending<MappedBatch>>;
}

const NOTHING: MappedBatch = { effects: [], fault: undefined, known: 0 };

async function fail({ deliveryId, detail }: Failure, deps: BatchDeps, lease: Epoch): Promise<BatchResult> {
  const { ledger, logger, died } = deps;
  logger.warn('a delivery could not be mapped', { delivery: deliveryId, detail });
  const result = await ledger.failDelivery(lease, deliveryId, detail);
  if (result.kind === 'lost-lease') return 'lost-lease';
  if (result.kind === 'failed' && result.isDead) died('downstream');
  // Nothing that it needs comes by waiting, and the deliveries of other sources stand behind it.
  return 'worked';
}

async function write(effects: readonly Effects[], deps: BatchDeps, lease: Epoch): Promise<BatchResult> {
  const { ledger, died } = deps;
  if (effects.length === 0) return 'worked';
  const result = await ledger.applyDeliveries(lease, effects);
  if (result.kind !== 'applied') return result.kind;
  for (const { outcome } of effects) if (outcome.state === 'dead') died(outcome.reason);
  return 'worked';
}

const areFew = (deliveries: readonly SourcedDelivery[]): boolean =>
  deliveries.length <= FEW && deliveries.reduce((bytes, { raw }) => bytes + raw.length, 0) <= FEW_BYTES;

/** Batches that share what was read and changed. While one is written, the next is mapped, and one more waits. */
class Stretch {
  readonly #deps: BatchDeps;
  readonly #lease: Epoch;
  readonly #until: number;
  /** How the batch before ends. */
  #written: Promise<Ending<BatchResult>> | undefined;
  #lastSeq = 0;
  #known = 0;
  #isFresh = true;
  /** It has one delivery, a suspect. */
  #isAlone = false;
  /** It has few deliveries, which are mapped here. */
  #isFew = false;

  constructor(deps: BatchDeps, lease: Epoch) {
    this.#deps = deps;
    this.#lease = lease;
    this.#until = deps.now() + STRETCH_MS;
  }

  async run(): Promise<BatchResult> {
    let following: Batch | undefined;
    try {
      let current = await this.#begin();
      this.#isAlone = current !== undefined && this.#isSuspect(current);
      if (!this.#isAlone) this.#deps.suspects.untilSeq = 0;
      const isOnly = this.#isAlone || this.#isFew;
      while (current !== undefined) {
        following = isOnly ? undefined : await this.#begin();
        const ended = await this.#finish(current);
        if (ended !== undefined) return ended;
        current = following ?? (isOnly ? undefined : await this.#begin());
      }
      return await this.#earlier();
    } finally {
      // The next stretch reads what this one wrote, and nothing of it is mapped any more.
      await following?.mapped;
      await this.#written;
    }
  }

  #isSuspect({ deliveries }: Batch): boolean {
    return (deliveries[0]?.seq ?? 0) <= this.#deps.suspects.untilSeq;
  }

  /** Reads a batch, and gives it to the mapper. @returns undefined: nothing waits, or the stretch is long enough */
  async #begin(): Promise<Batch | undefined> {
    const { ledger, sourceOf, suspects, now } = this.#deps;
    if (this.#known >= MOST_KNOWN || now() >= this.#until) return undefined;
    const limit = this.#isFresh && suspects.untilSeq > 0 ? 1 : BATCH;
    const query = { limit, maxBytes: BATCH_BYTES, afterSeq: this.#lastSeq };
    const deliveries = await ledger.acceptedDeliveries(query);
    const last = deliveries.at(-1);
    if (last === undefined) return undefined;
    this.#lastSeq = last.seq;
    const parts = sorted(deliveries, sourceOf);
    const mapped = parts.toMap.length === 0 ? NONE : this.#map(parts.toMap);
    this.#isFresh = false;
    return { ...parts, deliveries, mapped: endingOf(mapped) };
  }

  #map(deliveries: readonly SourcedDelivery[]): Promise<MappedBatch> {
    const { mapper, mapperHere, suspects, now } = this.#deps;
    const work = { isFresh: this.#isFresh, now: now(), deliveries };
    if (!this.#isFresh || suspects.untilSeq > 0 || !areFew(deliveries)) return mapper.map(work);
    this.#isFew = true;
    return mapperHere.map(work);
  }

  /** Writes what came of a batch. @returns how the stretch ends; undefined: it does not end */
  async #finish(batch: Batch): Promise<BatchResult | undefined> {
    const mapped = await batch.mapped;
    const earlier = await this.#earlier();
    // What was mapped on top of a batch that was refused is dropped with it.
    if (earlier !== 'worked' && earlier !== 'empty') return earlier;
    if ('error' in mapped) return this.#notMapped(batch, mapped.error);
    const { effects, fault, known } = mapped.value;
    this.#known = known;
    this.#write([...batch.effects, ...effects]);
    const failures = [...batch.failures, ...(fault === undefined ? [] : [fault])];
    return failures.length === 0 ? undefined : this.#failed(failures);
  }

  /** @throws the error, unless the thread ended at a delivery */
  async #notMapped({ deliveries, toMap }: Batch, error: unknown): Promise<BatchResult> {
    if (!(error instanceof MappingEnded) || !error.isOfWork) throw error;
    const [only] = toMap;
    if (only === undefined || !this.#isAlone) {
      this.#deps.suspects.untilSeq = deliveries.at(-1)?.seq ?? 0;
      return 'worked';
    }
    const { delivery } = only;
    this.#deps.logger.error('a delivery ended the thread that mapped it', {
      delivery: delivery.deliveryId,
      source: delivery.source,
      detail: error.message,
    });
    this.#write([givenUp(delivery, error.message)]);
    return this.#earlier();
  }

  #write(effects: readonly Effects[]): void {
    this.#written = endingOf(write(effects, this.#deps, this.#lease));
  }

  /** @throws LedgerError the batch before could not be written */
  async #earlier(): Promise<BatchResult> {
    const written = await this.#written;
    if (written === undefined) return 'empty';
    if ('error' in written) throw written.error;
    return written.value;
  }

  async #failed(failures: readonly Failure[]): Promise<BatchResult> {
    const earlier = await this.#earlier();
    if (earlier !== 'worked') return earlier;
    for (const failure of failures)
      if ((await fail(failure, this.#deps, this.#lease)) === 'lost-lease') return 'lost-lease';
    return 'worked';
  }
}

const NONE = Promise.resolve(NOTHING);

/**
 * Maps the oldest deliveries that wait, batch by batch for up to a second. Each delivery takes effect exactly once: its
 * effects and its end are one transaction.
 * @throws LedgerError the ledger is away: nothing, or a beginning of what was mapped, was written
 * @throws MappingEnded the mapper can't be started
 */
export const mapBatch = (deps: BatchDeps, lease: Epoch): Promise<BatchResult> => new Stretch(deps, lease).run();
