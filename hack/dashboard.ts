import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stopSignal } from '../adapters/process/stop-signal.ts';
import { auditRuns } from '../test/failover-run/audit.ts';
import { startLoad, untilServed } from '../test/failover-run/load.ts';
import { publishOrbs } from '../test/failover-run/publish.ts';
import { startWebhooks } from '../test/failover-run/webhooks.ts';
import { startWorld, untilReady, type World } from '../test/failover-run/world.ts';
import { makeCanary, type Canary } from './dashboard/canary.ts';
import { drawPictures } from './dashboard/pictures.ts';
import { startStatusProber } from './dashboard/prober.ts';
import type { Span } from './dashboard/prometheus-query.ts';

const HELP = `npm run docs:dashboard

Writes a picture of each dashboard of the chart to docs/monitoring: its panels' queries over real data, which a Prometheus
scrapes of operator, API and status prober under load. About 8 minutes, most of which is load; progress goes to stderr.

  --help   this text
`;
const USAGE = 64;
const STOPPED = 130;
const RATE = 8;
const WELL_MS = 60_000;
const SLOW_MS = 120_000;
const HEALED_MS = 75_000;
const OUT_MS = 60_000;
const REST_MS = 135_000;
const USUAL_TAKES = 60;
const SLOW_TAKES = 1500;
const STEP = 5;

const say = (line: string): void => console.error(line);

/** A provider becomes slow and then normal again; later, ingestion is out for a minute. */
async function change({ providers }: World, canary: Canary, signal: AbortSignal): Promise<void> {
  const last = (ms: number): Promise<void> => delay(ms, undefined, { signal });
  say(`Load of ${RATE} runs a second of each Orb; alpha is well …`);
  await last(WELL_MS);
  say('alpha is slow …');
  providers.alpha.take(SLOW_TAKES);
  await last(SLOW_MS);
  say('alpha works again …');
  providers.alpha.take(USUAL_TAKES);
  await last(HEALED_MS);
  say('Ingestion is out …');
  const mend = await canary.breakIngestion();
  await last(OUT_MS);
  say('Ingestion works again …');
  await mend();
  await last(REST_MS);
}

/** Runs a change under load, for the picture. */
async function live(world: World, canary: Canary, signal: AbortSignal): Promise<Span> {
  const target = { url: world.api.url, apiKey: world.apiKey };
  await untilServed(target);
  await publishOrbs(world);
  await auditRuns(world);
  const webhooks = await startWebhooks(world);
  const load = startLoad(target, RATE);
  const from = Math.ceil(Date.now() / 1000 / STEP) * STEP;
  try {
    await change(world, canary, signal);
  } finally {
    await load.stop();
    await webhooks.stop();
  }
  const to = Math.floor(Date.now() / 1000 / STEP) * STEP;
  return { from, to, step: STEP };
}

/** The parts by the addresses of their metrics. */
const namesOf = (parts: Readonly<Record<string, { readonly metricsUrl: string }>>) => {
  const names = new Map(Object.entries(parts).map(([name, { metricsUrl }]) => [new URL(metricsUrl).host, name]));
  return (instance: string): string => names.get(instance) ?? instance;
};

async function run(): Promise<void> {
  const signal = stopSignal();
  let made: Canary | undefined;
  const world = await startWorld(signal, async (plane) => {
    made = await makeCanary(plane);
    return made.flags;
  });
  const ends: (() => Promise<unknown>)[] = [() => world.close(false)];
  try {
    signal.throwIfAborted();
    if (made === undefined) throw new TypeError('the world was started without its canary');
    const canary = made;
    const { api } = world;
    const operator = await world.runOperator('query');
    await untilReady(world);
    await canary.apply();
    const prober = await startStatusProber(world, operator, canary);
    ends.unshift(() => prober.process.stop());
    await world.scrapeAlso(prober.metricsUrl);
    const span = await live(world, canary, signal);
    const nameOf = namesOf({ api, operator, prober });
    await drawPictures({ url: world.prometheusUrl, rateInterval: '30s', nameOf }, span, say);
  } finally {
    for (const end of ends) await end();
  }
}

/** Prints progress, and exits with its own code when the user stops it. */
async function runUntilStopped(): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    say('Stopped: no picture was written.');
    process.exitCode = STOPPED;
  }
}

/** @returns whether help was requested; undefined after printing a usage error */
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
else await runUntilStopped();
