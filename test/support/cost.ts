function least(rounds: number, measure: () => number): number {
  let found = Infinity;
  for (let round = 0; round < rounds; round += 1) found = Math.min(found, measure());
  return found;
}

/**
 * CPU time of `work`, the least of some rounds: a pause of the machine, or a garbage collector's thread, does not add
 * to all rounds.
 * @returns ms
 */
export const leastCpuMs = (work: () => void, rounds = 3): number =>
  least(rounds, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });

/**
 * How much longer work of eight times the size takes: about 8 times as long in proportion, about 64 times as long with
 * the square. Takes the least of some rounds each, which is short work without interruption.
 * @param prepare makes the work of a size; only the work itself is measured
 */
export function growth(size: number, prepare: (size: number) => () => void): number {
  const [small, large] = [prepare(size), prepare(8 * size)].map((work) =>
    least(9, () => {
      const began = performance.now();
      work();
      return performance.now() - began;
    }),
  );
  return (large ?? Infinity) / (small ?? 0);
}

/** Limit for `growth`: well above proportional growth, well below the square. */
export const IN_PROPORTION = 24;
