// `npm run test:security [-- S6 S15]`: runs the tests of each security requirement, and prints what held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { isJsonObject } from '../../core/json/json-value.ts';
import { rowsOf, type Row } from './table.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--no-config', '--require', './test/support/strict.ts'];
const say = (line: string): void => void process.stdout.write(`${line}\n`);

interface Count {
  readonly passed: number;
  readonly failed: number;
}
interface Result extends Count {
  /** Titles of the tests that failed. */
  readonly failures: readonly string[];
}

type Titles = Readonly<Record<'passes' | 'failures', readonly string[]>>;

/** Full titles of the tests of each file that a report names in `member`. */
function titlesIn(report: unknown, member: string): ReadonlyMap<string, readonly string[]> {
  const list: unknown = isJsonObject(report) ? report[member] : undefined;
  const tests = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const named = tests.flatMap(({ file, fullTitle }) =>
    typeof file === 'string' && typeof fullTitle === 'string' ? [{ file: relative(ROOT, file), fullTitle }] : [],
  );
  // A hook that stands in no `describe` belongs to no file.
  if (named.length < tests.length) throw new Error(`a hook of no file is among the ${member}`);
  const files = Map.groupBy(named, ({ file }) => file);
  return new Map([...files].map(([file, all]) => [file, all.map(({ fullTitle }) => fullTitle)]));
}

/** Runs the tests of some files in one process. @returns titles of those that passed and of those that failed, by their file */
async function runFiles(folder: string, files: readonly string[]): Promise<ReadonlyMap<string, Titles>> {
  const output = join(folder, 'report.json');
  const reporter = ['--reporter', 'json', '--reporter-option', `output=${output}`, '--timeout', '60000'];
  const child = spawn(process.execPath, [...MOCHA, ...reporter, ...files], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  const report: unknown = JSON.parse(readFileSync(output, 'utf8'));
  rmSync(output);
  const [passes, failures] = [titlesIn(report, 'passes'), titlesIn(report, 'failures')];
  return new Map(files.map((file) => [file, { passes: passes.get(file) ?? [], failures: failures.get(file) ?? [] }]));
}

type Reports = ReadonlyMap<string, Titles>;

function resultOf({ tests }: Row, reports: Reports): Result {
  const found = tests.map(({ file, title }) => {
    const { passes = [], failures = [] } = reports.get(file) ?? {};
    return {
      passes: passes.filter((full) => full.includes(title)),
      failures: failures.filter((full) => full.includes(title)),
    };
  });
  const failures = [...new Set(found.flatMap((one) => one.failures))];
  return { passed: new Set(found.flatMap((one) => one.passes)).size, failed: failures.length, failures };
}

const { positionals } = parseArgs({ allowPositionals: true });
const rows = rowsOf(ROOT).filter(({ id }) => positionals.length === 0 || positionals.includes(id));
if (rows.length === 0) throw new Error('npm run test:security [-- S1 S6 …]: the numbers go from S1 to S30');
const folder = mkdtempSync(join(tmpdir(), 'orb-security-'));
const reports = new Map<string, Titles>();
try {
  const files = [...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))];
  const here = files.filter((file) => !file.startsWith('test/e2e/'));
  const units = here.filter((file) => file.startsWith('test/unit/'));
  // Unit tests share a process, as in `npm run test:unit`: its start takes longer than most of them.
  const parts = [units, ...here.filter((file) => !units.includes(file)).map((file) => [file])];
  for (const [index, part] of parts.filter(({ length }) => length > 0).entries()) {
    const name = part === units ? `${units.length} files of unit tests` : part.join();
    process.stderr.write(`${index + 1}/${parts.length} ${name}\n`);
    for (const [file, titles] of await runFiles(folder, part)) reports.set(file, titles);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const row of rows) {
  const { passed, failed, failures } = resultOf(row, reports);
  const onNode = row.tests.filter(({ file }) => file.startsWith('test/e2e/')).length;
  const nodes = onNode === 0 ? '' : `, ${onNode} more by npm run e2e`;
  say(
    `${row.id.padEnd(4)}${row.state.padEnd(10)}${passed} passed, ${failed} failed${nodes}: ${row.what}${row.lacks === '' ? '' : ` (not yet: ${row.lacks})`}`,
  );
  for (const title of failures) say(`      failed: ${title}`);
  // A requirement whose tests all vanished, or were skipped, is not shown.
  if (failed > 0 || (passed === 0 && row.tests.length > onNode)) process.exitCode = 1;
}
