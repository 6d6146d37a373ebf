import type { Clock } from '../time/clock.ts';
import { withScope } from './abort-scope.ts';
import { KubeError, type Kind, type KubeClient, type Selection } from './port.ts';
import { decodeWatch, MalformedWatch, type WatchEvent } from './watch-decoder.ts';

/** How a watch ended. `contact`: an event or a bookmark came. */
export type WatchEnd =
  /** The watch ended cleanly. `early`: more than 5 s before its time. */
  | { readonly kind: 'ended'; readonly early: boolean; readonly contact: boolean }
  /** 410 by HTTP or in the stream, or a version that the server does not know yet. Only a LIST helps. */
  | { readonly kind: 'expired'; readonly contact: boolean }
  /** No data for 90 s, though bookmarks come every 60 s. */
  | { readonly kind: 'stalled'; readonly contact: boolean }
  | { readonly kind: 'malformed'; readonly contact: boolean }
  | { readonly kind: 'failed'; readonly contact: boolean; readonly error: KubeError };

export interface WatchQuestion {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly kind: Kind;
  readonly selection: Selection;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
  /** The server answered with 200. */
  readonly onOpen: () => void;
  readonly onEvent: (event: Exclude<WatchEvent, { kind: 'error' }>) => void;
}

const SILENCE_MS = 90_000;
const EARLY_MS = 5000;

/** Aborts the scope when nothing came for 90 s: a frozen peer still answers keep-alive probes. */
class Watchdog {
  readonly #clock: Clock;
  readonly #scope: AbortController;
  #last: number;
  contact = false;
  barked = false;

  constructor(clock: Clock, scope: AbortController) {
    this.#clock = clock;
    this.#scope = scope;
    this.#last = clock.monotonic();
    this.#guard().catch(() => undefined); // rejects only when the scope ends
  }

  touch(): void {
    this.#last = this.#clock.monotonic();
    this.contact = true;
  }

  async #guard(): Promise<void> {
    for (;;) {
      const left = this.#last + SILENCE_MS - this.#clock.monotonic();
      if (left <= 0) break;
      await this.#clock.sleep(left, this.#scope.signal);
    }
    this.barked = true;
    this.#scope.abort(new Error(`nothing came for ${SILENCE_MS} ms`));
  }
}

const needsList = ({ status, causes }: KubeError): boolean =>
  status === 410 || causes.includes('ResourceVersionTooLarge');

function failure(error: unknown, { barked, contact }: Watchdog): WatchEnd {
  if (barked) return { kind: 'stalled', contact };
  if (error instanceof MalformedWatch) return { kind: 'malformed', contact };
  if (!(error instanceof KubeError)) throw error;
  return needsList(error) ? { kind: 'expired', contact } : { kind: 'failed', contact, error };
}

async function follow(question: WatchQuestion, watchdog: Watchdog, signal: AbortSignal): Promise<WatchEnd> {
  const { client, kind, selection, resourceVersion, timeoutSeconds, clock, onOpen, onEvent } = question;
  const started = clock.monotonic();
  const chunks = await client.watch(kind, { ...selection, resourceVersion, timeoutSeconds }, signal);
  onOpen();
  for await (const event of decodeWatch(chunks, { kind, monotonic: clock.monotonic })) {
    if (event.kind === 'error') throw event.error;
    signal.throwIfAborted();
    watchdog.touch();
    onEvent(event);
  }
  signal.throwIfAborted();
  const early = clock.monotonic() - started < timeoutSeconds * 1000 - EARLY_MS;
  return { kind: 'ended', early, contact: watchdog.contact };
}

/** One WATCH from its request to its end. @throws the signal's reason, or an error that is a bug */
export function watchOnce(question: WatchQuestion, signal: AbortSignal): Promise<WatchEnd> {
  return withScope(signal, async (scope) => {
    const watchdog = new Watchdog(question.clock, scope);
    try {
      return await follow(question, watchdog, scope.signal);
    } catch (error) {
      signal.throwIfAborted();
      return failure(error, watchdog);
    }
  });
}
