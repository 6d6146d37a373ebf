import { systemClock } from '../time/clock.ts';

interface StopOptions {
  readonly signals?: readonly NodeJS.Signals[];
  /** Called at the first one. */
  readonly onFirst?: () => void;
}

const SAME_SIGNAL_MS = 1000;
const INTERRUPTED = 130;

/** Aborted by Ctrl-C and SIGTERM, unless other signals are named; a second one ends the process at once. */
export function stopSignal({ signals = ['SIGINT', 'SIGTERM'], onFirst }: StopOptions = {}): AbortSignal {
  const stopping = new AbortController();
  let since: number | undefined;
  const onSignal = (): void => {
    const now = systemClock.monotonic();
    // A terminal and a parent process both pass one Ctrl-C on: that is one signal.
    if (since !== undefined && now - since > SAME_SIGNAL_MS) process.exit(INTERRUPTED);
    if (since !== undefined) return;
    since = now;
    onFirst?.();
    stopping.abort();
  };
  for (const name of signals) process.on(name, onSignal);
  return stopping.signal;
}
