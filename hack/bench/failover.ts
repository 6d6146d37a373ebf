// `npm run bench failover [-- --only exposition,in-request,loop --orbs 100,1000,10000 --json FILE]`: the cost of
// failover. Measures a tick of the swap loop with a real Prometheus, and a scrape of 1 000 Orbs. Compares a run of an
// Orb that has a second provider with a run of an Orb that has not.
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { endByBadUse, readBenchOptions } from './bench-options.ts';
import { expositionRows, measureExposition } from './failover/exposition.ts';
import { tableOf, type Row } from './table.ts';
import { inRequestRows, measureInRequest } from './failover/in-request.ts';
import { measureReadyLoop, measureSwapLoop, readyLoopRows, swapLoopRows, type LoopSize } from './failover/swap-loop.ts';

const TMPFS_MAGIC = 0x01021994;
const EXPOSED_ORBS = 1000;
/** Prometheus takes more than 1 MB of memory an Orb: for more Orbs only the loop is measured. */
const MAX_WITH_PROMETHEUS = 1000;
/** The baseline covers an hour that ended 5 minutes ago. */
const HISTORY_MINUTES = 70;

const options = readBenchOptions({
  name: 'failover',
  about: `Measures what failover costs: a scrape of 1 000 Orbs, a run of an Orb that has a second provider, and a tick of the swap
loop with a real Prometheus. The exit code is 1 when a goal is missed.`,
  options: [
    {
      name: 'only',
      takes: 'PARTS',
      value: 'exposition,in-request,loop',
      text: 'a comma list of exposition, in-request and loop',
    },
    { name: 'orbs', takes: 'NUMBERS', value: '100,1000,10000', text: 'a comma list: how many Orbs the loop has' },
    { name: 'ticks', takes: 'N', value: '12', least: 1, text: 'ticks of the loop' },
    { name: 'rounds', takes: 'N', value: '8', least: 1, text: 'rounds of runs' },
    { name: 'seconds', takes: 'SECONDS', value: '3', least: 0.1, text: 'duration of each load' },
    { name: 'folder', takes: 'FOLDER', value: tmpdir(), text: 'for the ledger, on a disk' },
    { name: 'json', takes: 'FILE', text: 'saves all measurements' },
  ],
});

/** A part of the benchmark: its table, and its measurements for the file. */
interface Part {
  readonly rows: readonly Row[];
  readonly measured: unknown;
}

async function exposition(): Promise<Part> {
  const api = await measureExposition({ orbs: EXPOSED_ORBS, process: 'api' });
  const measured = [api, await measureExposition({ orbs: EXPOSED_ORBS, process: 'operator' })];
  return { rows: measured.flatMap(expositionRows), measured };
}

async function inRequest(folder: string): Promise<Part> {
  const measured = await measureInRequest(join(folder, 'platform'), {
    rounds: options.number('rounds'),
    seconds: options.number('seconds'),
  });
  return { rows: inRequestRows(measured), measured };
}

async function loopOf(orbs: number, folder: string): Promise<Part> {
  const ticks = options.number('ticks');
  if (orbs > MAX_WITH_PROMETHEUS) {
    const measured = await measureReadyLoop(orbs, ticks, folder);
    return { rows: readyLoopRows(measured), measured };
  }
  console.error(`${orbs} Orbs: filling Prometheus …`);
  const size: LoopSize = { orbs, ticks, historyMinutes: HISTORY_MINUTES, modes: ['query', 'recorded'] };
  const measured = await measureSwapLoop(size, folder);
  return { rows: swapLoopRows(measured), measured };
}

async function loop(folder: string): Promise<Part> {
  const parts: Part[] = [];
  for (const orbs of options.text('orbs').split(',').map(Number)) parts.push(await loopOf(orbs, folder));
  return { rows: parts.flatMap(({ rows }) => rows), measured: parts.map(({ measured }) => measured) };
}

const PARTS: Readonly<Record<string, (folder: string) => Promise<Part>>> = {
  exposition,
  'in-request': inRequest,
  loop,
};

if (statfsSync(options.text('folder')).type === TMPFS_MAGIC) {
  endByBadUse(
    'failover',
    `${options.text('folder')} is in memory: a sync there costs nothing. Choose a folder on a disk by --folder`,
  );
}
const folder = mkdtempSync(join(options.text('folder'), 'orb-bench-'));
const load = loadavg()[0]?.toFixed(2) ?? '?';
console.log(`node ${process.version}, ${cpus().length} cores, load ${load}`);
const found: Record<string, Part> = {};
try {
  for (const name of options.text('only').split(',')) {
    const part = PARTS[name];
    if (part === undefined) throw new Error(`--only takes ${Object.keys(PARTS).join(', ')}`);
    console.error(`measuring ${name} …`);
    found[name] = await part(folder);
    console.log(`\n${tableOf(name, found[name].rows)}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const parts = Object.fromEntries(Object.entries(found).map(([name, { measured }]) => [name, measured]));
const json = options.given('json');
if (json !== undefined) writeFileSync(json, `${JSON.stringify({ node: process.version, load, parts })}\n`);
process.exitCode = Object.values(found).some(({ rows }) => rows.some(({ met }) => met === false)) ? 1 : 0;
