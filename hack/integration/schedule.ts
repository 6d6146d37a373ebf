import type { Part } from './parts.ts';

/** Runs one part to its end. */
type Run = (part: Part) => Promise<void>;

const TIMED_JOBS = 2;

async function drain(parts: readonly Part[], jobs: number, run: Run): Promise<void> {
  const queue = [...parts];
  const lane = async (): Promise<void> => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) await run(part);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

/**
 * Runs parts in their order: idle ones from the start beside all others, then `jobs` side by side, then those that measure
 * time, two at most.
 * @param jobs ≥ 1
 */
export async function schedule(parts: readonly Part[], jobs: number, run: Run): Promise<void> {
  const ofKind = (kind: Part['kind']): readonly Part[] => parts.filter((part) => part.kind === kind);
  const idle = Promise.all(ofKind('idle').map(run));
  await drain(ofKind('side-by-side'), jobs, run);
  await drain(ofKind('timed'), Math.min(jobs, TIMED_JOBS), run);
  await idle;
}
