import { stat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jcs } from '../../core/json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { isList } from './read.ts';
import { subjectOf, type VectorSubject } from './subjects.ts';
import { outcomeOf, type Outcome, type Part, type Suite } from './suite.ts';

/** Numbers of cases by result. */
export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

interface FileResult {
  readonly outcomes: readonly Outcome[];
  /** Arrays that are not run, with the number of their cases. */
  readonly skipped: readonly (readonly [array: string, cases: number])[];
  readonly subject: VectorSubject;
}

const same = (outcome: Outcome): boolean => jcs(outcome.expected) === jcs(outcome.got);

async function runPart(name: string, part: Part, value: JsonValue, file: JsonObject): Promise<readonly Outcome[]> {
  try {
    const outcomes = await part(value, file);
    return outcomes.map((outcome) => ({ ...outcome, name: `${name} ${outcome.name}` }));
  } catch (error) {
    return [{ name, expected: 'cases that can be read', got: `threw ${String(error)}` }];
  }
}

async function runSuite(suite: Suite, file: JsonObject): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [name, part] of Object.entries(suite.parts)) {
    const value = Object.hasOwn(file, name) ? file[name] : undefined;
    if (value !== undefined) outcomes.push(...(await runPart(name, part, value, file)));
  }
  return outcomes;
}

function skippedArrays(file: JsonObject, suite: Suite | undefined): FileResult['skipped'] {
  const run = new Set(['about', ...Object.keys(suite?.parts ?? {}), ...(suite?.data ?? [])]);
  return Object.entries(file).flatMap(([name, value]) =>
    isList(value) && !run.has(name) ? [[name, value.length] as const] : [],
  );
}

async function runFile(text: string): Promise<FileResult> {
  const file: unknown = JSON.parse(text);
  if (!isJsonObject(file)) throw new Error('the file holds no JSON object');
  const subject = subjectOf(file);
  const suite = subject.kind === 'known' ? subject.suite : undefined;
  return {
    outcomes: suite === undefined ? [] : await runSuite(suite, file),
    skipped: skippedArrays(file, suite),
    subject,
  };
}

async function runSafely(path: string): Promise<FileResult> {
  try {
    return await runFile(await readFile(path, 'utf8'));
  } catch (error) {
    const outcome = await outcomeOf('file', 'a vector file', () => `threw ${String(error)}`);
    return { outcomes: [outcome], skipped: [], subject: { kind: 'unknown' } };
  }
}

const WHY: Readonly<Record<VectorSubject['kind'], string>> = {
  known: 'no such part is built yet',
  unknown: 'unknown subject',
};

function describe(file: string, { outcomes, skipped, subject }: FileResult): readonly string[] {
  const differing = outcomes.filter((outcome) => !same(outcome));
  const cases = skipped.reduce((total, [, count]) => total + count, 0);
  const counts = `${outcomes.length - differing.length} passed, ${differing.length} failed, ${cases} skipped`;
  const names = skipped.map(([name, count]) => `${name} (${count})`).join(', ');
  const why = names === '' ? '' : `: ${names}: ${WHY[subject.kind]}`;
  const details = differing.flatMap(({ name, expected, got }) => [
    `  ${name}`,
    `    expected ${jcs(expected)}`,
    `    got      ${jcs(got)}`,
  ]);
  return [`${file}: ${counts}${why}`, ...details];
}

/**
 * Runs every `*.json` of a folder, by name, each with the suite of the subject that its arrays show.
 * @param print receives one line at a time: one per file, three for each case that differs
 * @throws when the folder can't be read
 */
export async function runFolder(folder: string, print: (line: string) => void): Promise<Totals> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).toSorted();
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const file of files) {
    const result = await runSafely(join(folder, file));
    for (const line of describe(file, result)) print(line);
    const passed = result.outcomes.filter(same).length;
    totals.passed += passed;
    totals.failed += result.outcomes.length - passed;
    totals.skipped += result.skipped.reduce((total, [, count]) => total + count, 0);
  }
  return totals;
}

const USAGE = 'usage: npm run vectors -- FOLDER   (a folder of *.json vector files, for example test/vectors)';

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/**
 * Prints a line per file, then each case that differs with the expected value, and the totals last.
 * @returns exit status: 0 when no case failed, 1 when a case failed, 64 on wrong usage
 */
export async function vectorsCommand(args: readonly string[], print: (line: string) => void): Promise<number> {
  const [folder] = args;
  if (folder === undefined || args.length !== 1 || !(await isFolder(folder))) {
    print(USAGE);
    return 64;
  }
  const { passed, failed, skipped } = await runFolder(folder, print);
  print(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed === 0 ? 0 : 1;
}
