// `node hack/mutate/worker.ts`: runs unit tests with a mutant as often as its parent says, in one process. Files that
// reach the mutant are loaded again for each run; all others, for example packages, stay loaded.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import Mocha, { reporters } from 'mocha';

interface Run {
  readonly url: string;
  readonly source: string;
  readonly reaching: readonly string[];
  readonly tests: readonly string[];
  /** Time limit of each test. */
  readonly testMs: number;
}

interface Failure {
  readonly text: string;
  readonly isLate: boolean;
}

let number = 0;
let current: Run = { url: '', source: '', reaching: [], tests: [], testMs: 0 };
let fresh: ReadonlySet<string> = new Set();

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    return fresh.has(resolved.url) ? { ...resolved, url: `${resolved.url}?run=${number}` } : resolved;
  },
  load: (url, context, next) =>
    url === `${current.url}?run=${number}`
      ? { format: 'module-typescript', source: current.source, shortCircuit: true }
      : next(url, context),
});

/** @returns what failed in one test file, `undefined`: nothing */
async function failureIn(test: string): Promise<Failure | undefined> {
  const mocha = new Mocha({ bail: true, timeout: current.testMs, ui: 'bdd', reporter: reporters.Base });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import(pathToFileURL(test).href);
  return new Promise((resolve) => {
    let first: Failure | undefined;
    const runner = mocha.run((failed) => {
      resolve(failed === 0 ? undefined : (first ?? { text: 'a test', isLate: false }));
    });
    runner.on('fail', (failing, error: unknown) => {
      const isLate = error instanceof Error && 'code' in error && error.code === 'ERR_MOCHA_TIMEOUT';
      first ??= { text: `${failing.fullTitle()}: ${String(error)}`, isLate };
    });
  });
}

/** Timers, sockets and the like that exist: what a test has left could disturb the next run. */
const held = (): number => process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;

async function carryOut(run: Run): Promise<void> {
  number += 1;
  current = run;
  fresh = new Set(run.reaching.map((file) => pathToFileURL(file).href));
  const before = held();
  const times: (readonly [test: string, ms: number])[] = [];
  let failed: Failure | undefined;
  for (const test of run.tests) {
    const began = performance.now();
    try {
      failed = await failureIn(test);
    } catch (error) {
      failed = { text: `not loaded: ${String(error)}`, isLate: false };
    }
    times.push([test, performance.now() - began]);
    if (failed !== undefined) break;
  }
  process.send?.({ failed: failed?.text, late: failed?.isLate === true, clean: held() <= before, times });
}

// mocha drops unhandled rejections; a test with an unhandled rejection must fail.
process.on('unhandledRejection', (reason) => {
  throw reason;
});
process.on('message', (run: Run) => void carryOut(run));
