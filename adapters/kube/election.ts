import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { LeaseHolder } from './lease-holder.ts';
import type { KubeClient } from './port.ts';
import { within } from './within.ts';

/** This process may not write: it never led, or its lease was not renewed in time. */
export class NotLeading extends Error {
  readonly code = 'not-leading';
  constructor(message = 'this process does not lead: its lease is not held or was not renewed in time') {
    super(message);
    this.name = 'NotLeading';
  }
}

export interface ElectionMetrics {
  /** @param name of the Lease */
  readonly leading: (name: string, leads: boolean) => void;
}

interface ElectionOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Must be of this process alone: not of its Pod or host only. */
  readonly identity: string;
  readonly clock: Clock;
  /** 0 ≤ n < 1. */
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: ElectionMetrics;
  /** Others wait so long; default 15 s. Whole seconds. */
  readonly leaseMs?: number;
  /** The leader stops writing so long after its last renewal began; default 10 s, must be less than `leaseMs`. */
  readonly renewMs?: number;
  /** Between two renewals; default 2 s. */
  readonly retryMs?: number;
  /** Of the Lease, while this process leads and after. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One leader among several processes (operator.md A8). */
export interface Election {
  /**
   * Campaigns, again and again, until the signal is aborted; then ends the scope of `lead`, waits for it and releases the lease.
   * Never rejects. Each `lead` runs alone; the next one begins when it has ended.
   * @param lead its scope ends when leadership does; `epoch` is higher than that of any leader before
   */
  readonly run: (signal: AbortSignal, lead: (scope: AbortSignal, epoch: number) => Promise<void>) => Promise<void>;
  readonly isLeading: () => boolean;
  /** Call it right before every write: it compares at that moment, so it also holds after the process stood still. */
  readonly assertLeading: () => void;
  /** Of the present or last leadership; 0: there was none. */
  readonly epoch: () => number;
}

/**
 * Followers look again after 2 … 2.8 s: so that a lease that was released is taken within 3 s. (client-go's factor of up to 2.2
 * would be 4.4 s.)
 */
const JITTER = 0.4;
/** Work that ignores the end of its scope so long keeps the lease from being released: it runs out by itself. */
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
      // The process may have stood still between the request and its answer.
      if (attempt === 'ours' && this.isLeading()) return true;
      await this.#sleep(this.#untilNextLook(), signal);
    }
    return false;
  }

  #untilNextLook(): number {
    const { clock, random } = this.#options;
    const jittered = this.#retryMs * (1 + JITTER * random());
    const untilFree = (this.#holder.freeAt ?? Infinity) - clock.monotonic();
    // A lease that has been free for a while and was not taken: there was an error, or somebody else was faster.
    return untilFree > 0 ? Math.min(jittered, untilFree) : jittered;
  }

  /**
   * One try to get or keep the lease. Time counts from before the request, as that of others counts from after it.
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
    // The lease is not released, so others wait their time; and no other leader may begin here before this one has ended.
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

  /** @returns true when the signal ended it while the lease was still ours */
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
