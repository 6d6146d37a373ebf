import { systemClock } from '../../adapters/time/clock.ts';

const SAME_SIGNAL_MS = 1000;

/** Ctrl-C and SIGTERM stop gracefully and end the process; the second one ends it at once. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let since: number | undefined;
  const onSignal = (): void => {
    const now = systemClock.monotonic();
    // A terminal and a parent process both pass one Ctrl-C on: that is one signal.
    if (since !== undefined && now - since > SAME_SIGNAL_MS) process.exit(130);
    if (since !== undefined) return;
    since = now;
    process.stderr.write('Stopping: runs in flight end first (again: at once) …\n');
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`the stop failed: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
