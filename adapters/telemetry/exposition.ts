import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';

/** Longest part of a scrape without a break for others. */
const SLICE_MS = 2;
/** What is made in 2 ms is up to 4 MB, and to encode and send that takes longer than to make it. */
const SLICE_CHARS = 256 * 1024;

export const escapeLabel = (value: string): string =>
  value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

/** The labels that every series of an Orb has. */
export const orbLabels = (orbNamespace: string, orbId: string): string =>
  `orb_namespace="${escapeLabel(orbNamespace)}",orb_id="${escapeLabel(orbId)}"`;

/** The head of a family in the text format 0.0.4. */
export const familyHead = (name: string, type: string, help: string): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/**
 * Text in pieces, each made in ≤ 2 ms and about 256 kB at most; between two of them others had a turn. What it is made of may change meanwhile.
 * @param lines whole lines; a family's stand together
 */
export async function* inSlices(lines: Iterable<string>, clock: Pick<Clock, 'monotonic'>): AsyncGenerator<string> {
  let text = '';
  let began = clock.monotonic();
  for (const some of lines) {
    text += some;
    if (text.length < SLICE_CHARS && clock.monotonic() - began < SLICE_MS) continue;
    yield text;
    text = '';
    await nextTurn();
    began = clock.monotonic();
  }
  yield text;
}
