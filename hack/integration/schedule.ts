import type { Part } from './parts.ts';

/** Runs one part to its end. */
type Run = (part: Part) => Promise<void>;

/** Waiting parts mostly wait, each in two or three processes. */
const WAITING_JOBS = 2;
const TIMED_JOBS = 4;

async function drain(parts: readonly Part[], jobs: number, run: Run): Promise<void> {
  const queue = [...parts];
  const lane = async (): Promise<void> => {
    for (let part = queue.shift(); part !== undefined; part = queue.shift()) await run(part);
  };
  await Promise.all(Array.from({ length: jobs }, lane));
}

/**
 * Runs parts in their order. Waiting parts run from the start beside all others, at most two at a time. Other parts run
 * `jobs` at a time. Parts that measure time run last, at most four at a time.
 * @param jobs ≥ 1; 1: one part at a time
 */
export async function schedule(parts: readonly Part[], jobs: number, run: Run): Promise<void> {
  const ofKind = (kind: Part['kind']): readonly Part[] => parts.filter((part) => part.kind === kind);
  if (jobs === 1) return drain([...ofKind('side-by-side'), ...ofKind('timed'), ...ofKind('waiting')], 1, run);
  const waiting = drain(ofKind('waiting'), WAITING_JOBS, run);
  await drain(ofKind('side-by-side'), jobs, run);
  await drain(ofKind('timed'), TIMED_JOBS, run);
  await waiting;
}
