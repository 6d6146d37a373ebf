import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clockText, type Journal } from './journal.ts';
import type { Detection } from './leg.ts';

const FOLDER = join(import.meta.dirname, 'results');

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** What happened and what callers saw, in the order of time. */
function timeline({ began, entries, quarters }: Journal): string {
  const happened = entries.map(({ at, orb, what }) => ({ at, cells: [orb, what, '', '', ''] }));
  const called = quarters.map(({ at, orb, p50Ms, p95Ms, providers }) => ({
    at,
    cells: [orb, '', String(p50Ms), String(p95Ms), providers],
  }));
  const sorted = [...happened, ...called].toSorted((one, other) => one.at - other.at);
  const rows = sorted.map(({ at, cells }) => [clockText(at - began), ...cells]);
  return table(['Time', 'Orb', 'Event', 'p50 ms', 'p95 ms', 'Answered by'], rows);
}

const detections = (found: readonly Detection[]): string =>
  table(
    [
      'Orb',
      'Mode',
      'Slow until seen, s',
      'Slow until swapped, s',
      'Confirmed until first run, s',
      'Written until first run, s',
    ],
    found.map(({ orb, mode, seenMs, slowToSwapMs, confirmedToRunMs, writtenToRunMs }) => [
      orb,
      mode,
      ...[seenMs, slowToSwapMs, confirmedToRunMs, writtenToRunMs].map(seconds),
    ]),
  );

const checks = (journal: Journal): string =>
  table(
    ['Leg', 'Check', 'Passed', 'Seen'],
    journal.checks.map(({ leg, what, passed, seen }) => [
      leg,
      what,
      passed ? 'yes' : '**no**',
      seen.replaceAll('|', '\\|'),
    ]),
  );

/** Tables for the documents. */
export const markdownOf = (journal: Journal, found: readonly Detection[]): string =>
  [detections(found), checks(journal), timeline(journal)].join('\n\n');

/** Keeps what a run showed where git ignores it. @returns path of the tables; the data stand beside it */
export function writeReport(journal: Journal, found: readonly Detection[]): string {
  mkdirSync(FOLDER, { recursive: true });
  const name = new Date(journal.began).toISOString().replaceAll(/[:.]/g, '-');
  const path = join(FOLDER, `${name}.md`);
  const { began, entries, quarters, checks: all } = journal;
  const data = { began, detections: found, checks: all, entries, quarters };
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify(data, undefined, 1)}\n`);
  writeFileSync(path, `${markdownOf(journal, found)}\n`);
  return path;
}
