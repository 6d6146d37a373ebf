import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { LeaseHolder } from './lease-holder.ts';
import type { KubeClient } from './port.ts';
import { within } from './within.ts';
import { NotLeading } from '../../core/errors/not-leading.ts';

export interface ElectionMetrics {
  /** @param name of the Lease */
  readonly leading: (name: string, leads: boolean) => void;
}

interface ElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Must be unique to this process: the name of its Pod or host is not enough. */
  readonly identity: string;
  readonly clock: Clock;
  /** 0 ≤ n < 1. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: ElectionMetrics;
  /** Other replicas wait this long before they take the lease; default 15 s. Whole seconds. */
  readonly leaseMs?: number;
  /** The leader stops writing this long after its last renewal began; default 10 s, must be less than `leaseMs`. */
  readonly renewMs?: number;
  /** Time between two renewals; default 2 s. */
  readonly retryMs?: number;
  /** Annotations of the Lease, while this process leads and after. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One leader among several processes (operator.md A8). */
export interface Election {
  /**
   * Campaigns repeatedly until the signal is aborted. Then ends the scope of `lead`, waits for it and releases the
   * lease. Never rejects. Two calls of `lead` never overlap: the next begins when the last has ended.
   * @param lead its scope ends when leadership does; `epoch` is higher than that of any earlier leader
   */
  readonly run: (signal: AbortSignal, lead: (scope: AbortSignal, epoch: number) => Promise<void>) => Promise<void>;
  readonly isLeading: () => boolean;
  /**
   * Call it right before every write. It compares the time at that moment, so it also holds after the process was
   * suspended.
   */
  readonly assertLeading: () => void;
  /** Epoch of the present or last leadership; 0: this process never led. */
  readonly epoch: () => number;
}

/**
 * Followers try again after 2 … 2.8 s, so that a released lease is taken within 3 s. (client-go's factor of up to 2.2
 * would be 4.4 s.)
 */
const JITTER = 0.4;
/**
 * Work that ignores the end of its scope for this long keeps the lease from being released. The lease then runs out by
 * itself.
 */
const LINGER_MS = 3000;
const RELEASE_MS = 1000;

type Lead = Parameters<Election['run']>[1];

class Campaign implements Election {
  readonly #options: ElectionOptions;
  readonly #holder: LeaseHolder;
  readonly #renewMs: number;
  readonly #retryMs: number;
  /** Monotonic ms when the last successful renewal was sent; undefined: not leading. */
  #renewedAt: number | undefined;

  constructor(options: ElectionOptions) {
    const { client, namespace, name, identity, clock, leaseMs = 15_000, renewMs = 10_000, retryMs = 2000 } = options;
    if (!(retryMs < renewMs && renewMs < leaseMs)) {
      throw new RangeError(
        `retry period < renew deadline < lease duration must hold, got ${retryMs}, ${renewMs}, ${leaseMs} ms`,
      );
    }
    this.#options = options;
    this.#renewMs = renewMs;
    this.#retryMs = retryMs;
    const { annotations = {} } = options;
    this.#holder = new LeaseHolder({ client, ref: { namespace, name }, identity, clock, leaseMs, annotations });
    options.metrics.leading(name, false);
  }

  readonly isLeading: Election['isLeading'] = () => this.#msLeft() > 0;

  readonly assertLeading: Election['assertLeading'] = () => {
    if (!this.isLeading()) throw new NotLeading();
  };

  readonly epoch: Election['epoch'] = () => this.#holder.epoch;

  readonly run: Election['run'] = async (signal, lead) => {
    const { logger, metrics, name, identity } = this.#options;
    while (await this.#acquired(signal)) {
      logger.info('leading', { lease: name, identity, epoch: this.epoch() });
      metrics.leading(name, true);
      await this.#reign(signal, lead);
      metrics.leading(name, false);
      logger.info('not leading any more', { lease: name, identity, epoch: this.epoch() });
      await this.#sleep(this.#retryMs, signal);
    }
  };

