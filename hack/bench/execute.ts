import { mkdtempSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { BAD_USE, badUse } from './bench-options.ts';
import { endOnSignal, withFolder } from './clean-end.ts';
import { checkOut } from './checkout.ts';
import { HELP, parseCommand, type Command } from './execute/command-line.ts';
import { runRounds, selectRounds } from './execute/disturbance.ts';
import { judgeGoals } from './execute/goals.ts';
import { killRound } from './execute/kill.ts';
import { findPortkey } from './execute/portkey.ts';
import { profileRound } from './profile/profile-round.ts';
import { recordedRatio } from './execute/recorded-ratio.ts';
import { runRound, type RoundSettings } from './execute/round.ts';
import { shortRun } from './execute/short-run.ts';
import { measureSync, syncLine } from './execute/sync-time.ts';
import { addedOf, insideOf, ratiosOf, tableOf } from './execute/tables.ts';
import { ROOT } from './subjects.ts';

const TMPFS_MAGIC = 0x01021994;
const RESULTS = join(ROOT, 'hack/bench/results');
/** Fits into two minutes also when every round is repeated. */
const SHORT = {
  rounds: 3,
  warmSeconds: 2,
  warmRequests: 0,
  seconds: 3,
  callers: [32],
  rows: false,
  bare: false,
} as const;

type Wanted = Exclude<Command, { kind: 'help' }>;
type Full = Extract<Command, { kind: 'full' }>;

const print = (line: string): void => console.log(line);
const say = (line: string): void => console.error(line);

/** What was asked for can't be done; the message says why. */
class UsageError extends Error {}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** @returns how the names of own folders in it begin */
function workPrefix({ kind, folder }: Wanted): string {
  if (statfsSync(folder).type === TMPFS_MAGIC) {
    const why = `${folder} is in memory: a sync there costs nothing. Choose a folder on a disk by --folder.`;
    if (kind === 'full') throw new UsageError(why);
    print(why);
  }
  return join(folder, 'orb-bench-');
}

/** Finds the other subjects, and prints what is measured. */
async function prepare(command: Full, folder: string): Promise<RoundSettings> {
  const { against, portkey, rows, bare, warmSeconds, warmRequests, seconds } = command;
  const settings = { warmSeconds, warmRequests, seconds, rows, bare, callers: [1, 32, 256] };
  const checkout = against === undefined ? undefined : join(folder, 'against');
  if (against !== undefined && checkout !== undefined) {
    const commit = checkOut(against, checkout).catch((error: unknown) => {
      throw new UsageError(messageOf(error), { cause: error });
    });
    print(`against: ${await commit}`);
  }
  const found = portkey && command.rounds > 0 ? await findPortkey() : { skipped: 'not wanted' };
  print('PostgreSQL: skipped, the platform has no such ledger');
  if ('skipped' in found) print(`Portkey: skipped, ${found.skipped}`);
  return { ...settings, against: checkout, portkey: 'program' in found ? found.program : undefined };
}

/** @returns whether a round was measured, and no gate is missed */
async function compare(command: Full, folder: string, settings: RoundSettings): Promise<boolean> {
  const sync = measureSync(folder);
  print(syncLine(sync));
  const run = (index: number): ReturnType<typeof runRound> =>
    runRound(mkdtempSync(join(folder, 'round-')), settings, index);
  const judged = await runRounds({ count: command.rounds, run, say });
  const { rounds, notes } = selectRounds(judged);
  const goals = judgeGoals(rounds);
  const results = [
    tableOf(rounds),
    insideOf(rounds),
    ratiosOf(rounds),
    addedOf(rounds),
    [await killRound(join(folder, 'kill'))],
  ];
  const lines = results.flatMap((part) => [...part, '']);
  for (const line of [...lines, ...goals.map(({ text }) => text), ...notes]) print(line);
  if (command.json !== undefined)
    writeFileSync(command.json, JSON.stringify({ node: process.version, sync, rounds: judged, goals }));
  return rounds.length > 0 && goals.every(({ verdict }) => verdict !== 'gate missed');
}

async function runFull(command: Full, folder: string): Promise<boolean> {
  const settings = await prepare(command, folder);
  const passed = command.rounds === 0 || (await compare(command, folder, settings));
  if (command.profile) {
    const { warmSeconds, seconds } = command;
    const top = await profileRound(join(folder, 'profile'), { warmSeconds, seconds: seconds * 2, results: RESULTS });
    for (const line of ['', ...top, `profile and flame graph: ${RESULTS}/execute-profile.*`]) print(line);
  }
  return passed;
}

function readCommand(): Command {
  try {
    return parseCommand(process.argv.slice(2));
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
}

async function execute(command: Wanted): Promise<boolean> {
  return withFolder(workPrefix(command), async (folder) => {
    const { node, sqlite } = process.versions;
    print(`node ${node}, SQLite ${sqlite}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(2) ?? '?'}`);
    if (command.kind === 'full') return runFull(command, folder);
    const oneRound = (index: number): ReturnType<typeof runRound> =>
      runRound(mkdtempSync(join(folder, 'round-')), SHORT, index);
    return shortRun({ count: SHORT.rounds, run: oneRound, recorded: recordedRatio(), print });
  });
}

endOnSignal();
try {
  const command = readCommand();
  if (command.kind === 'help') process.stdout.write(HELP);
  else process.exitCode = (await execute(command)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  say(badUse('execute', error));
  process.exitCode = BAD_USE;
}
