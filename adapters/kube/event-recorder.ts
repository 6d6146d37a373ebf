import type { EventSpec } from '../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { Alarm } from './alarm.ts';
import { eventNamespace, eventObject, seriesPatch } from './event-object.ts';
import { KINDS } from './kinds.ts';
import { KubeError, type KubeClient } from './port.ts';
import { TokenBucket } from '../../core/rate-limit/token-bucket.ts';

export interface EventMetrics {
  /** An Event was not sent: its object has too many, too many are waiting, or the server refused it. */
  readonly eventDropped: (type: EventSpec['type']) => void;
}

interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EventMetrics;
  /** `orbs.dev/operator` */
  readonly reportingController: string;
  /** Name of the Pod. */
  readonly reportingInstance: string;
}

/** Events of objects (operator.md A10). */
export interface EventRecorder {
  /** Never waits and never throws. Call it after the write that it reports. */
  readonly record: (object: KubeObject, events: readonly EventSpec[]) => void;
  /** Sends until the signal is aborted; never rejects. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Resolves when everything recorded so far was sent, or after `ms`. */
  readonly flush: (ms: number) => Promise<void>;
}

/** One Event, and how often it happened again. Owned by the recorder until it expires. */
interface Series {
  readonly id: string;
  readonly object: KubeObject;
  readonly event: EventSpec;
  /** Name of the Event; undefined until it was created. */
  name: string | undefined;
  /** ms since epoch, of the first occurrence that this Event reports. */
  firstAt: number;
  count: number;
  /** The part of `count` that the API server knows. */
  sent: number;
  /** ms since epoch. */
  lastAt: number;
  /** Monotonic ms. */
  seenAt: number;
  sentAt: number;
  /** Monotonic ms at which its creation is tried again; undefined: the creation did not fail. */
  againAt: number | undefined;
}

const QUEUE = 1000;
const SERIES_MS = 10 * 60_000;
/** Minimum time between two patches of one series. */
const PATCH_MS = 60_000;
/** Wait before an Event with an id is tried again, for as long as its series lives. */
const AGAIN_MS = 5000;
const BURST = 25;
const EVERY_MS = 5 * 60_000;

/**
 * The object's namespace is being deleted or is gone, or events may not be written there: the Event would not be read.
 */
const isVanishing = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 403 || error.status === 404);

const existsAlready = (error: unknown): boolean => error instanceof KubeError && error.status === 409;