  #msLeft(): number {
    return this.#renewedAt === undefined ? 0 : this.#renewedAt + this.#renewMs - this.#options.clock.monotonic();
  }

  /** @returns false when the signal was aborted before */
  async #acquired(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const attempt = await this.#attempt(this.#renewMs / 2, signal, (limited) => this.#holder.acquire(limited));
      // The process may have been suspended between the request and its answer.
      if (attempt === 'ours' && this.isLeading()) return true;
      await this.#sleep(this.#untilNextAttempt(), signal);
    }
    return false;
  }

  #untilNextAttempt(): number {
    const { clock, random } = this.#options;
    const jittered = this.#retryMs * (1 + JITTER * random());
    const untilFree = (this.#holder.freeAt ?? Infinity) - clock.monotonic();
    // The lease has been free for a while and was not taken: there was an error, or another replica was faster.
    return untilFree > 0 ? Math.min(jittered, untilFree) : jittered;
  }

  /**
   * One attempt to get or keep the lease. Our time counts from before the request, because that of other replicas
   * counts from after it.
   * @param limitMs a request that hangs must leave time for another one on another connection
   */
  async #attempt(
    limitMs: number,
    signal: AbortSignal,
    write: (signal: AbortSignal) => Promise<boolean>,
  ): Promise<'ours' | 'theirs' | 'unknown'> {
    const { clock, logger, name } = this.#options;
    const began = clock.monotonic();
    try {
      const ours = await within({ clock, ms: limitMs, what: 'the lease' }, signal, write);
      if (ours) this.#renewedAt = began;
      return ours ? 'ours' : 'theirs';
    } catch (error) {
      if (!signal.aborted) logger.warn('the lease could not be read or written', { lease: name, error });
      return 'unknown';
    }
  }

  async #reign(signal: AbortSignal, lead: Lead): Promise<void> {
    const scope = new AbortController();
    const led = this.#lead(lead, scope.signal);
    const renewed = this.#renewUntilLost(AbortSignal.any([signal, scope.signal]));
    await Promise.race([led, renewed]);
    scope.abort(signal.aborted ? signal.reason : new NotLeading());
    const kept = await renewed;
    const ended = await this.#ended(led);
    this.#renewedAt = undefined;
    if (ended && kept) await this.#release();
    if (ended) return;
    // The lease is not released, so other replicas wait until it runs out. Here no other leader may begin before this
    // one has ended.
    this.#options.logger.error('work of a leader ignores the end of its scope', { lease: this.#options.name });
    if (!signal.aborted) await led;
  }

  async #lead(lead: Lead, scope: AbortSignal): Promise<void> {
    try {
      await lead(scope, this.epoch());
    } catch (error) {
      if (!scope.aborted) this.#options.logger.error('leading failed', { lease: this.#options.name, error });
    }
  }

  async #ended(led: Promise<void>): Promise<boolean> {
    const over = new AbortController();
    const late = this.#options.clock.sleep(LINGER_MS, over.signal, { ref: false }).then(
      () => false,
      () => true,
    );
    const ended = await Promise.race([led.then(() => true), late]);
    over.abort();
    return ended;
  }

  /** @returns true when the signal ended it while we still held the lease */
  async #renewUntilLost(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      await this.#sleep(Math.min(this.#retryMs, this.#msLeft()), signal);
      if (signal.aborted) return this.isLeading();
      if (!this.isLeading()) break;
      const limitMs = Math.min(this.#renewMs / 2, this.#msLeft());
      if ((await this.#attempt(limitMs, signal, (limited) => this.#holder.renew(limited))) === 'theirs') break;
    }
    this.#renewedAt = undefined;
    return false;
  }

  async #release(): Promise<void> {
    const { clock, logger, name } = this.#options;
    const limit = { clock, ms: RELEASE_MS, what: 'the release of the lease' };
    const never = new AbortController().signal;
    try {
      await within(limit, never, (signal) => this.#holder.release(signal));
    } catch (error) {
      logger.warn('the lease was not released: others wait until it runs out', { lease: name, error });
    }
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    await this.#options.clock.sleep(Math.max(0, ms), signal).catch(() => undefined);
  }
}

/** @throws RangeError the three times are not in order */
export const createElection = (options: ElectionOptions): Election => new Campaign(options);
