// `npm run bench ingest`: webhooks from their acceptance to their effects. `-- --help` lists the options.
import { statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { BAD_USE, badUse } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { HELP, parseCommand, type Command } from './ingest/command-line.ts';
import { measurePart } from './ingest/parts.ts';
import { logFile, startMock } from './subjects.ts';
import { tableOf, type Row } from './table.ts';

const TMPFS_MAGIC = 0x01021994;

type Wanted = Extract<Command, { kind: 'measure' }>;

const loadNow = (): string => loadavg()[0]?.toFixed(2) ?? '?';

/** @returns whether every goal is met */
async function measure({ settings, parts, json }: Wanted, folder: string): Promise<boolean> {
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadNow()}, ${settings.events} events`);
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  const mock = await startMock(logFile(folder, 'mock.txt'));
  try {
    for (const part of parts) {
      console.error(`${part} …`);
      const load = loadNow();
      const found = await measurePart(part, { folder, mock: mock.port, settings });
      rows.push(...found.rows);
      measured[part] = { load, found: found.measured };
    }
  } finally {
    await mock.started.stop();
  }
  console.log(`\n${tableOf('ingestion', rows)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ node: process.version, settings, measured })}\n`);
  return rows.every(({ met }) => met !== false);
}

function readCommand(): Command | undefined {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    console.error(badUse('ingest', error));
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
  const { folder } = command;
  if (statfsSync(folder).type === TMPFS_MAGIC) {
    console.error(`${folder} is in memory: a sync there costs nothing. Choose a folder on a disk.`);
    return BAD_USE;
  }
  const met = await withFolder(join(folder, 'orb-bench-'), (own) => measure(command, own));
  return met ? 0 : 1;
}

endOnSignal();
process.exitCode = await run(readCommand());
