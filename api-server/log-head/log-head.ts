import { LedgerError, type Ledger, type LogGate, type SignedCheckpoint } from '../../adapters/ledger/port.ts';
import { HeadMoved, type HeadStore } from '../../adapters/log-head/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { judgeHead, judgeKeys, type Doubt } from './judge-head.ts';

export interface LogHeadOptions {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Public log keys, 32 bytes each. */
  readonly keys: readonly Uint8Array[];
}

/** Settings for following the head. */
export interface FollowOptions {
  readonly ledger: Pick<Ledger, 'identity' | 'logSize' | 'rootAt' | 'consistencyProof' | 'checkpoint'>;
  readonly store: HeadStore;
  /** Called once, when the log may grow, before any other call that lets it grow. @param size entries in it */
  readonly opened: (size: number) => void;
  /** Called once, when the history is found to be in doubt. */
  readonly forked: (doubt: Doubt) => void;
}

// trust.md §2.3: at most 60 s old. Under load there are four writes a minute; without growth there are no writes.
const PERIOD_MS = 15_000;
/** Period while the store holds no head of this origin: until then a lost ledger is not noticed. */
const UNKEPT_MS = 2000;
/** Pause before the next attempt when the store did not answer. */
const RETRY_MS = 2000;
/** Time limit of the first check. */
const FIRST_MS = 5000;
/** Time limit of the last write at a stop. */
const LAST_MS = 5000;

const DAMAGED =
  'Keep a copy of the ledger, restore the newest backup (orb ledger restore), then start again (docs/runbooks/OrbLedgerDamaged.md).';

type State =
  /** Not known yet: a head that was not read may be newer than the ledger. */
  { readonly kind: 'unread' } | { readonly kind: 'consistent' } | { readonly kind: 'forked'; readonly why: string };

/**
 * Keeps the newest checkpoint outside the ledger. The log may not grow until the ledger provably continues from there.
 * Otherwise a restored backup, or a lost or foreign data folder, would sign a second history under the same name.
 * Not covered: entries signed in the seconds since the last write, and a person who may delete the head itself.
 */
export class LogHead {
  readonly #options: LogHeadOptions;
  readonly #stopping = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  #state: State = { kind: 'unread' };
  #following: FollowOptions | undefined;
  #running: Promise<void> = Promise.resolve();
  #newest: SignedCheckpoint | undefined;
  #damage: Doubt | undefined;
  #isReported = false;
  /** The head in the store, as far as it is known. */
  #saved: { readonly size: number; readonly version: string | undefined } = { size: 0, version: undefined };
  #isAway = false;

  constructor(options: LogHeadOptions) {
    this.#options = options;
  }

