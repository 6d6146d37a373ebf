import type { DrawnPanel, Line } from './draw.ts';
import type { Span } from './prometheus-query.ts';
import { colourOf, escape, lookOf, round } from './texts.ts';

const BAND = { left: 180, top: 40, width: 362, height: 170 } as const;
const NAME_CHARS = 26;
const MOST_BANDS = 8;
const THICKEST = 34;
const SMALLEST_TEXT = 5.8;

const short = (text: string): string => (text.length > NAME_CHARS ? `${text.slice(0, NAME_CHARS - 1)}…` : text);
const lastOf = ({ points }: Line): number => points.at(-1)?.[1] ?? 0;

/** The last value, large. */
export function drawStat({ unit, lines, looks }: DrawnPanel): string {
  const [line] = lines;
  if (line === undefined) return '';
  const { text, colour } = lookOf(lastOf(line), unit, looks);
  return `<text class="v" x="16" y="68" style="fill:${colour}">${escape(text)}</text>`;
}

/** Spans of time in which a line has one value. */
function spansOf({ points }: Line, { step }: Span): readonly { from: number; to: number; value: number }[] {
  const spans: { from: number; to: number; value: number }[] = [];
  for (const [seconds, value] of points) {
    const last = spans.at(-1);
    if (last !== undefined && last.value === value && seconds - last.to <= step / 2) last.to = seconds + step;
    else spans.push({ from: seconds, to: seconds + step, value });
  }
  return spans;
}

interface Place {
  readonly y: number;
  readonly high: number;
}

function nameAt(legend: string, { y, high }: Place): string {
  return `<text class="e" x="${BAND.left - 8}" y="${round(y + high / 2 + 4)}">${escape(short(legend))}</text>`;
}

function band(line: Line, { unit, looks }: DrawnPanel, span: Span, place: Place): string {
  const length = Math.max(1, span.to - span.from);
  const xAt = (seconds: number): number => BAND.left + (Math.min(seconds, span.to) - span.from) * (BAND.width / length);
  const parts = spansOf(line, span).map(({ from, to, value }) => {
    const { text, colour } = lookOf(value, unit, looks);
    const [x, wide] = [xAt(from), xAt(to) - xAt(from)];
    const rect = `<rect x="${round(x)}" y="${round(place.y)}" width="${round(wide)}" height="${round(place.high)}" fill="${colour}"/>`;
    const fits = wide > text.length * SMALLEST_TEXT + 10;
    const y = round(place.y + place.high / 2 + 4);
    return rect + (fits ? `<text class="w" x="${round(x + 5)}" y="${y}">${escape(text)}</text>` : '');
  });
  return nameAt(line.legend, place) + parts.join('');
}

function placesOf(count: number): (index: number) => Place {
  const pitch = Math.min(THICKEST + 6, BAND.height / Math.max(1, count));
  return (index) => ({ y: BAND.top + index * pitch, high: pitch - 6 });
}

const more = (count: number): string =>
  count > MOST_BANDS ? `<text x="${BAND.left}" y="240">and ${count - MOST_BANDS} more</text>` : '';

/** A band for each line, coloured by its state. */
export function drawTimeline(panel: DrawnPanel, span: Span): string {
  const shown = panel.lines.slice(0, MOST_BANDS);
  const placeOf = placesOf(shown.length);
  const bands = shown.map((line, index) => band(line, panel, span, placeOf(index)));
  const minutes = Math.round((span.to - span.from) / 60);
  const bottom = BAND.top + BAND.height + 12;
  const times = `<text x="${BAND.left}" y="${bottom}">0</text><text class="e" x="${BAND.left + BAND.width}" y="${bottom}">${minutes} min</text>`;
  return bands.join('') + times + more(panel.lines.length);
}

/** A bar for the last value of each line, the longest first. */
export function drawBars({ lines, unit, looks }: DrawnPanel): string {
  const sorted = lines.toSorted((a, b) => lastOf(b) - lastOf(a));
  const shown = sorted.slice(0, MOST_BANDS);
  const most = Math.max(1, ...shown.map(lastOf));
  const placeOf = placesOf(shown.length);
  const room = BAND.width - 60;
  const bars = shown.map((line, index) => {
    const place = placeOf(index);
    const value = lastOf(line);
    const wide = round((value / most) * room);
    const y = round(place.y + place.high / 2 + 4);
    const bar = `<rect x="${BAND.left}" y="${round(place.y)}" width="${wide}" height="${round(place.high)}" fill="${colourOf(0)}"/>`;
    return `${nameAt(line.legend, place)}${bar}<text x="${round(BAND.left + Number(wide) + 8)}" y="${y}">${escape(lookOf(value, unit, looks).text)}</text>`;
  });
  return bars.join('') + more(lines.length);
}
