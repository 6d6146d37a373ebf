import { watch } from 'node:fs';

const SETTLE_MS = 100;
// Network and overlay file systems lose events: a slow poll finds the changes that they missed.
const CHECK_MS = 2000;

/**
 * Calls `onChange` soon after a change in a folder, and every 2 s in any case. Two calls never overlap.
 * @returns a function that stops it and waits for a running call
 */
export function watchFolders(folders: readonly string[], onChange: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let again: NodeJS.Timeout | undefined;
  let stopped = false;
  const schedule = (): void => {
    if (stopped || again !== undefined) return;
    again = setTimeout(() => {
      again = undefined;
      running = running.then(onChange);
    }, SETTLE_MS);
  };
  const watchers = folders.flatMap((folder) => {
    try {
      return [watch(folder, schedule).on('error', schedule)];
    } catch {
      return []; // the folder does not exist yet: the poll finds it
    }
  });
  const timer = setInterval(schedule, CHECK_MS).unref();
  return async () => {
    stopped = true;
    clearTimeout(again);
    clearInterval(timer);
    for (const watcher of watchers) watcher.close();
    await running;
  };
}
