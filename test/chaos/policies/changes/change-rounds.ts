import type { Observations } from '../../witness.ts';
import { kindOfFault, type PointKill } from '../points.ts';
import { prepareAct, runOf, type Stage } from './acts.ts';
import { aimText, type Aim } from './aims.ts';
import { checkChange } from './check-change.ts';
import { openPolicyRows, type PolicyRows } from './rows.ts';
import { strike } from './strike.ts';
import type { ChangeSubject, RunningPlatform } from './subject.ts';

export interface ChangeRounds {
  readonly subject: ChangeSubject;
  readonly rounds: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  /** Receives receipts and faults. */
  readonly seen: Observations;
  readonly say?: (line: string) => void;
  /** Runs before the first kill, which every replay decides again. */
  readonly runs?: number;
  /** Some of the aims of the subject; default: all. */
  readonly aims?: readonly Aim[];
}

/** What the kills hit. */
export interface StruckChanges {
  /** By aim, and by what was there after the kill. */
  readonly struck: ReadonlyMap<string, number>;
  /** Every kill, by its act. */
  readonly kills: readonly PointKill[];
}

/** How far the act came: its answer, its rows, or neither. */
const progressOf = (isAnswered: boolean, isWritten: boolean): string => {
  if (isAnswered) return 'answered';
  return isWritten ? 'written, not answered' : 'no row written';
};

/** How the replay ended that a kill was aimed at. */
const replayText = ({ act }: Aim, rows: PolicyRows, name: string): string =>
  act === 'replay'
    ? rows
        .replays(name)
        .map(({ status }) => `, ${status}`)
        .join('')
    : '';

/** What a kill left: it came before the answer, or while the replay that was answered for still ran. */
function killOf({ act }: Aim, isAnswered: boolean, progress: string, faults: readonly string[]): PointKill {
  const countOf = (kind: string): number => faults.filter((fault) => kindOfFault(fault) === kind).length;
  const isHit = !isAnswered || (act === 'replay' && progress.includes('aborted'));
  return { point: act, isHit, lost: countOf('lost'), doubled: countOf('doubled') };
}

/** Runs that a replay decides again: each meets the policy of the stage. */
async function seedRuns(stage: Stage, runs: number): Promise<void> {
  const AT_ONCE = 8;
  for (let sent = 0; sent < runs; sent += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, runs - sent) }, () => runOf(stage)));
}

/** One kill, and what it left. @returns the platform that was started again */
async function round(
  { subject, random, seen, runs = 0 }: ChangeRounds,
  running: RunningPlatform,
  { aim, number }: { readonly aim: Aim; readonly number: number },
): Promise<{ readonly next: RunningPlatform; readonly progress: string; readonly kill: PointKill }> {
  const rows = openPolicyRows(running.ledgerFile);
  const name = `change-${number}`;
  try {
    const stage = { running, rows, name, acknowledged: seen.acknowledged };
    const prepared = await prepareAct(stage, aim.act);
    if (number === 1) await seedRuns(stage, runs);
    const answer = await strike({ subject, running, rows, name, random }, aim, prepared);
    const isWritten = prepared.isWritten(rows);
    const next = await subject.start();
    const progress = progressOf(answer !== undefined, isWritten) + replayText(aim, rows, name);
    const faults: string[] = [];
    try {
      faults.push(
        ...(await checkChange({ subject, stage: { ...stage, running: next }, act: aim.act, prepared, answer })),
      );
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
    seen.faults.push(...faults.map((fault) => `${aimText(aim)}: ${fault}`));
    return { next, progress, kill: killOf(aim, answer !== undefined, progress, faults) };
  } finally {
    rows.close();
  }
}

/** Kills a platform while policies are replayed, promoted, replaced, approved for and deleted; stops it at the end. */
export async function changeRounds(options: ChangeRounds): Promise<StruckChanges> {
  const { subject, rounds, seen, say, aims = subject.aims } = options;
  const struck = new Map<string, number>();
  const kills: PointKill[] = [];
  let running = await subject.start();
  for (let number = 1; number <= rounds; number += 1) {
    const aim = aims[(number - 1) % aims.length];
    if (aim === undefined) throw new TypeError('a subject has aims');
    const { next, progress, kill } = await round(options, running, { aim, number });
    running = next;
    kills.push(kill);
    const what = `${aimText(aim)}: ${progress}`;
    struck.set(what, (struck.get(what) ?? 0) + 1);
    say?.(`kill ${number}, at ${what}`);
  }
  const code = await running.stop();
  if (code !== 0) seen.faults.push(`the last stop ended with ${code}`);
  return { struck, kills };
}
