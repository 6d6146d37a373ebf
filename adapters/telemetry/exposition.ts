import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../time/clock.ts';

/** Longest part of a scrape without a turn of the event loop. */
const SLICE_MS = 2;
/** Up to 4 MB of text are made in 2 ms; encoding and sending that takes longer than making it. */
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
 * Text in pieces, each made in ≤ 2 ms and at most about 256 kB; the event loop turns between two pieces. The source of
 * the lines may change meanwhile.
 * @param lines whole lines; the lines of a family are adjacent
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
