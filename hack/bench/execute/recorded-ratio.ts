import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../subjects.ts';

/** The page that records what was measured on a quiet machine. */
export const PAGE = 'docs/measured-performance.md';
const ROW = 'runs/s at 32 callers ÷ pass-through';

/**
 * The median in the page's row for the rate at 32 callers ÷ pass-through.
 * @throws Error the page has no such row, or no ratio in it
 */
export function parseRecordedRatio(page: string): number {
  const row = page.split('\n').find((line) => line.startsWith(`| ${ROW}`)) ?? '';
  const ratio = Number(/^\d+\.\d+/.exec(row.split('|')[2]?.trim() ?? '')?.[0]);
  if (!(ratio > 0)) throw new Error(`${PAGE} has no row "${ROW}" with a ratio`);
  return ratio;
}

export const recordedRatio = (): number => parseRecordedRatio(readFileSync(join(ROOT, PAGE), 'utf8'));