  /** The gate that the ledger uses. */
  readonly gate: LogGate = {
    opened: this.#opened.promise,
    refusal: () => {
      switch (this.#state.kind) {
        case 'consistent':
          return undefined;
        case 'forked':
          return new LedgerError('ledger-forked', this.#state.why);
        case 'unread':
          return new LedgerError('ledger-unavailable', 'the last signed head of the log was not read yet');
        default:
          return this.#state satisfies never;
      }
    },
  };

  /** Whether the ledger is proven to be the last signed one. */
  isConsistent(): boolean {
    return this.#state.kind === 'consistent';
  }

  /** Entries under the head that is kept outside; 0: no head is kept. */
  savedSize(): number {
    return this.#saved.size;
  }

  /**
   * To call when the ledger is found to be damaged: from then on nothing is signed. The next start decides anew.
   * @param why what is damaged
   */
  readonly damaged = (why: string): void => {
    if (this.#damage !== undefined) return;
    this.#damage = { why, next: DAMAGED };
    if (this.#following === undefined) this.#state = { kind: 'forked', why: `${why}. ${DAMAGED}` };
    else this.#fork(this.#following, this.#damage, 'the ledger');
  };

  /** Must be called with each checkpoint after its commit. */
  readonly signed = (checkpoint: SignedCheckpoint): void => {
    if (checkpoint.size > (this.#newest?.size ?? 0)) this.#newest = checkpoint;
  };

  /** @returns true when the log may grow; false when `signal` was aborted before */
  async ready(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const aborted = Promise.withResolvers<boolean>();
    const abort = (): void => aborted.resolve(false);
    signal.addEventListener('abort', abort, { once: true });
    const opened = this.#opened.promise.then(() => true);
    return Promise.race([opened, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
  }

  /**
   * Starts to follow the head. It resolves after the first check, whatever the result, and at the latest after 5 s.
   * A store that does not answer must not delay reads. Later checks run by themselves.
   */
  async follow(following: FollowOptions): Promise<void> {
    this.#following = following;
    const firstRead = this.#tryToRead(following);
    this.#running = this.#run(following, firstRead);
    const waiting = new AbortController();
    const waited = this.#options.clock.sleep(FIRST_MS, waiting.signal, { ref: false }).catch(() => undefined);
    await Promise.race([firstRead, waited]);
    waiting.abort();
  }

  /** Writes the last head. Call it after the ledger has signed for the last time. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#following !== undefined && this.isConsistent())
      await this.#save(this.#following, AbortSignal.timeout(LAST_MS));
  }

  /** Never rejects. */
  async #run(following: FollowOptions, firstRead: Promise<boolean>): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for (let isRead = await firstRead; !isRead; isRead = await this.#tryToRead(following))
        await this.#options.clock.sleep(RETRY_MS, signal, { ref: false });
      while (this.isConsistent()) {
        const periodMs = this.#saved.size === 0 ? UNKEPT_MS : PERIOD_MS;
        await this.#options.clock.sleep(periodMs, signal, { ref: false });
        await this.#save(following, signal);
      }
    } catch {
      // stopped
    }
  }

  /** @returns false: the store or the ledger did not answer */
  async #tryToRead(following: FollowOptions): Promise<boolean> {
    try {
      await this.#read(following);
      this.#isAway = false;
      return true;
    } catch (error) {
      this.#warn(
        `${following.store.place}, the head of the log, can not be read: nothing is signed until it is`,
        error,
      );
      return false;
    }
  }

  async #read(following: FollowOptions): Promise<void> {
    const { ledger, store } = following;
    if (this.#damage !== undefined) return this.#fork(following, this.#damage, 'the ledger');
    const found = await store.read(this.#stopping.signal);
    const newest = await ledger.checkpoint();
    const size = await ledger.logSize();
    if (newest !== undefined) this.signed(newest);
    const judged = { ledger, keys: this.#options.keys };
    const doubt = await judgeKeys(newest, judged);
    if (doubt !== undefined) return this.#fork(following, doubt, 'the ledger');
    if (found === undefined) {
      this.#saved = { size: 0, version: undefined };
      return this.#open(following, size);
    }
    const verdict = await judgeHead(found.note, judged);
    if (verdict.kind === 'forked') return this.#fork(following, verdict, store.place);
    this.#saved = { size: verdict.kind === 'continues' ? verdict.size : 0, version: found.version };
    if (verdict.kind === 'succeeds')
      this.#options.logger.warn('the log continues under a new origin', { origin: ledger.identity.logOrigin });
    return this.#open(following, size);
  }

  #open({ opened }: FollowOptions, size: number): void {
    if (this.#state.kind !== 'unread') return;
    this.#state = { kind: 'consistent' };
    opened(size); // before the waiting calls resume: their entries come after
    this.#opened.resolve();
  }

  #fork({ store, forked }: FollowOptions, { why, next }: Doubt, doubtful: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const { place } = store;
    this.#state = { kind: 'forked', why: `${why} (${doubtful}). ${next}` };
    this.#options.logger.error('the history of the ledger is in doubt: nothing is signed', { why, head: place, next });
    forked({ why, next });
  }

  /** Never rejects. The next write includes everything that this one missed. */
  async #save(following: FollowOptions, signal: AbortSignal): Promise<void> {
    const newest = this.#newest;
    if (newest === undefined || newest.size <= this.#saved.size) return;
    try {
      const version = await following.store.write(newest.note, this.#saved.version, signal);
      this.#saved = { size: newest.size, version };
      this.#isAway = false;
    } catch (error) {
      if (error instanceof HeadMoved) await this.#tryToRead(following);
      else if (!this.#stopping.signal.aborted || signal !== this.#stopping.signal)
        this.#warn(`${following.store.place}, the head of the log, could not be written; it is tried again`, error);
    }
  }

  /** Logs once, until it works again. */
  #warn(message: string, error: unknown): void {
    if (!this.#isAway && !this.#stopping.signal.aborted) this.#options.logger.warn(message, { error });
    this.#isAway = true;
  }
}
