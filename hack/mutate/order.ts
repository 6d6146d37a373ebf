type Times = readonly (readonly [test: string, ms: number])[];

/** A test that noticed a mutant of the same file is taken for as quick as one that needs a tenth of its time. */
const WEIGHT_OF_FILE = 10;

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);

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
    for (const place of [file, folderOf(file)])
      this.#noticed.set(`${place} ${test}`, this.#timesNoticed(place, test) + 1);
  }

  #timesNoticed(place: string, test: string): number {
    return this.#noticed.get(`${place} ${test}`) ?? 0;
  }

  /** @returns how long the tests take together without a mutant; undefined: not all were run */
  costOf(tests: readonly string[]): number | undefined {
    const costs = tests.flatMap((test) => this.#ms.get(test) ?? []);
    return costs.length < tests.length ? undefined : costs.reduce((sum, ms) => sum + ms, 0);
  }

  /** The same tests: first those that notice most for their time. Tests without a known time come first. */
  of(file: string, tests: readonly string[]): readonly string[] {
    const rank = (test: string): number =>
      (this.#ms.get(test) ?? 0) /
      (1 + WEIGHT_OF_FILE * this.#timesNoticed(file, test) + this.#timesNoticed(folderOf(file), test));
    return tests.toSorted((one, other) => rank(one) - rank(other));
  }
}
