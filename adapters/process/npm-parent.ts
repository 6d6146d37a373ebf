/** npm scripts that replace their shell by the program (`exec`): the parent of the program is npm itself. */
const SCRIPTS: readonly (string | undefined)[] = ['start', 'cluster'];
const POLL_MS = 500;

// Read when this module loads, so that an end of npm during the start of the program is noticed too.
const parent = process.ppid;

/**
 * Calls `onGone` once when npm, which started this program, has ended: a killed npm does not pass a signal on. An
 * orphaned program would keep ports and ledger. Other parents are not watched: with `nohup` and service managers the
 * parent ends on purpose.
 */
export function watchNpm(onGone: () => void): void {
  if (!SCRIPTS.includes(process.env['npm_lifecycle_event'])) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, POLL_MS);
  timer.unref();
}
