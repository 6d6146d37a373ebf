type Times = readonly (readonly [test: string, ms: number])[];

/** Which test files are run first with a mutant: the quick ones, and those that noticed other mutants of its file. */
export class Order {
  readonly #ms = new Map<string, number>();
  readonly #noticed = new Map<string, number>();

  /** @param times of a run without a mutant, in which all tests passed */
  learn(times: Times): void {
    for (const [test, ms] of times) this.#ms.set(test, ms);
  }

  /** A test file failed with a mutant of `file`. */
  noticed(file: string, test: string): void {
    this.#noticed.set(`${file} ${test}`, (this.#noticed.get(`${file} ${test}`) ?? 0) + 1);
  }

  /** @returns how long the tests take together without a mutant; undefined: not all were run */
  costOf(tests: readonly string[]): number | undefined {
    const costs = tests.flatMap((test) => this.#ms.get(test) ?? []);
    return costs.length < tests.length ? undefined : costs.reduce((sum, ms) => sum + ms, 0);
  }

  /** The same tests: first those that notice most for their time. Tests without a known time come first. */
  of(file: string, tests: readonly string[]): readonly string[] {
    const rank = (test: string): number =>
      (this.#ms.get(test) ?? 0) / (1 + (this.#noticed.get(`${file} ${test}`) ?? 0));
    return tests.toSorted((one, other) => rank(one) - rank(other));
  }
}
