/** Contrast of the texts of a rendered badge, as WCAG 2.2 defines it, from its SVG alone. */

type Rgb = readonly [number, number, number];

interface Stop {
  readonly offset: number;
  readonly color: Rgb;
  readonly opacity: number;
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`[\\s"]${name}="([^"]*)"`).exec(tag)?.[1];

function rgbOf(text: string): Rgb {
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text)?.[1];
  if (hex === undefined) throw new Error(`no colour: ${text}`);
  const digits = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex;
  const at = (index: number): number => Number.parseInt(digits.slice(index, index + 2), 16);
  return [at(0), at(2), at(4)];
}

const linear = (channel: number): number => {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

const mix = (below: number, above: number, share: number): number => below + (above - below) * share;
const over = (below: Rgb, above: Rgb, opacity: number): Rgb => [
  mix(below[0], above[0], opacity),
  mix(below[1], above[1], opacity),
  mix(below[2], above[2], opacity),
];

const stopsOf = (svg: string): readonly Stop[] =>
  [...svg.matchAll(/<stop[^>]*>/g)].map(([tag]) => ({
    offset: Number(attribute(tag, 'offset')),
    color: rgbOf(attribute(tag, 'stop-color') ?? '#000'),
    opacity: Number(attribute(tag, 'stop-opacity') ?? 1),
  }));

/** Colour and opacity of a vertical gradient at a share of its height; it interpolates both. */
function gradientAt(stops: readonly Stop[], share: number): Omit<Stop, 'offset'> {
  const after = stops.find(({ offset }) => offset >= share) ?? stops.at(-1);
  const before = stops.findLast(({ offset }) => offset <= share) ?? stops[0];
  if (after === undefined || before === undefined) return { color: [0, 0, 0], opacity: 0 };
  const span = after.offset - before.offset;
  const part = span === 0 ? 0 : (share - before.offset) / span;
  return { color: over(before.color, after.color, part), opacity: mix(before.opacity, after.opacity, part) };
}

/** Verdana at 11 px: ascenders and descenders, px from the base line. */
const [ASCENT, DESCENT] = [8.5, 2.5];
const STEP = 0.1;

interface DrawnText {
  readonly x: number;
  readonly baseline: number;
  readonly fill: Rgb;
}

/** The texts that are read; shadows lie below them. They are drawn ten times as large and scaled down. */
function textsOf(svg: string): readonly DrawnText[] {
  const group = attribute(/<g fill="#[0-9a-f]+" text-anchor[^>]*>/.exec(svg)?.[0] ?? '', 'fill') ?? '';
  const visible = svg.replaceAll(/<g aria-hidden="true"[^]*?<\/g>/g, '');
  return [...visible.matchAll(/<text[^>]*>/g)].map(([tag]) => ({
    x: Number(attribute(tag, 'x')) / 10,
    baseline: Number(attribute(tag, 'y')) / 10,
    fill: rgbOf(attribute(tag, 'fill') ?? group),
  }));
}

interface Field {
  readonly from: number;
  readonly to: number;
  readonly fill: Rgb;
}

const fieldsOf = (svg: string): readonly Field[] =>
  [...svg.matchAll(/<rect[^>]*fill="#[^>]*>/g)].map(([tag]) => {
    const from = Number(attribute(tag, 'x') ?? 0);
    return { from, to: from + Number(attribute(tag, 'width')), fill: rgbOf(attribute(tag, 'fill') ?? '') };
  });

/** The lowest contrast of each text with what lies behind it, gradient included, over the height of the text. */
export function contrastsOf(svg: string): readonly number[] {
  const height = Number(attribute(/<svg[^>]*>/.exec(svg)?.[0] ?? '', 'height'));
  const stops = stopsOf(svg);
  const fields = fieldsOf(svg);
  return textsOf(svg).map(({ x, baseline, fill }) => {
    const field = fields.find(({ from, to }) => from <= x && x < to);
    if (field === undefined) throw new Error('a text lies beside every field');
    let lowest = Infinity;
    for (let y = baseline - ASCENT; y <= baseline + DESCENT; y += STEP) {
      const { color, opacity } = gradientAt(stops, y / height);
      lowest = Math.min(lowest, contrast(fill, over(field.fill, color, opacity)));
    }
    return lowest;
  });
}
