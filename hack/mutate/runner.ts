import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cpuTimeMs } from './cpu-time.ts';

/** A file with a text that takes the place of its own, and the files that import it. */
interface Changed {
  readonly file: string;
  readonly source: string;
  readonly reaching: ReadonlySet<string>;
}
export type Outcome = 'passed' | 'failed' | 'timed out';
interface Answer {
  readonly failed?: string;
  /** The test that failed reached its own limit. */
  readonly late: boolean;
  readonly clean: boolean;
  /** How long each test file took that was run, the failing one last. */
  readonly times: readonly (readonly [test: string, ms: number])[];
}

const WORKER = resolve('hack/mutate/worker.ts');
/** Of one test, in the unit tests 2 s: here they run on a busy machine. */
export const LIMIT_OF_A_TEST_MS = 20_000;
/** Of a run that waits and uses no processor. */
const LONGEST_RUN_MS = 600_000;
const LOOK_MS = 1000;
const RUNS_OF_ONE_PROCESS = 60;
const env = { ...process.env, ORB_PROPERTY_RUNS: '100' };

/** Time that a process uses: of the processor, or without that figure of the clock. */
function stopwatch(pid: number | undefined): () => number {
  const began = performance.now();
  const before = pid === undefined ? undefined : cpuTimeMs(pid);
  return () => {
    const now = pid === undefined ? undefined : cpuTimeMs(pid);
    return before === undefined || now === undefined ? performance.now() - began : now - before;
  };
}

/** Runs tests in one process that stays, and starts another after a crash, a time limit or something left running. */
export class Runner {
  #child: ChildProcess | undefined;
  #runs = 0;
  /** Which test failed in the last run, and how. */
  failure = '';
  /** How long each test file took in the last run, the failing one last; empty: the process ended. */
  times: Answer['times'] = [];
  /** Time that the last run took, of the processor where the system says it. */
  usedMs = 0;

  /** @param limitMs of `usedMs` */
  async run({ file, source, reaching }: Changed, tests: readonly string[], limitMs: number): Promise<Outcome> {
    const child = (this.#child ??= fork(WORKER, { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] }));
    this.#runs += 1;
    this.times = [];
    const ended = new AbortController();
    const { signal } = ended;
    const used = stopwatch(child.pid);
    const began = performance.now();
    let late = false;
    const timer = setInterval(() => {
      late = used() > limitMs || performance.now() - began > LONGEST_RUN_MS;
      if (late) child.kill('SIGKILL');
    }, LOOK_MS);
    const answer = once(child, 'message', { signal }).then(
      ([value]: readonly Answer[]) => value,
      () => undefined,
    );
    const exit = once(child, 'exit', { signal }).then(
      () => undefined,
      () => undefined,
    );
    child.send({
      url: pathToFileURL(resolve(file)).href,
      source,
      reaching: [...reaching],
      tests,
      testMs: LIMIT_OF_A_TEST_MS,
    });
    const got = await Promise.race([answer, exit]);
    clearInterval(timer);
    this.usedMs = used();
    ended.abort();
    if (got?.clean !== true || this.#runs >= RUNS_OF_ONE_PROCESS) this.end();
    return late ? 'timed out' : this.#outcome(got);
  }

  #outcome(got: Answer | undefined): Outcome {
    this.failure = got?.failed ?? 'the process ended';
    this.times = got?.times ?? [];
    if (got === undefined) return 'failed';
    if (got.late) return 'timed out';
    return got.failed === undefined ? 'passed' : 'failed';
  }

  end(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
    this.#runs = 0;
  }
}
