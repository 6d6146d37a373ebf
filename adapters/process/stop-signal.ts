import { constants } from 'node:os';
import { systemClock, type Clock } from '../time/clock.ts';

/** npm scripts that replace their shell by the program (`exec`): the parent of the program is npm itself. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'cluster', 'orb'];
const POLL_MS = 500;

// Read when this module loads, so that an end of npm during the start of the program is noticed too.
const parent = process.ppid;

/** Variable in which a program of ours tells the process that it starts its own id. */
export const STARTER = 'ORB_STARTER_PID';

const isWatched = (): boolean =>
  SCRIPTS.includes(process.env['npm_lifecycle_event']) || process.env[STARTER] === String(parent);

/**
 * Calls `onGone` once when npm or `orb dev`, which started this program, has ended: a killed parent does not pass a
 * signal on. An orphaned program would keep ports and ledger. Other parents are not watched: with `nohup` and service
 * managers the parent ends on purpose.
 * @returns a function that ends the watch
 */
export function watchStarter(onGone: () => void): () => void {
  if (!isWatched()) return () => undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The parts of a process that handle its signals; tests pass their own. */
export interface SignalHost {
  readonly on: (name: NodeJS.Signals, listener: () => void) => unknown;
  readonly listenerCount: (name: NodeJS.Signals) => number;
  readonly exit: (code: number) => void;
}

interface StopOptions {
  readonly signals?: readonly NodeJS.Signals[];
  /** Called at the first signal. */
  readonly onFirst?: () => void;
  readonly host?: SignalHost;
  readonly clock?: Pick<Clock, 'monotonic'>;
}

const STOPPING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SAME_SIGNAL_MS = 1000;
const INTERRUPTED = 130;

/**
 * Aborted by Ctrl-C, SIGTERM and SIGHUP (the terminal was closed), unless other signals are named. Also aborted when
 * npm or `orb dev` ends, if it runs the program. A second signal ends the process at once.
 */
export function stopSignal(options: StopOptions = {}): AbortSignal {
  const { signals = STOPPING, onFirst, host = process, clock = systemClock } = options;
  const stopping = new AbortController();
  let since: number | undefined;
  const onSignal = (): void => {
    const now = clock.monotonic();
    // A terminal and a parent process both pass on one Ctrl-C: it counts as one signal.
    if (since !== undefined && now - since > SAME_SIGNAL_MS) host.exit(INTERRUPTED);
    if (since !== undefined) return;
    since = now;
    onFirst?.();
    stopping.abort();
  };
  for (const name of signals) host.on(name, onSignal);
  // npm may also end because the stop takes long: this is not a second signal.
  watchStarter(() => {
    if (since === undefined) onSignal();
  });
  return stopping.signal;
}

/**
 * Ends a process by Ctrl-C, SIGTERM and SIGHUP as long as they have no other handler. The kernel gives the first process of a
 * container no default action for a signal. Without this, a program that is still loading would run on until it is
 * killed.
 */
export function exitOnSignal(host: SignalHost = process): void {
  for (const name of STOPPING) {
    host.on(name, () => {
      if (host.listenerCount(name) === 1) host.exit(128 + constants.signals[name]);
    });
  }
}
