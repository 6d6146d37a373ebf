// `npm run test:security [-- S6 S15]`: runs the tests of each security requirement, and prints what held.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

const titlesIn = (report: unknown, member: string): readonly string[] => {
  const list: unknown = isJsonObject(report) ? report[member] : undefined;
  return Array.isArray(list)
    ? list.filter(isJsonObject).map(({ fullTitle }) => (typeof fullTitle === 'string' ? fullTitle : ''))
    : [];
};

/** Runs the tests of one file. @returns full titles of those that passed and of those that failed */
async function runFile(
  folder: string,
  file: string,
): Promise<Readonly<Record<'passes' | 'failures', readonly string[]>>> {
  const output = join(folder, 'report.json');
  const reporter = ['--reporter', 'json', '--reporter-option', `output=${output}`, '--timeout', '60000'];
  const child = spawn(process.execPath, [...MOCHA, ...reporter, file], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'close');
  const report: unknown = JSON.parse(readFileSync(output, 'utf8'));
  rmSync(output);
  return { passes: titlesIn(report, 'passes'), failures: titlesIn(report, 'failures') };
}

type Reports = ReadonlyMap<string, Awaited<ReturnType<typeof runFile>>>;

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
const reports = new Map<string, Awaited<ReturnType<typeof runFile>>>();
try {
  const files = [...new Set(rows.flatMap(({ tests }) => tests.map(({ file }) => file)))];
  for (const [index, file] of files.filter((one) => !one.startsWith('test/e2e/')).entries()) {
    process.stderr.write(`${index + 1}/${files.length} ${file}\n`);
    reports.set(file, await runFile(folder, file));
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
