import { errorCode } from '../../../core/errors/error-code.ts';
import { LedgerError } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import { SharedCount } from '../../../adapters/threads/shared-count.ts';
import { isWhole } from '../../../adapters/memory/free-bytes.ts';
import { threadOf, type StartThread, type Thread } from '../../../adapters/threads/start-thread.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import { MappingEnded, type DeliveryMapper, type SourcedDelivery } from '../worker/delivery-mapper.ts';
import type { MappedBatch, MapWork } from '../worker/map-desk.ts';
import type { MappingOrbs } from '../worker/mapping-orbs.ts';
import type { SignalSource } from '../source.ts';
import { answerAbout } from './asked-orbs.ts';
import type { FromMappingThread, SentDelivery, ToMappingThread } from './serve-mapping.ts';
import { sourceForm, type SourceForm } from './source-forms.ts';

export type StartMappingThread = StartThread<ToMappingThread, FromMappingThread>;

const MEMORY_MB = 192;
const YOUNG_MB = 32;

const startMappingThread: StartMappingThread = threadOf(new URL('./mapping-thread.ts', import.meta.url), {
  name: 'mapping',
  resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB - YOUNG_MB, maxYoungGenerationSizeMb: YOUNG_MB },
});

/** A batch takes some 40 ms of CPU, and four times as long beside runs. On a machine with ten times as much work as cores that is seconds: one that takes longer hangs. */
const WORK_MS = 20_000;
/** Starting takes some 0.3 s; on a busy machine it may take longer. */
const START_MS = 30_000;
/** A thread takes some 30 MB, and deliveries come in bursts. */
const IDLE_MS = 60_000;
/** From the second end without an answer in between, the next thread waits: each time twice as long. */
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 30_000;

export interface MapRunnerOptions {
  /** Path of the ledger's file. */
  readonly file: string;
  readonly platformNamespace: string;
  readonly orbs: Omit<MappingOrbs, 'learn'>;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Pick<Logger, 'error'>;
  /** Runs that were admitted: while it grows the thread rests between slices of its work. Absent: none are. */
  readonly runs?: SharedCount;
  /** Limit of one batch, ms; default 20 s. */
  readonly workMs?: number;
  /** Time without work after which the thread is ended, ms; default 1 min. */
  readonly idleMs?: number;
  readonly start?: StartMappingThread;
}

interface Job {
  readonly resolve: (batch: MappedBatch) => void;
  readonly reject: (error: Error) => void;
}

interface StartedThread {
  readonly thread: Thread<ToMappingThread>;
  /** Sources that it has, by `namespace/name`: a change makes another object. */
  readonly sources: Map<string, SignalSource>;
  isReady: boolean;
}

/** An error of the thread, with the stack that it has there. */
function brokenError(message: string, stack: string): Error {
  const error = new Error(`the thread that maps deliveries failed: ${message}`);
  error.stack = stack;
  return error;
}

/** A body with memory of its own is handed over. A view into a pool is copied: it would send the whole pool. */
const sentDelivery = ({ delivery, raw }: SourcedDelivery): SentDelivery => {
  const { deliveryId, tenant, source, deliveryKey, receivedAt, headers } = delivery;
  return {
    delivery: { deliveryId, tenant, source, deliveryKey, receivedAt, headers },
    raw: isWhole(raw) ? raw : new Uint8Array(raw),
  };
};

/**
 * Maps deliveries in one thread with a read connection of its own, and answers what it asks about Orbs. A batch beyond
 * 20 s or 192 MiB ends the thread; the next one starts another.
 */
