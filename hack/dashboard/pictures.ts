import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import { readDashboards, withoutVariables } from './dashboards.ts';
import { draw, type DrawnPanel } from './draw.ts';
import { linesOf, type Source } from './panel-lines.ts';
import { encodePng } from './png.ts';
import { queryRange, type Span } from './prometheus-query.ts';

const isEmpty = ({ type, lines }: DrawnPanel): boolean => type !== 'row' && lines.length === 0;

const FOLDER = resolve(import.meta.dirname, '../../docs/monitoring');
const FONT = 'DejaVu Sans';

/** An SVG as PNG, with the fonts of this machine. */
export function toPng(svg: string): Uint8Array {
  const font = { loadSystemFonts: true, defaultFontFamily: FONT, sansSerifFamily: FONT };
  const { pixels, width, height } = new Resvg(svg, { font }).render();
  return encodePng(pixels, width, height);
}

/** When swaps began: the first sample of each run of samples. */
async function swapsOf(expr: string, { url, rateInterval }: Source, span: Span): Promise<readonly number[]> {
  const series = await queryRange(url, withoutVariables(expr, rateInterval), span);
  return series.flatMap(({ points }) =>
    points
      .map(([seconds]) => seconds)
      .filter((seconds, index, all) => seconds - (all[index - 1] ?? 0) > span.step * 1.5),
  );
}

/**
 * Writes a picture of each dashboard, and `pictures.json`: which panels are in which picture.
 * @throws Error Prometheus refused a query
 */
export async function drawPictures(source: Source, span: Span, say: (line: string) => void): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const contents: Record<string, { drawn: readonly string[]; withoutData: readonly string[] }> = {};
  for (const { name, panels, swaps } of readDashboards()) {
    const drawn: DrawnPanel[] = [];
    const marks = await swapsOf(swaps, source, span);
    for (const panel of panels) drawn.push({ ...panel, marks, lines: await linesOf(panel, source, span) });
    await writeFile(join(FOLDER, `${name}.png`), toPng(draw(drawn, span)));
    const withoutData = drawn.filter(isEmpty).map(({ title }) => title);
    contents[name] = { drawn: drawn.filter((each) => !isEmpty(each)).map(({ title }) => title), withoutData };
    say(
      `docs/monitoring/${name}.png${withoutData.length === 0 ? '' : `, left out without data: ${withoutData.join(', ')}`}`,
    );
  }
  await writeFile(join(FOLDER, 'pictures.json'), `${JSON.stringify(contents, undefined, 2)}\n`);
}
