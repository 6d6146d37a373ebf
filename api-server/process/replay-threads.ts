import { availableParallelism } from 'node:os';

/**
 * How many threads replay policies at a time: at most half of the cores, so that runs have the others, and at least one.
 * @param most what a person wants, ≥ 1; undefined: as many as allowed
 * @param cores of this machine, or of the limit of its container
 */
export const replayThreads = (most: number | undefined, cores: number = availableParallelism()): number =>
  Math.max(1, Math.min(most ?? cores, Math.floor(cores / 2)));
