import { IDLE, type Frame } from './cpu-profile.ts';

const WIDTH = 1600;
const ROW = 17;
const MARGIN = 30;
/** Narrower frames can't be seen. */
const LEAST_WIDTH = 0.4;
const LETTER = 6.6;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);

/** Own code, Node's, other native code, packages. */
const COLOURS: readonly (readonly [RegExp, string])[] = [
  [/\((?:core|adapters|api-server|operator|standalone|crds)\//, '#f0a860'],
  [/\(node:/, '#8fb8e8'],
  [/^\(|^[^(]*$/, '#c8c8c8'],
  [/./, '#a8d08d'],
];
const colourOf = (name: string): string => COLOURS.find(([pattern]) => pattern.test(name))?.[1] ?? '#ffffff';

/** A frame with its place in the picture. */
interface Placed {
  readonly frame: Frame;
  readonly x: number;
  readonly depth: number;
}

function place(root: Frame, scale: number): readonly Placed[] {
  const placed: Placed[] = [];
  const add = (frame: Frame, x: number, depth: number): void => {
    if (frame.total * scale < LEAST_WIDTH) return;
    placed.push({ frame, x, depth });
    let left = x;
    for (const child of frame.children) {
      add(child, left, depth + 1);
      left += child.total * scale;
    }
  };
  add(root, 0, 0);
  return placed;
}

/**
 * A picture of where a thread spent its time: a frame is as wide as its share, its callees are below it. The mouse shows
 * name and share. The file needs nothing else.
 * @returns SVG
 */
export function flameGraph(root: Frame, title: string): string {
  const children = root.children.filter(({ name }) => name !== IDLE);
  const total = children.reduce((sum, { total: time }) => sum + time, root.self);
  const scale = WIDTH / Math.max(1, total);
  const placed = place({ ...root, total, children }, scale);
  const height = MARGIN + (1 + Math.max(0, ...placed.map(({ depth }) => depth))) * ROW;
  const frames = placed.map(({ frame, x, depth }) => {
    const [width, y] = [frame.total * scale, MARGIN + depth * ROW];
    const share = `${((frame.total / total) * 100).toFixed(1)} %, self ${((frame.self / total) * 100).toFixed(1)} %`;
    const label = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / LETTER)));
    const text = label.length < 3 ? '' : `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escapeXml(label)}</text>`;
    const shape = `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame.name)}"/>`;
    return `<g><title>${escapeXml(`${frame.name}: ${share}`)}</title>${shape}${text}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="monospace" font-size="11">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="4" y="18" font-size="14">${escapeXml(title)}</text>`,
    ...frames,
    '</svg>\n',
  ].join('\n');
}
