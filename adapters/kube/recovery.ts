import { retryAfterWaitMs } from './kube-retry.ts';
import type { Kind, KubeError } from './port.ts';
import type { WatchEnd } from './watch-session.ts';

/** What a reflector does next, after a wait. */
export type Step =
  | { readonly kind: 'watch'; readonly waitMs: number }
  | { readonly kind: 'list'; readonly waitMs: number; readonly reason: ListReason };

/** Label `reason` of `orb_list_total`. */
export type ListReason = 'start' | 'retry' | 'expired' | 'stalled' | 'early-end' | 'malformed' | 'refused';

const BASE_MS = 500;
const CAP_MS = 30_000;
const HEALTHY_MS = 60_000;
const RELIST_MS = 1000;
/** Wait for a kind that is not installed, or not allowed for more than 2 minutes. */
const REFUSED_MS = 30_000;
/**
 * A refusal that often ends within seconds. Examples: a server that is starting, and Secrets whose RoleBinding is made
 * after their Orbiset.
 */
const SOON_MS = 120_000;
const SOON_CAP_MS = 5000;
/** Kill switches must work within 5 s after the API server is back (security.md S30). */
const SWITCH_CAP_MS = 2000;
/** Watches in a row that end without an event or bookmark. After this number the resource version is given up. */
const FRUITLESS = 2;

type WatchWithoutEvents = 'early-end' | 'stalled' | 'malformed';

export interface RecoveryOptions {
  readonly kind: Kind;
  readonly random: () => number;
  readonly monotonic: () => number;
}

/** Decides the waits and next steps of one reflector (operator.md A3). */
export class Recovery {
  readonly #options: RecoveryOptions;
  #failures = 0;
  #fruitless: { readonly what: WatchWithoutEvents; readonly times: number } | undefined;
  #refusedSince: number | undefined;
  #wasListed = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
  }

  /** A LIST was answered. */
  listed(): void {
    this.#refusedSince = undefined;
    this.#wasListed = true;
  }

  afterFailedList(error: KubeError): Step {
    return { kind: 'list', waitMs: this.#waitMs(error), reason: 'retry' };
  }

  /** @param lifeMs since the WATCH was sent */
  afterWatch(end: WatchEnd, lifeMs: number): Step {
    if (lifeMs >= HEALTHY_MS) this.#failures = 0;
    if (end.contact) this.#fruitless = undefined;
    switch (end.kind) {
      case 'ended':
        return end.early && !end.contact ? this.#again('early-end', 0) : { kind: 'watch', waitMs: 0 };
      case 'stalled':
        return this.#again('stalled', 0);
      case 'malformed':
        return this.#again('malformed', this.#backOff(CAP_MS));
      case 'expired':
        return this.#relist('expired');
      case 'failed':
        return this.#afterFailure(end.error);
      default:
        return end satisfies never;
    }
  }

  #afterFailure(error: KubeError): Step {
    const waitMs = this.#waitMs(error);
    return isRefusal(error) ? { kind: 'list', waitMs, reason: 'refused' } : { kind: 'watch', waitMs };
  }

  /** The first time, the watch starts again from the same version; the second time, the objects are listed again. */
  #again(what: WatchWithoutEvents, waitMs: number): Step {
    const times = this.#fruitless?.what === what ? this.#fruitless.times + 1 : 1;
    this.#fruitless = { what, times };
    if (times < FRUITLESS) return { kind: 'watch', waitMs };
    this.#fruitless = undefined;
    return this.#relist(what);
  }

  /** The first LIST is sent within a second, at random. The next ones back off, until a watch lives for a minute. */
  #relist(reason: ListReason): Step {
    const waitMs = this.#failures === 0 ? this.#options.random() * RELIST_MS : this.#backOff(CAP_MS);
    if (this.#failures === 0) this.#failures = 1;
    return { kind: 'list', waitMs, reason };
  }

  #waitMs(error: KubeError): number {
    const { random } = this.#options;
    if (error.retryAfterMs !== undefined) return retryAfterWaitMs(error.retryAfterMs, random);
    if (!isRefusal(error)) return this.#backOff(CAP_MS);
    if (!this.#isSoon(error)) return REFUSED_MS;
    return this.#backOff(this.#options.kind.plural === 'secrets' ? SOON_CAP_MS : SWITCH_CAP_MS);
  }

  /** A starting server knows no role yet, and for a moment not every kind. */
  #isSoon({ status }: KubeError): boolean {
    const { monotonic } = this.#options;
    this.#refusedSince ??= monotonic();
    return (status === 403 || this.#wasListed) && monotonic() - this.#refusedSince < SOON_MS;
  }

  /** Full jitter, doubling from 0.5 s. */
  #backOff(capMs: number): number {
    const limit = Math.min(capMs, BASE_MS * 2 ** Math.min(this.#failures, 16));
    this.#failures += 1;
    return this.#options.random() * limit;
  }
}

const isRefusal = ({ status }: KubeError): boolean => status === 403 || status === 404;
