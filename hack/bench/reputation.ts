// `npm run bench reputation`: what publishing costs. `-- --help` lists the options.
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { BAD_USE, badUse } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { HELP, parseCommand, type Command, type PartName, type Settings } from './reputation/command-line.ts';
import { hostileRows, measureHostile } from './reputation/hostile.ts';
import { listRows, measureLists } from './reputation/lists.ts';
import { measurePublishing, publishRows } from './reputation/publish-time.ts';
import { measurePublishedRuns, runRows } from './reputation/published-runs.ts';
import { measureReads, readRows } from './reputation/reads.ts';
import { measureScores, scoreRows } from './reputation/scores.ts';
import { tableOf, type Row } from './table.ts';

const TMPFS_MAGIC = 0x01021994;

/** A part of the benchmark: its table, and its measurements for the file. */
interface Part {
  readonly rows: readonly Row[];
  readonly measured: unknown;
}

const PARTS: Readonly<Record<PartName, (folder: string, settings: Settings) => Promise<Part>>> = {
  runs: async (folder, settings) => {
    const measured = await measurePublishedRuns(folder, settings);
    return { rows: runRows(measured), measured };
  },
  lists: async (folder, settings) => {
    const measured = await measureLists(folder, settings);
    return { rows: listRows(measured, settings), measured };
  },
  reads: async (folder, settings) => {
    const measured = await measureReads(folder, settings);
    return { rows: readRows(measured), measured };
  },
  scores: async (folder, settings) => {
    const measured = await measureScores(folder, settings);
    return { rows: scoreRows(measured, settings), measured };
  },
  publish: async (folder, settings) => {
    const measured = await measurePublishing(folder, settings);
    return { rows: publishRows(measured, settings), measured };
  },
  hostile: async (folder, settings) => {
    const measured = await measureHostile(folder, settings);
    return { rows: hostileRows(measured), measured };
  },
};

type Wanted = Extract<Command, { kind: 'measure' }>;

/** @returns whether every goal is met */
async function measure({ parts, settings, json }: Wanted, folder: string): Promise<boolean> {
  const load = loadavg()[0]?.toFixed(2) ?? '?';
  console.log(`node ${process.version}, ${cpus().length} cores, load ${load}`);
  const found: [PartName, Part][] = [];
  for (const name of parts) {
    console.error(`measuring ${name} …`);
    const own = join(folder, name);
    mkdirSync(own);
    const part = await PARTS[name](own, settings);
    found.push([name, part]);
    console.log(`\n${tableOf(name, part.rows)}`);
  }
  const measured = Object.fromEntries(found.map(([name, part]) => [name, part.measured]));
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ node: process.version, load, settings, parts: measured })}\n`);
  return found.every(([, { rows }]) => rows.every(({ met }) => met !== false));
}

function readCommand(): Command | undefined {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    console.error(badUse('reputation', error));
    return undefined;
  }
}

/** @returns the exit code */
async function run(command: Command | undefined): Promise<number> {
  if (command === undefined) return BAD_USE;
  if (command.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (statfsSync(command.folder).type === TMPFS_MAGIC) {
    console.error(`${command.folder} is in memory: a sync there costs nothing. Choose a folder on a disk by --folder.`);
    return BAD_USE;
  }
  const met = await withFolder(join(command.folder, 'orb-bench-'), (folder) => measure(command, folder));
  return met ? 0 : 1;
}

endOnSignal();
process.exitCode = await run(readCommand());