/** The server did not answer, or can't just now: a later try may succeed. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof KubeError) || error.status === 0 || error.status === 429 || error.status >= 500;

const isGone = (error: unknown): boolean => error instanceof KubeError && error.status === 404;

class Recorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new Map<string, Series>();
  readonly #buckets = new Map<string, TokenBucket>();
  /** Series with something to send. */
  readonly #queue = new Set<Series>();
  readonly #idle = new Set<() => void>();
  readonly #alarm: Alarm;
  #signal: AbortSignal | undefined;
  #sending = false;
  #prunedAt = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.#queueDue());
  }

  readonly record: EventRecorder['record'] = (object, events) => {
    this.#prune();
    for (const event of events) this.#occurred(object, event);
    this.#pump();
  };

  readonly run: EventRecorder['run'] = async (signal) => {
    this.#signal = signal;
    this.#pump();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#signal = undefined;
    this.#alarm.clear();
  };

  readonly flush: EventRecorder['flush'] = async (ms) => {
    for (const series of this.#series.values()) if (series.count > series.sent) this.#queue.add(series);
    this.#pump();
    if (!this.#sending) return;
    const over = new AbortController();
    const idle = new Promise<void>((resolve) => this.#idle.add(resolve));
    await Promise.race([idle, this.#options.clock.sleep(ms, over.signal, { ref: false }).catch(() => undefined)]);
    over.abort();
  };

  #occurred(object: KubeObject, event: EventSpec): void {
    const { clock } = this.#options;
    const uid = object.metadata.uid ?? `${eventNamespace(object)}/${object.kind}/${object.metadata.name}`;
    const id = JSON.stringify([uid, event.type, event.reason, event.action, event.id]);
    const now = { lastAt: clock.now(), seenAt: clock.monotonic() };
    const known = this.#series.get(id);
    if (known !== undefined && event.id !== undefined) return undefined; // an event with an id happens once
    if (known !== undefined && now.seenAt - known.seenAt < SERIES_MS) {
      Object.assign(known, now);
      known.count += 1;
      return this.#sendLater(known);
    }
    if (!this.#bucket(`${uid} ${event.type}`).take(now.seenAt) || !this.#hasRoomFor(event)) {
      return this.#options.metrics.eventDropped(event.type);
    }
    const base = { name: undefined, firstAt: now.lastAt, count: 1, sent: 0, sentAt: -Infinity, againAt: undefined };
    const series = { id, object, event, ...base, ...now };
    this.#series.set(id, series);
    this.#queue.add(series);
    return undefined;
  }

  /** A Normal event makes room for a Warning, never the reverse. */
  #hasRoomFor({ type }: EventSpec): boolean {
    if (this.#queue.size < QUEUE) return true;
    if (type === 'Normal') return false;
    for (const series of this.#queue) {
      if (series.event.type !== 'Normal') continue;
      this.#drop(series);
      return true;
    }
    return false;
  }

  #drop(series: Series): void {
    this.#queue.delete(series);
    if (this.#series.get(series.id) === series) this.#series.delete(series.id);
    this.#options.metrics.eventDropped(series.event.type);
  }

  #bucket(id: string): TokenBucket {
    const known = this.#buckets.get(id);
    if (known !== undefined) return known;
    const made = new TokenBucket({ burst: BURST, everyMs: EVERY_MS, now: this.#options.clock.monotonic() });
    this.#buckets.set(id, made);
    return made;
  }

  /** At most one patch a minute. */
  #sendLater(series: Series): void {
    if (series.name === undefined && series.againAt === undefined) return; // sent with the creation or right after
    const dueAt = series.againAt ?? series.sentAt + PATCH_MS;
    if (dueAt <= this.#options.clock.monotonic()) this.#queue.add(series);
    else this.#alarm.noLaterThan(dueAt);
  }

  #queueDue(): void {
    for (const series of this.#series.values()) if (series.count > series.sent) this.#sendLater(series);
    this.#pump();
  }

  /** Sends one Event at a time, so that a flood of events leaves the connections to the reconcilers. */
  #pump(): void {
    if (this.#sending || this.#signal === undefined || this.#queue.size === 0) return;
    this.#sending = true;
    void this.#sendAll(this.#signal).finally(() => {
      this.#sending = false;
      for (const resolve of this.#idle) resolve();
      this.#idle.clear();
      this.#pump();
    });
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    for (const series of this.#queue) {
      if (signal.aborted) return;
      this.#queue.delete(series);
      await this.#send(series, signal);
    }
  }

  async #send(series: Series, signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    if (series.count === series.sent) return; // sent while it waited
    series.sentAt = clock.monotonic();
    series.againAt = undefined;
    try {
      if (series.name === undefined) await this.#create(series, signal);
      else await this.#patch(series, series.name, signal);
      if (series.count > series.sent) this.#sendLater(series);
    } catch (error) {
      // An event with an id is reported once: its name makes a second try harmless.
      if (series.event.id !== undefined && isPassing(error) && !signal.aborted) {
        series.againAt = series.sentAt + AGAIN_MS;
        return this.#sendLater(series);
      }
      this.#drop(series);
      if (!isVanishing(error) && !signal.aborted) {
        logger.warn('an Event was not written', { error, reason: series.event.reason });
      }
    }
  }

  async #create(series: Series, signal: AbortSignal): Promise<void> {
    const { client, reportingController: controller, reportingInstance: instance } = this.#options;
    const object = eventObject(series.object, series.event, { controller, instance }, series.firstAt);
    try {
      const { metadata } = await client.create(KINDS.event, object, signal);
      series.name = metadata.name;
    } catch (error) {
      if (series.event.id === undefined || !existsAlready(error)) throw error;
      series.name = object.metadata.name;
    }
    series.sent = 1;
  }

  async #patch(series: Series, name: string, signal: AbortSignal): Promise<void> {
    const { client, reportingController: fieldManager } = this.#options;
    const ref = { namespace: eventNamespace(series.object), name };
    const { count, lastAt } = series;
    const body = seriesPatch(count, lastAt);
    try {
      await client.patch(KINDS.event, ref, { type: 'merge', body, fieldManager }, signal);
      series.sent = count;
    } catch (error) {
      if (!isGone(error)) throw error;
      // Events live for an hour; a series may live longer.
      Object.assign(series, { count: 1, sent: 0, firstAt: series.lastAt });
      await this.#create(series, signal);
    }
  }

  /** Removes series that have expired and buckets that are full again. */
  #prune(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#prunedAt < PATCH_MS) return;
    this.#prunedAt = now;
    for (const [id, { seenAt }] of this.#series) if (now - seenAt >= SERIES_MS) this.#series.delete(id);
    for (const [id, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(id);
  }
}

/** Its queue holds 1 000 Events. A reconcile never waits for it. */
export const createEventRecorder = (options: EventRecorderOptions): EventRecorder => new Recorder(options);
