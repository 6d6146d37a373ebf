import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { command } from '../control-plane/command.ts';
import { formatted } from '../generate/formatted.ts';
import type { Finding } from './finding.ts';

/**
 * The output of helm-docs for a chart, formatted like all Markdown of this repository.
 * @throws Error what it printed
 */
async function made(helmDocs: string, root: string, chart: string): Promise<string> {
  const args = ['--chart-search-root', chart, '--dry-run', '--sort-values-order', 'file', '--log-level', 'warning'];
  const { code, stdout, stderr } = await command(helmDocs, [...args, '--skip-version-footer']);
  if (code !== 0) throw new Error(`helm-docs of ${chart}:\n${stderr.trim()}`);
  return formatted(root, relative(root, join(chart, 'README.md')), stdout);
}

const undocumented = (readme: string): readonly string[] =>
  [...readme.matchAll(/^\| (\S+) +\|[^\n]*\| +\|$/gm)].map(([, value = '']) => value);

/** The README must equal the output of helm-docs, and every value must have a description. */
export async function checkReadme(helmDocs: string, root: string, chart: string): Promise<readonly Finding[]> {
  const path = join(chart, 'README.md');
  const text = await made(helmDocs, root, chart);
  const there = existsSync(path) ? await readFile(path, 'utf8') : '';
  const stale = there === text ? [] : [{ where: path, what: 'is stale: npm run lint:charts -- --write' }];
  const silent = undocumented(text).map((value) => ({ where: path, what: `${value} has no description` }));
  return [...stale, ...silent];
}

/** Writes the README. */
export async function writeReadme(helmDocs: string, root: string, chart: string): Promise<void> {
  await writeFile(join(chart, 'README.md'), await made(helmDocs, root, chart));
}
