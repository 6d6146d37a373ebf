import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testsOf } from './areas.ts';
import { mutated } from './mutants.ts';
import { Order } from './order.ts';
import type { Placed } from './placed.ts';
import { reaching, startsOthers } from './reach.ts';
import type { Fate } from './result.ts';
import { LIMIT_OF_A_TEST_MS, Runner, type Outcome } from './runner.ts';

const HOOK = pathToFileURL(resolve('hack/mutate/hook.ts')).href;
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', './test/support/strict.ts', '--bail'];
/** The tests with a mutant may use this much more of the processor than without it. */
const [LONGER_MS, TIMES_LONGER] = [5000, 4];
const FIRST_LIMIT_MS = 120_000;

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** Runs the unit tests that reach a file with another text in its place. */
export class Trials {
  readonly #isNear: boolean;
  readonly #reach = reaching();
  readonly #runner = new Runner();
  readonly #others = new Set(startsOthers().flatMap((file) => [...this.#reach(file)]));
  /** Files whose tests disturb each other in one process: their mutants run alone. */
  readonly #alone = new Set<string>();
  /** Tests of a file, by their first, that fail without a mutant. */
  readonly #leftOut = new Set<string>();
  /** How much of the processor the tests of a file may use, by their first test. */
  readonly #limits = new Map<string, number>();
  readonly #order = new Order();
  /** Files, each with a test that fails by a mutant of it alone. */
  readonly #sound = new Set<string>();

  /** @param isNear only the tests of a file and of its folder are run */
  constructor(isNear: boolean) {
    this.#isNear = isNear;
  }

  #testsOf(file: string): readonly (readonly string[])[] {
    const lists = testsOf(file, this.#reach(file));
    const folder = `test/unit/${file.slice(0, file.lastIndexOf('/'))}/`;
    return this.#isNear ? lists.filter((tests) => tests.every((test) => test.startsWith(folder))) : lists;
  }

  /** The same in a process of its own, where threads that a test starts have the mutant as well. */
  async #runAlone(file: string, source: string, tests: readonly string[]): Promise<Outcome> {
    const change = { ORB_MUTANT_URL: pathToFileURL(resolve(file)).href, ORB_MUTANT_SOURCE: source };
    const args = ['--import', HOOK, ...MOCHA, '--timeout', String(LIMIT_OF_A_TEST_MS), '--reporter', 'dot', ...tests];
    const env = { ...process.env, ...change, ORB_PROPERTY_RUNS: '100' };
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'], env });
    const timer = setTimeout(() => child.kill('SIGKILL'), FIRST_LIMIT_MS);
    let printed = '';
    child.stdout.on('data', (data: Buffer) => {
      printed += data.toString();
    });
    await once(child, 'close');
    clearTimeout(timer);
    if (child.exitCode === 0) return 'passed';
    return child.signalCode === 'SIGKILL' || /Timeout of \d+ms exceeded/.test(printed) ? 'timed out' : 'failed';
  }

  async #run(file: string, source: string, tests: readonly string[]): Promise<Outcome> {
    if (this.#alone.has(file)) return this.#runAlone(file, source, tests);
    const limit = this.#limits.get(`${file} ${tests[0]}`) ?? FIRST_LIMIT_MS;
    const ordered = this.#order.of(file, tests);
    return this.#runner.run({ file, source, reaching: this.#reach(file) }, ordered, limit);
  }

  #limit(file: string, tests: readonly string[], costMs: number): void {
    this.#limits.set(`${file} ${tests[0]}`, LONGER_MS + TIMES_LONGER * costMs);
  }

  /** Runs tests without a mutant in processes of their own from now on. Those that fail there as well are left out. */
  async #part(file: string, tests: readonly string[]): Promise<void> {
    if (!this.#alone.has(file)) console.log(`alone     ${file}: ${this.#runner.failure}`);
    this.#alone.add(file);
    const outcome = await this.#run(file, textOf(file), tests);
    if (outcome === 'passed') return;
    console.log(
      `left out  ${file}: ${tests.length} test files ${outcome} without any change, the first is ${tests[0]}`,
    );
    this.#leftOut.add(`${file} ${tests[0]}`);
  }

  /** Runs tests without a mutant: tests that fail would count each mutant as noticed. */
  async #tryPlain(file: string, tests: readonly string[]): Promise<void> {
    const outcome = this.#alone.has(file) ? 'failed' : await this.#run(file, textOf(file), tests);
    this.#limit(file, tests, this.#runner.usedMs);
    if (outcome === 'passed') this.#order.learn(this.#runner.times);
    else await this.#part(file, tests);
  }

  /**
   * Whether the test that failed last fails with the mutant alone as well, and passes without it. This is tried once for
   * a file and a test.
   */
  async #isSound(file: string, source: string, tests: readonly string[]): Promise<boolean> {
    if (this.#alone.has(file)) return true;
    const last = this.#runner.times.at(-1)?.[0];
    if (last !== undefined) this.#order.noticed(file, last);
    if (this.#sound.has(`${file} ${last}`)) return true;
    const failing = last === undefined ? tests : [last];
    const reach = this.#reach(file);
    const run = (text: string): Promise<Outcome> =>
      this.#runner.run({ file, source: text, reaching: reach }, failing, FIRST_LIMIT_MS);
    if ((await run(textOf(file))) !== 'passed' || (last !== undefined && (await run(source)) === 'passed'))
      return false;
    this.#sound.add(`${file} ${last}`);
    return true;
  }

  async #outcomeOf(file: string, source: string, tests: readonly string[]): Promise<Outcome> {
    const cost = this.#order.costOf(tests);
    if (cost !== undefined) this.#limit(file, tests, cost);
    if (!this.#limits.has(`${file} ${tests[0]}`)) await this.#tryPlain(file, tests);
    if (this.#leftOut.has(`${file} ${tests[0]}`)) return 'passed';
    const outcome = await this.#run(file, source, tests);
    if (outcome !== 'passed') {
      if (await this.#isSound(file, source, tests)) return outcome;
      await this.#part(file, tests);
      return this.#outcomeOf(file, source, tests);
    }
    const isWhole = this.#alone.has(file) || !tests.some((test) => this.#others.has(test));
    if (isWhole) return 'passed';
    const alone = await this.#runAlone(file, source, tests);
    // The same tests have just passed: a busy machine can fail one that looks at the time.
    return alone === 'passed' ? alone : this.#runAlone(file, source, tests);
  }

  async #outcome(file: string, source: string): Promise<Outcome> {
    for (const tests of this.#testsOf(file)) {
      const outcome = await this.#outcomeOf(file, source, tests);
      if (outcome !== 'passed') return outcome;
    }
    return 'passed';
  }

  /** Whether the tests of a file that were run so far still pass without a mutant. */
  async control(file: string): Promise<void> {
    for (const tests of this.#testsOf(file))
      if (this.#limits.has(`${file} ${tests[0]}`)) await this.#tryPlain(file, tests);
  }

  /** What becomes of a mutant. A time-out counts when it comes twice: a busy machine can cause one. */
  async fateOf({ file, ...change }: Placed): Promise<Fate> {
    const source = mutated(textOf(file), change);
    let outcome = await this.#outcome(file, source);
    if (outcome === 'timed out') outcome = await this.#outcome(file, source);
    return outcome === 'passed' ? 'survived' : outcome === 'failed' ? 'killed' : 'timed out';
  }

  end(): void {
    this.#runner.end();
  }
}
