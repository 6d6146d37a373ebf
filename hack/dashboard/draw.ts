import type { Series, Span } from './prometheus-query.ts';

/** A line with the text that explains it. */
export interface Line extends Pick<Series, 'points'> {
  readonly legend: string;
}

/** What is drawn as one panel. */
export interface DrawnPanel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly Line[];
}

const WIDTH = 560;
const HEIGHT = 250;
const PLOT = { left: 62, top: 34, width: 480, height: 130 } as const;
const LEGEND_TOP = 190;
const LEGEND_LINES = 4;
const LEGEND_COLUMNS = 2;
const COLUMNS = 2;
const GRID = 4;
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#bf3989', '#0a7ea4', '#57606a'];
const LEGEND_CHARS = 38;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const round = (value: number): string => String(Math.round(value * 10) / 10);

/** A value with three significant digits. */
const digits = (value: number): string => String(Number(value.toPrecision(3)));

const SCALES: Readonly<Record<string, (value: number) => string>> = {
  s: (value) => (value < 1 ? `${digits(value * 1000)} ms` : `${digits(value)} s`),
  bytes: (value) => `${digits(value / 1024 / 1024)} MiB`,
  percentunit: (value) => `${digits(value * 100)} %`,
  reqps: (value) => `${digits(value)}/s`,
  d: (value) => `${digits(value)} d`,
};

/** A value with its unit, for people. */
export const withUnit = (value: number, unit: string): string => (SCALES[unit] ?? digits)(value);

const STEPS = [1, 2, 2.5, 5, 10];

/** The end of the axis: the first round number that no value is above. */
export function ceilingOf(lines: readonly Line[]): number {
  const most = Math.max(0, ...lines.flatMap(({ points }) => points.map(([, value]) => value)));
  if (most === 0) return 1;
  const scale = 10 ** Math.floor(Math.log10(most));
  const step = STEPS.find((each) => each * scale >= most) ?? 10;
  return step * scale;
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

function axis(unit: string, ceiling: number, span: Span): string {
  const rows = Array.from({ length: GRID + 1 }, (_, index) => {
    const y = round(PLOT.top + (PLOT.height * index) / GRID);
    const value = ceiling * (1 - index / GRID);
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

const colourOf = (index: number): string => COLOURS[index % COLOURS.length] ?? '#000';

function panel({ title, unit, lines }: DrawnPanel, span: Span): string {
  const ceiling = ceilingOf(lines);
  const paths = lines.map((line, index) => `<path stroke="${colourOf(index)}" d="${path(line, span, ceiling)}"/>`);
  const nothing = `<text x="${PLOT.left + 20}" y="${PLOT.top + 60}">no data</text>`;
  const head = `<text class="t" x="16" y="22">${escape(title)}</text>`;
  return head + axis(unit, ceiling, span) + (lines.length === 0 ? nothing : paths.join('') + legend(lines));
}

const STYLE =
  'text{font:11px sans-serif;fill:#57606a}.t{font:bold 13px sans-serif;fill:#24292f}.e{text-anchor:end}' +
  'path{fill:none;stroke-width:1.5}.g{stroke:#d0d7de;stroke-width:.5}';

/** All panels of a dashboard as one picture; the same data make the same text. */
export function draw(panels: readonly DrawnPanel[], span: Span): string {
  const width = WIDTH * COLUMNS;
  const height = HEIGHT * Math.ceil(panels.length / COLUMNS);
  const cells = panels.map((each, index) => {
    const place = `translate(${(index % COLUMNS) * WIDTH} ${Math.floor(index / COLUMNS) * HEIGHT})`;
    return `<g transform="${place}">${panel(each, span)}</g>\n`;
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">\n<style>${STYLE}</style>\n` +
    `<rect width="${width}" height="${height}" fill="#fff"/>\n${cells.join('')}</svg>\n`
  );
}
