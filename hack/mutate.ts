// `npm run mutate -- FOLDER… [--seed N] [--count M] [--file NAME] [--json FILE]`: changes a small thing in a source file,
// and runs the unit tests of its folder. A mutant that no test notices survives. The files on disk are never changed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { seeded } from '../test/support/seeded.ts';
import { mutantsOf, mutated, type Mutant } from './mutate/mutants.ts';
import { testsOf } from './mutate/tests-of.ts';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '200' },
    file: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)] as const;
if (positionals.length === 0 || ![seed, count].every(Number.isSafeInteger) || count < 1)
  throw new Error('npm run mutate -- FOLDER… [--seed N] [--count M] [--file PART_OF_NAME] [--json FILE]');

interface Placed extends Mutant {
  readonly file: string;
}
type Fate = 'killed' | 'timed out' | 'survived';
const HOOK = pathToFileURL(resolve('hack/mutate/hook.ts')).href;
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', './test/support/strict.ts', '--bail'];
const SLOWEST = 5;
const LEAST_MS = 30_000;

/** Runs test files, with a mutant when one is given. @returns undefined: they did not end in time */
async function passes(tests: readonly string[], limitMs: number, mutant?: Placed): Promise<boolean | undefined> {
  const { file } = mutant ?? { file: '' };
  const source = mutant === undefined ? '' : mutated(readFileSync(file, 'utf8'), mutant);
  const change = mutant && { ORB_MUTANT_URL: pathToFileURL(resolve(file)).href, ORB_MUTANT_SOURCE: source };
  const args = ['--import', HOOK, ...MOCHA, '--timeout', '20000', '--reporter', 'dot', ...tests];
  const env = { ...process.env, ...change, ORB_PROPERTY_RUNS: '100' };
  const child = spawn(process.execPath, args, { stdio: 'ignore', env, timeout: limitMs, killSignal: 'SIGKILL' });
  await once(child, 'close');
  return child.signalCode === 'SIGKILL' ? undefined : child.exitCode === 0;
}

async function timed(tests: readonly string[]): Promise<number> {
  const began = performance.now();
  if (tests.length > 0 && (await passes(tests, 600_000)) !== true)
    throw new Error(`the tests fail without any mutant: ${tests.join(' ')}`);
  return Math.max(LEAST_MS, Math.ceil(SLOWEST * (performance.now() - began)));
}

function sampleOf(folder: string): readonly Placed[] {
  const files = globSync(`${folder}/**/*.ts`).filter(
    (file) => file.includes(values.file) && !file.endsWith('/port.ts'),
  );
  const all = files
    .toSorted()
    .flatMap((file) => mutantsOf(file, readFileSync(file, 'utf8')).map((mutant) => ({ ...mutant, file })));
  const random = seeded(seed);
  const drawn = all.map((mutant) => ({ mutant, rank: random() })).toSorted((one, other) => one.rank - other.rank);
  return drawn.slice(0, count).map(({ mutant }) => mutant);
}

const brief = (code: string): string => code.replaceAll(/\s+/g, ' ').slice(0, 120);

function shown({ file, start, end, text }: Placed): string {
  const source = readFileSync(file, 'utf8');
  const line = source.slice(0, start).split('\n').length;
  return `${relative(root, resolve(file))}:${line}  ${brief(source.slice(start, end))}  →  ${brief(text)}`;
}

const results = [];
for (const folder of positionals.map((name) => name.replace(/\/$/, ''))) {
  const { own, further } = testsOf(folder);
  const limits = [await timed(own), await timed(further)] as const;
  const fates: (readonly [Placed, Fate])[] = [];
  for (const mutant of sampleOf(folder)) {
    let passed = await passes(own, limits[0], mutant);
    if (passed === true && further.length > 0) passed = await passes(further, limits[1], mutant);
    const fate = passed === undefined ? 'timed out' : passed ? 'survived' : 'killed';
    fates.push([mutant, fate]);
    if (fate === 'survived') console.log(`survived  ${shown(mutant)}`);
  }
  const of = (wanted: Fate): number => fates.filter(([, fate]) => fate === wanted).length;
  const [killed, timedOut, survived] = [of('killed'), of('timed out'), of('survived')];
  const share = (100 * (killed + timedOut)) / Math.max(1, fates.length);
  const survivors = fates.filter(([, fate]) => fate === 'survived').map(([mutant]) => shown(mutant));
  results.push({ folder, seed, mutants: fates.length, killed, timedOut, survived, survivors });
  console.log(
    `${folder}: ${fates.length} mutants, ${killed} killed, ${timedOut} timed out, ${survived} survived: ${share.toFixed(1)} %`,
  );
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
