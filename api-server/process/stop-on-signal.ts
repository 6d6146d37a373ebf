import { stopSignal } from '../../adapters/process/stop-signal.ts';

async function stopAndExit(stop: () => Promise<void>): Promise<never> {
  try {
    await stop();
  } catch (error) {
    process.stderr.write(`the stop failed: ${String(error)}\n`);
    process.exit(1);
  }
  process.exit(0);
}

/** Ctrl-C and SIGTERM stop gracefully and end the process; the second one ends it at once. */
export function stopOnSignal(stop: () => Promise<void>): void {
  stopSignal({
    onFirst: () => {
      process.stderr.write('Stopping: runs in flight end first (again: at once) …\n');
      void stopAndExit(stop);
    },
  });
}
