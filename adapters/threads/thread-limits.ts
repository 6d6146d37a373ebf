import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { isMainThread, type ResourceLimits } from 'node:worker_threads';

/** As much as the image gives to the main thread: 8 MB, three times. */
const YOUNG_MB = 24;
const FLAGS = ['max-old-space-size', 'max-heap-size', 'max-semi-space-size', 'min-semi-space-size'];

let areFlagsOurs = false;

/**
 * V8 reads the flags for the heap of a process, `--max-old-space-size` and the like, for each heap that it makes, and takes
 * them before the limits of a thread: a thread for 64 MB would grow to what the pod has. The heap of the main thread is
 * made by the time this runs, and keeps what its flags said.
 */
function takeFlagsBack(): void {
  if (areFlagsOurs || !isMainThread) return;
  areFlagsOurs = true;
  for (const flag of FLAGS) setFlagsFromString(`--${flag}=0`);
}

/**
 * What bounds the heap of a thread that starts now, also in a process with flags for its heap.
 * @param limits of the thread; without some it may grow as far as the whole heap of main, with a young generation of 24 MB
 */
export function threadLimits(limits: ResourceLimits = {}): ResourceLimits {
  takeFlagsBack();
  const whole = getHeapStatistics().heap_size_limit / 1_048_576;
  return { maxOldGenerationSizeMb: whole, maxYoungGenerationSizeMb: YOUNG_MB, ...limits };
}
