const TICK_MS = 5;

/** Work that arrives at a steady rate. */
export interface Arrivals {
  /** Lets no more arrive. @returns how many arrived and over what time, when the work of each has ended */
  readonly end: () => Promise<{ readonly count: number; readonly seconds: number }>;
}

/** When work arrives, and how much of it is done at a time. */
export interface ArrivalRate {
  readonly perSecond: number;
  /** What arrives beyond it waits for its turn, as behind the connections of a client. */
  readonly atOnce: number;
}

/**
 * Lets work arrive at a steady rate, whether earlier work has ended or not: callers who know nothing of each other. What a
 * busy machine delays is made up for at the next turn, so the number is never less than the rate times the seconds.
 * @param work never rejects
 */
export function steadyArrivals({ perSecond, atOnce }: ArrivalRate, work: () => Promise<void>): Arrivals {
  const began = performance.now();
  const ended = Promise.withResolvers<void>();
  let [arrived, begun, done] = [0, 0, 0];
  let isOver = false;
  const seconds = (): number => (performance.now() - began) / 1000;
  const one = async (): Promise<void> => {
    await work();
    done += 1;
    take();
  };
  function take(): void {
    while (begun < arrived && begun - done < atOnce) {
      begun += 1;
      void one();
    }
    if (isOver && done === arrived) ended.resolve();
  }
  const arrive = (due: number): void => {
    arrived = Math.max(arrived, due);
    take();
  };
  const timer = setInterval(() => arrive(Math.floor(seconds() * perSecond)), TICK_MS);
  return {
    end: async () => {
      clearInterval(timer);
      const over = seconds();
      isOver = true;
      arrive(Math.ceil(over * perSecond));
      await ended.promise;
      return { count: arrived, seconds: over };
    },
  };
}
