// `npm run bench replay`: replays of policies over many receipts. `-- --help` lists the options.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '../../adapters/api-keys/files.ts';
import { BAD_USE, badUse } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { besideRows, measureBeside, type BesideRound } from './replay/beside.ts';
import { CHANGED, deniedRuns, withChangedBytes } from './replay/changed-bytes.ts';
import { HELP, parseCommand, type Command, type Settings } from './replay/command-line.ts';
import { draftRows, measureDraft, type DraftReplays } from './replay/draft-replay.ts';
import { exactnessRows, measureExactness, measureTampered, type Exactness, type Tampered } from './replay/exactness.ts';
import { filledLedger, type FilledLedger } from './replay/filled-ledger.ts';
import { enforcing as tenantWithPolicies, RECORDING } from './replay/tenants.ts';
import { compile } from './compiled.ts';
import { logFile, startMock, startPlatform, type BenchServer } from './subjects.ts';
import { row, tableOf, type Row } from './table.ts';

const TMPFS_MAGIC = 0x01021994;
const ENFORCING = tenantWithPolicies(1).namespace;

interface Measured {
  readonly ledger: Omit<FilledLedger, 'folder' | 'file'>;
  readonly draft: DraftReplays;
  readonly beside: readonly BesideRound[];
  readonly exact: Exactness;
  readonly tampered: Tampered;
}

/** The running platform, as each sender of requests sees it. */
interface Senders {
  /** Executes in a tenant without policies. */
  readonly executor: BenchServer;
  /** Replays receipts of the tenant that only records. */
  readonly drafter: BenchServer;
  /** Replays receipts of the tenant with policies in force. */
  readonly enforcer: BenchServer;
}

/** Starts the platform over the ledger for the time of `work`. */
type Serve = <T>(work: (senders: Senders) => Promise<T>) => Promise<T>;

async function keyOf(folder: string, tenant: string): Promise<BenchServer['headers']> {
  const key = {
    tenants: [tenant],
    scopes: ['policies:simulate', 'policies:read'] as const,
    rate: '0',
    createdBy: 'the benchmark',
  };
  const { text } = await createApiKey(join(folder, 'data/api-keys'), key, { now: Date.now(), random: randomBytes });
  return { authorization: `Bearer ${text}` };
}

async function withMock<T>(log: number, work: (port: number) => Promise<T>): Promise<T> {
  const mock = await startMock(log);
  try {
    return await work(mock.port);
  } finally {
    await mock.started.stop();
  }
}

async function serveOver(folder: string, mock: number, log: number): Promise<Serve> {
  const [drafting, enforcing] = [await keyOf(folder, RECORDING.namespace), await keyOf(folder, ENFORCING)];
  return async (work) => {
    rmSync(join(folder, 'ready.json'), { force: true }); // an interrupted benchmark left it
    const executor = await startPlatform(folder, mock, log, { isCompiled: true });
    try {
      return await work({
        executor,
        drafter: { ...executor, headers: drafting },
        enforcer: { ...executor, headers: enforcing },
      });
    } finally {
      await executor.started.stop();
    }
  };
}

async function measureLedger(folder: string, settings: Settings): Promise<Measured> {
  const { file, ...ledger } = await filledLedger(folder, settings);
  const denied = deniedRuns(file, ENFORCING);
  const log = logFile(folder, 'log.txt');
  return withMock(log, async (mock) => {
    const serve = await serveOver(folder, mock, log);
    const found = await serve(async ({ executor, drafter, enforcer }) => {
      console.error('replaying a draft …');
      const draft = await measureDraft(drafter, settings.receipts, settings.replays);
      console.error('replaying the policies in force …');
      const exact = await measureExactness(enforcer, ENFORCING, denied);
      console.error('executing beside replays …');
      return { draft, exact, beside: await measureBeside(executor, drafter, settings) };
    });
    console.error('replaying with changed bytes …');
    const tampered = await withChangedBytes(file, ENFORCING, () =>
      serve(({ enforcer }) => measureTampered(enforcer, ENFORCING, CHANGED)),
    );
    return { ledger, ...found, tampered };
  });
}

function ledgerRows({ runsPerSecond, bytesPerRun }: Measured['ledger']): readonly Row[] {
  const made = runsPerSecond === undefined ? [] : [row('runs made a second', [runsPerSecond], { digits: 0 })];
  return [...made, row('ledger, bytes a run', [bytesPerRun], { digits: 0 })];
}

type Wanted = Extract<Command, { kind: 'measure' }>;

/** @returns whether every goal is met */
async function measure({ settings, json }: Wanted, folder: string): Promise<boolean> {
  const load = loadavg()[0]?.toFixed(2) ?? '?';
  console.log(`node ${process.version}, ${cpus().length} cores, load ${load}`);
  await compile();
  const measured = await measureLedger(folder, settings);
  const rows = [
    ...ledgerRows(measured.ledger),
    ...draftRows(measured.draft),
    ...besideRows(measured.beside, settings),
    ...exactnessRows(measured.exact, measured.tampered, settings.exact),
  ];
  console.log(`\n${tableOf('replay', rows)}`);
  for (const difference of measured.exact.differences) console.log(difference);
  if (json !== undefined)
    writeFileSync(json, `${JSON.stringify({ node: process.version, load, settings, ...measured })}\n`);
  return rows.every(({ met }) => met !== false);
}

function readCommand(): Command | undefined {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    console.error(badUse('replay', error));
    return undefined;
  }
}

function isOnDisk(folder: string): boolean {
  if (statfsSync(folder).type !== TMPFS_MAGIC) return true;
  console.error(`${folder} is in memory: a sync there costs nothing. Choose a folder on a disk.`);
  return false;
}

/** @returns the exit code */
async function run(command: Command | undefined): Promise<number> {
  if (command === undefined) return BAD_USE;
  if (command.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const { ledger, folder } = command;
  if (ledger !== undefined) mkdirSync(ledger, { recursive: true });
  if (!isOnDisk(ledger ?? folder)) return BAD_USE;
  const met =
    ledger === undefined
      ? await withFolder(join(folder, 'orb-bench-'), (own) => measure(command, own))
      : await measure(command, ledger);
  return met ? 0 : 1;
}

endOnSignal();
process.exitCode = await run(readCommand());
