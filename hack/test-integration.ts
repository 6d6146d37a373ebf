// `npm run test:integration [-- [--jobs N] [PATH…] [-- MOCHA FLAGS]]`: the integration tests, several mochas side by
// side, each with its own control plane. With `--all`, as in `npm test`, also the unit tests and the lint of the
// charts, but not the long parts; `--long`, as in `npm run test:long`, takes only these. The output of a part is shown as
// a whole when it ends; failures are shown again at the end.
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chosen, isLong, OTHER_CHECKS, partsOf, type Part } from './integration/parts.ts';
import { runPart, type PartResult } from './integration/run-part.ts';
import { schedule } from './integration/schedule.ts';

const HELP = `npm run test:integration [-- [--jobs N] [PATH...] [-- MOCHA FLAGS]]

  PATH      tests with this in their path (test/integration/rbac, kill.test); default: all
  --jobs N  parts that run side by side (2), beside others that mostly wait; 1: one after the other
  --all     what npm test runs: coverage of the unit tests, simulation, charts, and all but the long parts
  --long    the long parts: chaos, conformance, and the walk through a failover
`;
// Tests mostly wait, but a platform whose event loop gets no turn refuses requests as overloaded: so 2 on two cores.
const JOBS = '2';

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

function fail(message: string): never {
  say(`${message}\n\n${HELP}`);
  process.exit(2);
}

/** The end of mocha's output, from the count of passed tests: it describes the failures. */
const endOf = (output: string): string => output.slice(Math.max(output.search(/^ {2}\d+ passing/m), 0));

function selected(tests: readonly Part[], { all, long }: { readonly all: boolean; readonly long: boolean }) {
  if (all && long) throw new Error('--all and --long name different parts; take one');
  if (long) return tests.filter(isLong);
  return all ? [...OTHER_CHECKS.first, ...tests.filter((part) => !isLong(part)), ...OTHER_CHECKS.last] : tests;
}

function settings(): { readonly jobs: number; readonly parts: readonly Part[]; readonly extra: readonly string[] } {
  const at = process.argv.indexOf('--', 2);
  const args = process.argv.slice(2, at === -1 ? undefined : at);
  const options = {
    jobs: { type: 'string', default: JOBS },
    all: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  } as const;
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (values.help) {
      process.stdout.write(HELP);
      process.exit(0);
    }
    if (!/^[1-9][0-9]?$/.test(values.jobs)) throw new Error(`--jobs takes a number from 1 to 99, not "${values.jobs}"`);
    const cwd = resolve(import.meta.dirname, '..');
    const tests = partsOf(chosen(globSync('test/integration/**/*.test.ts', { cwd }), positionals));
    return {
      jobs: Number(values.jobs),
      parts: selected(tests, values),
      extra: at === -1 ? [] : process.argv.slice(at + 1),
    };
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function report(ran: readonly PartResult[], wanted: number, ms: number): number {
  const failed = ran.filter((one) => one.code !== 0);
  for (const { part, output } of failed) process.stdout.write(`\n${part.name} failed:\n${endOf(output)}`);
  const took = ran
    .toSorted((a, b) => b.ms - a.ms)
    .map(({ part, ms: one }) => `${part.name} ${seconds(one)}`)
    .join(', ');
  say(`\n${ran.length} of ${wanted} parts in ${seconds(ms)}: ${took}`);
  if (failed.length === 0) return ran.length === wanted ? 0 : 1;
  say(`${failed.length} failed; run them again:`);
  for (const { part } of failed) say(`  npm run ${part.script ?? `test:integration -- ${part.files.join(' ')}`}`);
  return 1;
}

const { jobs, parts, extra } = settings();
const stop = new AbortController();
for (const [name, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(name, () => {
    if (!stop.signal.aborted) say(`\n${name}: stopping the parts that run, and the servers that they have started`);
    process.exitCode = code;
    stop.abort();
  });
}
const begun = performance.now();
const ran: PartResult[] = [];
await schedule(parts, jobs, async (part) => {
  if (stop.signal.aborted) return;
  say(part.script === undefined ? `… ${part.name} (${part.files.length} files)` : `… ${part.name}`);
  const one = await runPart(part, extra, stop.signal);
  if (stop.signal.aborted) return;
  ran.push(one);
  process.stdout.write(`\n== ${part.name}\n${one.output}`);
  say(`${one.code === 0 ? '✔' : '✘'} ${part.name}, ${seconds(one.ms)} (${ran.length} of ${parts.length})`);
});
const code = report(ran, parts.length, performance.now() - begun);
process.exitCode ??= code;
