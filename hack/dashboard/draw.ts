import type { Panel } from './dashboards.ts';
import { drawLines } from './draw-lines.ts';
import { drawBars, drawStat, drawTimeline } from './draw-states.ts';
import type { Series, Span } from './prometheus-query.ts';
import { escape } from './texts.ts';

/** A line with the text that explains it. */
export interface Line extends Pick<Series, 'points'> {
  readonly legend: string;
}

/** What is drawn as one panel. */
export interface DrawnPanel extends Pick<Panel, 'title' | 'unit' | 'type' | 'looks'> {
  readonly lines: readonly Line[];
  /** When a provider was swapped: seconds since epoch. */
  readonly marks: readonly number[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const WIDTH = 1120;
const WIDE: Size = { width: WIDTH / 2, height: 250 };
const SIZES: Readonly<Record<string, Size>> = {
  row: { width: WIDTH, height: 34 },
  stat: { width: WIDTH / 4, height: 92 },
};

const DRAWERS: Readonly<Record<string, (panel: DrawnPanel, span: Span) => string>> = {
  row: () => '',
  stat: drawStat,
  bargauge: drawBars,
  timeseries: drawLines,
  'state-timeline': drawTimeline,
};

/** @throws Error a panel is of a type that nothing here draws */
function drawn(panel: DrawnPanel, span: Span): string {
  const drawer = DRAWERS[panel.type];
  if (drawer === undefined) throw new Error(`panel ${panel.title}: the type ${panel.type} can't be drawn`);
  const { width, height } = SIZES[panel.type] ?? WIDE;
  const frame = `<rect class="f" x="4" y="4" width="${width - 8}" height="${height - 8}" rx="4"/>`;
  const head = `<text class="t" x="16" y="24">${escape(panel.title)}</text>`;
  return (panel.type === 'row' ? '' : frame) + head + drawer(panel, span);
}

const STYLE =
  'text{font-family:sans-serif;font-size:11px;fill:#57606a}.t{font-size:13px;font-weight:bold;fill:#24292f}.e{text-anchor:end}' +
  '.v{font-size:30px;font-weight:bold}.m{stroke:#8250df;stroke-dasharray:3 3}.w{fill:#fff}.f{fill:#fff;stroke:#d0d7de}' +
  'path{fill:none;stroke-width:1.5}.g{stroke:#d0d7de;stroke-width:.5}';

/** Places from left to right, a new line where a panel doesn't fit. */
function placed(panels: readonly DrawnPanel[]): { readonly places: readonly string[]; readonly height: number } {
  let [x, y, high] = [0, 0, 0];
  const places = panels.map(({ type }) => {
    const { width, height } = SIZES[type] ?? WIDE;
    if (x + width > WIDTH) [x, y, high] = [0, y + high, 0];
    const place = `${x} ${y}`;
    [x, high] = [x + width, Math.max(high, height)];
    return place;
  });
  return { places, height: y + high };
}

/** Panels of a dashboard as one SVG; the same data make the same text. Panels without data are not in it. */
export function draw(panels: readonly DrawnPanel[], span: Span): string {
  const shown = panels.filter(({ type, lines }) => type === 'row' || lines.length > 0);
  const { places, height } = placed(shown);
  const cells = shown.map(
    (each, index) => `<g transform="translate(${places[index] ?? ''})">${drawn(each, span)}</g>\n`,
  );
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">\n<style>${STYLE}</style>\n` +
    `<rect width="${WIDTH}" height="${height}" fill="#f6f8fa"/>\n${cells.join('')}</svg>\n`
  );
}
