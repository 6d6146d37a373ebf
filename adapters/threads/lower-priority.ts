import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * A third of the share that a thread of value 0 gets of a busy core, and all of an idle one. With 10 it would be a tenth:
 * on a machine with many busy processes the work would not end.
 */
const NICE = 5;

/** The system's number of the calling thread: `/proc/thread-self` leads to `PID/task/NUMBER`. Undefined: no Linux. */
function threadNumber(): number | undefined {
  try {
    const found = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    return Number.isSafeInteger(found) && found > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}

/**
 * From now on, the calling thread gives way to others that want its core. It stays as it is where the system has no
 * priority for a thread, or refuses it.
 */
export function lowerPriority(): void {
  const thread = threadNumber();
  if (thread === undefined) return;
  try {
    setPriority(thread, NICE);
  } catch {
    // A sandbox may refuse it. The work is the same, only not as polite.
  }
}