export class MapRunner implements DeliveryMapper {
  readonly #options: MapRunnerOptions;
  readonly #start: StartMappingThread;
  #jobs: Job[] = [];
  #started: StartedThread | undefined;
  /** Of the start, of the first job or of the idle time. */
  #timer: NodeJS.Timeout | undefined;
  /** Ends in a row, without an answer in between. */
  #ends = 0;
  /** On the monotonic clock. */
  #notBefore = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(options: MapRunnerOptions) {
    this.#options = options;
    this.#start = options.start ?? startMappingThread;
  }

  readonly map = (work: MapWork<SourcedDelivery>): Promise<MappedBatch> => {
    if (this.#isClosed) return Promise.reject(new MappingEnded('the mapping was closed', { isOfWork: false }));
    const wait = this.#started === undefined ? this.#notBefore - this.#options.clock.monotonic() : 0;
    if (wait > 0)
      return Promise.reject(
        new MappingEnded(`the thread is not started again before ${Math.ceil(wait)} ms`, { isOfWork: false }),
      );
    return new Promise((resolve, reject) => {
      this.#started ??= this.#startThread();
      this.#jobs.push({ resolve, reject });
      this.#post(work, this.#started);
      if (this.#jobs.length === 1) this.#limitJob();
    });
  };

  readonly close = async (): Promise<void> => {
    this.#isClosed = true;
    const ended = this.#drop();
    this.#rejectAll(new MappingEnded('the mapping was closed', { isOfWork: false }));
    await ended;
  };

  #startThread(): StartedThread {
    const { file, platformNamespace, runs = new SharedCount() } = this.#options;
    const thread = this.#start({
      onMessage: (message) => {
        if (this.#started === started) this.#took(message, started);
      },
      onEnd: (cause) => {
        if (this.#started === started) this.#ended(textOfEnd(cause), cause);
      },
    });
    const started: StartedThread = { thread, sources: new Map(), isReady: false };
    thread.post(['open', file, platformNamespace, runs.memory]);
    return started;
  }

  #post({ isFresh, now, deliveries }: MapWork<SourcedDelivery>, { thread, sources }: StartedThread): void {
    const changed: SourceForm[] = [];
    for (const { delivery, source } of deliveries) {
      if (sources.get(delivery.source) === source) continue;
      sources.set(delivery.source, source);
      changed.push(sourceForm(source));
    }
    const sent = deliveries.map(sentDelivery);
    const bodies = sent.flatMap(({ raw }) => (raw.buffer instanceof ArrayBuffer ? [raw.buffer] : []));
    thread.post(['map', { isFresh, now, sources: changed, deliveries: sent }], bodies);
  }

  #took(message: FromMappingThread, started: StartedThread): void {
    switch (message[0]) {
      case 'ready':
        started.isReady = true;
        return this.#limitJob();
      case 'ask': {
        const { orbs, clock } = this.#options;
        return started.thread.post(['orbs', answerAbout(message[1], orbs, clock.now())]);
      }
      case 'mapped':
        this.#ends = 0;
        return this.#answered(({ resolve }) => resolve(message[1]));
      case 'failed':
        return this.#refused(new LedgerError(message[1], message[2]), started);
      case 'broken':
        return this.#refused(brokenError(message[1], message[2]), started);
      default:
        return message satisfies never;
    }
  }

  #answered(settle: (job: Job) => void): void {
    const job = this.#jobs.shift();
    this.#limitJob();
    if (job !== undefined) settle(job);
  }

  /** A thread that could not open the ledger is of no use. */
  #refused(error: Error, { isReady }: StartedThread): void {
    if (isReady) return this.#answered(({ reject }) => reject(error));
    void this.#drop();
    this.#pause();
    return this.#rejectAll(error);
  }

  /** Limits the first job, or the time without one. */
  #limitJob(): void {
    clearTimeout(this.#timer);
    const { workMs = WORK_MS, idleMs = IDLE_MS } = this.#options;
    if (this.#jobs.length === 0) this.#limit(idleMs, () => void this.#drop());
    else if (this.#started?.isReady === true)
      this.#limit(workMs, () => this.#ended(`mapping takes longer than ${workMs} ms`));
    else this.#limit(START_MS, () => this.#ended('the thread did not start'));
  }

  #limit(ms: number, act: () => void): void {
    this.#timer = setTimeout(act, ms).unref();
  }

  #ended(why: string, cause?: unknown): void {
    const isOfWork = this.#started?.isReady === true && this.#jobs.length > 0;
    this.#options.logger.error('the thread that maps deliveries ended', {
      why,
      ...(cause === undefined ? {} : { error: cause }),
    });
    void this.#drop();
    this.#pause();
    this.#rejectAll(new MappingEnded(why, { isOfWork, cause }));
  }

  #pause(): void {
    this.#ends += 1;
    const pause = this.#ends < 2 ? 0 : Math.min(LAST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#ends - 2));
    this.#notBefore = this.#options.clock.monotonic() + pause;
  }

  #rejectAll(error: Error): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    for (const { reject } of jobs) reject(error);
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#timer);
    const started = this.#started;
    this.#started = undefined;
    if (started === undefined) return;
    await started.thread.terminate();
    await started.thread.ended;
  }
}

const textOfEnd = (cause: unknown): string =>
  errorCode(cause) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? `mapping needs more than ${MEMORY_MB} MiB of memory`
    : 'the thread that maps it ended';
