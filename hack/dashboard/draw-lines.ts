import type { DrawnPanel, Line } from './draw.ts';
import type { Span } from './prometheus-query.ts';
import { colourOf, escape, round, withUnit } from './texts.ts';

/** A vertical axis from 0: its end, and how many rows the grid has. */
interface Axis {
  readonly ceiling: number;
  readonly rows: number;
}

const PLOT = { left: 62, top: 34, width: 480, height: 130 } as const;
const LEGEND_TOP = 190;
const LEGEND_LINES = 4;
const LEGEND_COLUMNS = 2;
const LEGEND_CHARS = 38;
const MOST_ROWS = 5;
const STEPS = [1, 2, 5, 10];
const MEBI = 1024 * 1024;
const MINUTE = 60;
const HOUR = 3600;
/** Units that are counted: half a thing is on no axis. */
const WHOLE: ReadonlySet<string> = new Set(['short']);

/** What the numbers of an axis count: MiB, minutes, hours. */
function baseOf(unit: string, largest: number): number {
  if (unit === 'bytes') return MEBI;
  if (unit !== 's' || largest < 2 * MINUTE) return 1;
  return largest < 2 * HOUR ? MINUTE : HOUR;
}

/** The axis whose lines are round numbers of the unit, and that no value is above. */
export function axisOf(lines: readonly Line[], unit: string): Axis {
  const largest = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const base = baseOf(unit, largest);
  const most = largest / base;
  if (most === 0) return { ceiling: base, rows: 1 };
  const isWhole = WHOLE.has(unit) && most > 0.99;
  const scale = 10 ** Math.floor(Math.log10(most / MOST_ROWS));
  const found = (STEPS.find((each) => each * scale * MOST_ROWS >= most * 0.999_999) ?? 10) * scale;
  const step = isWhole ? Math.max(1, found) : found;
  const rows = Math.max(1, Math.ceil((most / step) * 0.999_999));
  return { ceiling: Number((step * rows).toPrecision(6)) * base, rows };
}

function path({ points }: Line, span: Span, ceiling: number): string {
  const length = Math.max(1, span.to - span.from);
  let before = Number.NEGATIVE_INFINITY;
  return points
    .map(([seconds, value]) => {
      const x = PLOT.left + ((seconds - span.from) / length) * PLOT.width;
      const y = PLOT.top + PLOT.height * (1 - Math.max(0, value) / ceiling);
      // Where a sample is missing the line breaks.
      const command = seconds - before > span.step * 1.5 ? 'M' : 'L';
      before = seconds;
      return `${command}${round(x)} ${round(y)}`;
    })
    .join('');
}

function axis(unit: string, { ceiling, rows: count }: Axis, span: Span): string {
  const rows = Array.from({ length: count + 1 }, (_, index) => {
    const y = round(PLOT.top + (PLOT.height * index) / count);
    const value = Number((ceiling * (1 - index / count)).toPrecision(6));
    const line = `<path class="g" d="M${PLOT.left} ${y}H${PLOT.left + PLOT.width}"/>`;
    return `${line}<text class="e" x="${PLOT.left - 6}" y="${y}" dy="4">${escape(withUnit(value, unit))}</text>`;
  });
  const minutes = Math.round((span.to - span.from) / 60);
  const bottom = PLOT.top + PLOT.height + 14;
  const times = `<text x="${PLOT.left}" y="${bottom}">0</text><text class="e" x="${PLOT.left + PLOT.width}" y="${bottom}">${minutes} min</text>`;
  return rows.join('') + times;
}

const shortened = (text: string): string => (text.length > LEGEND_CHARS ? `${text.slice(0, LEGEND_CHARS - 1)}…` : text);

function legend(lines: readonly Line[]): string {
  const room = LEGEND_LINES * LEGEND_COLUMNS;
  const shown = lines.length > room ? lines.slice(0, room - 1) : lines;
  const more = lines.length > room ? [`and ${lines.length - shown.length} more`] : [];
  return [...shown.map((line) => shortened(line.legend)), ...more]
    .map((text, index) => {
      const x = 16 + Math.floor(index / LEGEND_LINES) * 270;
      const y = LEGEND_TOP + (index % LEGEND_LINES) * 15;
      const mark = index < shown.length ? `<path stroke="${colourOf(index)}" d="M${x} ${y - 4}h14"/>` : '';
      return `${mark}<text x="${x + 20}" y="${y}">${escape(text)}</text>`;
    })
    .join('');
}

function marksOf(marks: readonly number[], { from, to }: Span): string {
  return marks
    .map((seconds) => round(PLOT.left + ((seconds - from) / Math.max(1, to - from)) * PLOT.width))
    .map((x) => `<path class="m" d="M${x} ${PLOT.top}V${PLOT.top + PLOT.height}"/>`)
    .join('');
}

/** Lines over time, with axis and legend. */
export function drawLines({ unit, lines, marks }: DrawnPanel, span: Span): string {
  const own = axisOf(lines, unit);
  const paths = lines.map((line, index) => `<path stroke="${colourOf(index)}" d="${path(line, span, own.ceiling)}"/>`);
  return axis(unit, own, span) + marksOf(marks, span) + paths.join('') + legend(lines);
}
