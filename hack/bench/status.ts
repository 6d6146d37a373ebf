// `npm run bench status`: the status page, its prober and its canary. `-- --help` lists the options.
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { endByBadUse } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { compile } from './compiled.ts';
import { canaryRows, measureCanary } from './status/canary.ts';
import { HELP, parseCommand, type Command, type Part, type Settings } from './status/command-line.ts';
import { footprintRows, measureFootprint } from './status/footprint.ts';
import { measurePages, pageRows } from './status/pages.ts';
import { ROOT } from './subjects.ts';
import { tableOf, type Row } from './table.ts';

const VALUES = join(ROOT, 'charts/orb-platform/values.yaml');

type Wanted = Extract<Command, { kind: 'measure' }>;

interface Found {
  readonly rows: readonly Row[];
  /** Everything that was measured, for `--json`. */
  readonly measured: unknown;
}

const MEASURES: Readonly<Record<Part, (folder: string, settings: Settings) => Promise<Found>>> = {
  pages: async (folder, settings) => {
    const measured = await measurePages(folder, settings);
    return { rows: pageRows(measured, settings), measured };
  },
  prober: async (folder, settings) => {
    const measured = await measureFootprint(folder, settings);
    return { rows: footprintRows(measured, settings), measured };
  },
  canary: async (folder, settings) => {
    const measured = await measureCanary(folder, settings);
    return { rows: canaryRows(measured, VALUES), measured };
  },
};

const loadNow = (): string => loadavg()[0]?.toFixed(2) ?? '?';

/** @returns whether every goal is met */
async function measure({ settings, parts, json }: Wanted, folder: string): Promise<boolean> {
  if (settings.isCompiled) await compile();
  console.log(`node ${process.version}, ${cpus().length} cores, load ${loadNow()}`);
  const rows: Row[] = [];
  const measured: Record<string, unknown> = {};
  for (const part of parts) {
    console.error(`${part} …`);
    const load = loadNow();
    const found = await MEASURES[part](join(folder, part), settings);
    rows.push(...found.rows);
    measured[part] = { load, found: found.measured };
  }
  console.log(`\n${tableOf('status', rows)}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ node: process.version, settings, measured })}\n`);
  return rows.every(({ met }) => met !== false);
}

function readCommand(): Command {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    return endByBadUse('status', error);
  }
}

/** @returns the exit code */
async function run(command: Command): Promise<number> {
  if (command.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const met = await withFolder(join(command.folder, 'orb-bench-'), (own) => measure(command, own));
  return met ? 0 : 1;
}

endOnSignal();
process.exitCode = await run(readCommand());
