/** A run of `npm run fuzz` in full size, without a crash, a case above a second of CPU, or a violation. */
interface FuzzRun {
  readonly name: string;
  readonly cases: number;
  /** Of the first case; those after it count up. */
  readonly seed: number;
  /** By the clock, beside other work. */
  readonly seconds: number;
  /** CPU time of the case that took most, ms. Properties of ingestion only say that none took longer than its bound. */
  readonly slowestMs: number | 'under 50';
}

/** The last run of each in full size. Targets that are missing here were not run in full size. */
export const FUZZ_RUNS: readonly FuzzRun[] = [
  { name: 'urls', cases: 1_000_000, seed: 20_261_128, seconds: 21, slowestMs: 10 },
  { name: 'pointers', cases: 1_000_000, seed: 20_261_128, seconds: 29, slowestMs: 6 },
  { name: 'headers', cases: 1_000_000, seed: 20_261_128, seconds: 158, slowestMs: 8 },
  { name: 'certificates', cases: 1_000_000, seed: 700_500, seconds: 342, slowestMs: 9 },
  { name: 'bundles', cases: 100_000, seed: 20_261_128, seconds: 225, slowestMs: 12 },
  { name: 'manifests', cases: 100_000, seed: 20_261_128, seconds: 103, slowestMs: 19 },
  { name: 'templates', cases: 1_000_000, seed: 20_261_128, seconds: 312, slowestMs: 10 },
  { name: 'bodies', cases: 1_000_000, seed: 20_261_128, seconds: 357, slowestMs: 27 },
  { name: 'jws', cases: 100_000, seed: 700_100, seconds: 381, slowestMs: 9 },
  { name: 'policies', cases: 100_000, seed: 700_200, seconds: 337, slowestMs: 15 },
  { name: 'files', cases: 100_000, seed: 700_300, seconds: 594, slowestMs: 13 },
  { name: 'mapping', cases: 100_000, seed: 700_400, seconds: 205, slowestMs: 'under 50' },
];
