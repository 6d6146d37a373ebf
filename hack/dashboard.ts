import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startLoad, untilServed } from '../test/end-to-end/load.ts';
import { startWorld, untilReady, type World } from '../test/end-to-end/world.ts';
import { readDashboards } from './dashboard/dashboards.ts';
import { draw } from './dashboard/draw.ts';
import { linesOf, type Source } from './dashboard/panel-lines.ts';
import type { Span } from './dashboard/prometheus-query.ts';

const HELP = `npm run docs:dashboard

Writes a picture of each dashboard of the chart to docs/monitoring: its panels' queries over real data, which a Prometheus
scrapes of operator and API under load. About 8 minutes, most of which is load; progress goes to stderr.

  --help   this text
`;
const USAGE = 64;
const FOLDER = resolve(import.meta.dirname, '../docs/monitoring');
const RATE = 8;
const WELL_MS = 60_000;
const SLOW_MS = 120_000;
const HEALED_MS = 270_000;
const USUAL_TAKES = 60;
const SLOW_TAKES = 1500;
const STEP = 5;

const say = (line: string): void => console.error(line);

/** A provider becomes slow and well again, under load. */
async function live({ providers, api, apiKey }: World): Promise<Span> {
  const target = { url: api.url, apiKey };
  await untilServed(target);
  const load = startLoad(target, RATE);
  const from = Math.ceil(Date.now() / 1000 / STEP) * STEP;
  say(`Load of ${RATE} runs a second of each Orb; alpha is well …`);
  await delay(WELL_MS);
  say('alpha is slow …');
  providers.alpha.take(SLOW_TAKES);
  await delay(SLOW_MS);
  say('alpha is well again …');
  providers.alpha.take(USUAL_TAKES);
  await delay(HEALED_MS);
  await load.stop();
  const to = Math.floor(Date.now() / 1000 / STEP) * STEP;
  return { from, to, step: STEP };
}

async function picture(source: Source, span: Span): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  for (const { name, panels } of readDashboards()) {
    const drawn = [];
    for (const panel of panels)
      drawn.push({ title: panel.title, unit: panel.unit, lines: await linesOf(panel, source, span) });
    await writeFile(join(FOLDER, `${name}.svg`), draw(drawn, span));
    const empty = drawn.filter(({ lines }) => lines.length === 0).map(({ title }) => title);
    say(`docs/monitoring/${name}.svg${empty.length === 0 ? '' : `, no data: ${empty.join(', ')}`}`);
  }
}

async function run(): Promise<void> {
  // What was started ends with this process, and only `exit` tells it so.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const world = await startWorld();
  try {
    await world.runOperator('query');
    await untilReady(world);
    const api = new URL(world.api.metricsUrl).host;
    const nameOf = (instance: string): string => (instance === api ? 'api' : 'operator');
    const span = await live(world);
    await picture({ url: world.prometheusUrl, rateInterval: '30s', nameOf }, span);
  } finally {
    await world.close(false);
  }
}

/** @returns whether help was asked for; undefined, with what is wrong printed: neither this nor that */
function wantsHelp(): boolean | undefined {
  try {
    return parseArgs({ options: { help: { type: 'boolean', short: 'h', default: false } } }).values.help;
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return undefined;
  }
}

const help = wantsHelp();
if (help === undefined) process.exitCode = USAGE;
else if (help) process.stdout.write(HELP);
else await run();
