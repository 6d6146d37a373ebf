// `npm run mutate -- PLACE… [--seed N] [--count M] [--minutes L] [--file NAME] [--json FILE] [--again FILE]`: changes a
// small thing in a source file, and runs the unit tests that reach it. A mutant that no test notices survives. The files
// on disk are never changed. `--again` tries only what survived according to a result of `--json`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { seeded } from '../test/support/seeded.ts';
import { AREAS, filesIn, testsOf } from './mutate/areas.ts';
import { readEqual, reasonOf, refuseOutdated, type Described } from './mutate/equal.ts';
import { mutantsOf, mutated, type Mutant } from './mutate/mutants.ts';
import { reaching, startsOthers } from './mutate/reach.ts';
import { Runner, type Outcome } from './mutate/runner.ts';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
    file: { type: 'string', default: '' },
    minutes: { type: 'string', default: '600' },
    json: { type: 'string' },
    again: { type: 'string' },
  },
});
const [seed, count, minutes] = [Number(values.seed), Number(values.count), Number(values.minutes)] as const;
if (positionals.length === 0 || ![seed, count, minutes].every(Number.isSafeInteger) || count < 1)
  throw new Error(`npm run mutate -- PLACE… [--seed N] [--count M] [--minutes L] [--file PART_OF_NAME] [--json FILE]
PLACE is a folder, a file or one of: ${Object.keys(AREAS).join(', ')}`);

interface Placed extends Mutant, Described {
  readonly row: number;
}
type Fate = 'killed' | 'timed out' | 'survived' | 'equal';
const HOOK = pathToFileURL(resolve('hack/mutate/hook.ts')).href;
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', './test/support/strict.ts', '--bail'];
const LIMIT_MS = 40_000;
const CONTROL_EVERY = 25;
const reach = reaching();
const runner = new Runner();
const others = new Set(startsOthers().flatMap((file) => [...reach(file)]));
/** Files whose tests disturb each other in one process: their mutants run alone. */
const alone = new Set<string>();

const textOf = (file: string): string => readFileSync(file, 'utf8');

/** The same in a process of its own, where threads that a test starts have the mutant as well. */
async function passesAlone(file: string, source: string, tests: readonly string[]): Promise<Outcome> {
  const change = { ORB_MUTANT_URL: pathToFileURL(resolve(file)).href, ORB_MUTANT_SOURCE: source };
  const args = ['--import', HOOK, ...MOCHA, '--timeout', '20000', '--reporter', 'dot', ...tests];
  const env = { ...process.env, ...change, ORB_PROPERTY_RUNS: '100' };
  const child = spawn(process.execPath, args, { stdio: 'ignore', env, timeout: 3 * LIMIT_MS, killSignal: 'SIGKILL' });
  await once(child, 'close');
  return child.signalCode === 'SIGKILL' ? 'timed out' : child.exitCode === 0 ? 'passed' : 'failed';
}

async function tried(file: string, source: string): Promise<Outcome> {
  const files = reach(file);
  for (const tests of testsOf(file, files)) {
    const outcome = alone.has(file)
      ? await passesAlone(file, source, tests)
      : await runner.run({ file, source, reaching: files }, tests, LIMIT_MS);
    if (outcome !== 'passed') return outcome;
  }
  return 'passed';
}

const brief = (code: string): string => code.replaceAll(/\s+/g, ' ').slice(0, 120);

function placed(file: string): readonly Placed[] {
  const source = textOf(file);
  const lines = source.split('\n');
  return mutantsOf(file, source).map((mutant) => {
    const row = source.slice(0, mutant.start).split('\n').length;
    const change = `${brief(source.slice(mutant.start, mutant.end))}  →  ${brief(mutant.text)}`;
    return { ...mutant, file, row, line: lines[row - 1]?.trim() ?? '', change };
  });
}

function drawn(all: readonly Placed[]): readonly Placed[] {
  const random = seeded(seed);
  const ranked = all.map((mutant) => ({ mutant, rank: random() })).toSorted((one, other) => one.rank - other.rank);
  return ranked
    .map(({ mutant }) => mutant)
    .filter(({ file }) => file.includes(values.file))
    .slice(0, count);
}

async function fateOf({ file, ...change }: Placed): Promise<Fate> {
  const source = mutated(textOf(file), change);
  let outcome = await tried(file, source);
  const tests = testsOf(file, reach(file)).flat();
  if (outcome === 'passed' && !alone.has(file) && tests.some((test) => others.has(test)))
    outcome = await passesAlone(file, source, tests);
  return outcome === 'passed' ? 'survived' : outcome === 'failed' ? 'killed' : 'timed out';
}

/** A test that fails without a mutant would count each mutant as noticed. */
async function refuseRed(file: string): Promise<void> {
  if ((await tried(file, textOf(file))) === 'passed') return;
  alone.add(file);
  console.log(`alone     ${file}: ${runner.failure}`);
  const outcome = await tried(file, textOf(file));
  if (outcome !== 'passed') throw new Error(`the tests of ${file} fail without any mutant: ${outcome}`);
}

/** What survived according to a result of `--json`: only that is tried, the other changes count as noticed. */
function survivorsOf(name: string): ReadonlySet<string> {
  const read: unknown = JSON.parse(readFileSync(name, 'utf8'));
  const rows: readonly unknown[] = Array.isArray(read) ? read : [];
  const lists = rows.map((row) => (typeof row === 'object' && row !== null && 'survivors' in row ? row.survivors : []));
  return new Set(lists.flat().map(String));
}

const named = ({ file, row, change }: Placed): string => `${file}:${row}  ${change}`;
const again = values.again === undefined ? undefined : survivorsOf(values.again);
const isDone = (mutant: Placed): boolean => again !== undefined && !again.has(named(mutant));
const equal = readEqual();
const results = [];
for (const place of positionals.map((name) => name.replace(/\/$/, ''))) {
  const all = (AREAS[place] ?? [place])
    .flatMap(filesIn)
    .filter((file) => !file.endsWith('/port.ts'))
    .flatMap(placed);
  refuseOutdated(equal, all);
  const sample = drawn(all);
  const began = performance.now();
  const checked = new Set<string>();
  const fates: Fate[] = [];
  const survivors: string[] = [];
  for (const mutant of sample) {
    if (performance.now() - began > minutes * 60_000) break;
    const isEqual = reasonOf(equal, mutant) !== undefined;
    if (isEqual || isDone(mutant)) {
      fates.push(isEqual ? 'equal' : 'killed');
      continue;
    }
    if (!checked.has(mutant.file)) await refuseRed(mutant.file);
    checked.add(mutant.file);
    const fate = await fateOf(mutant);
    if (fates.push(fate) % CONTROL_EVERY === 0) await refuseRed(mutant.file);
    if (fate !== 'survived') continue;
    survivors.push(named(mutant));
    console.log(`survived  ${survivors.at(-1)}`);
  }
  const of = (wanted: Fate): number => fates.filter((fate) => fate === wanted).length;
  const [killed, timedOut, same, survived] = [of('killed'), of('timed out'), of('equal'), of('survived')];
  const share = (100 * (killed + timedOut)) / Math.max(1, fates.length - same);
  results.push({ place, seed, mutants: fates.length, killed, timedOut, equal: same, survived, survivors });
  console.log(
    `${place}: ${fates.length} of ${all.length} mutants, ${killed} killed, ${timedOut} timed out, ${same} equal, ${survived} survived: ${share.toFixed(1)} %`,
  );
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
}
runner.end();
