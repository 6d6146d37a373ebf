import { setTimeout as delay } from 'node:timers/promises';
import type { LogEntry } from '../../../core/log-entry/entry.ts';
import { answerFaults, isDone, noteReport, sendAct, type Act, type Asked } from './act.ts';
import type { Aim } from './aims.ts';
import { openLedgerEye, type LedgerEye } from './ledger-eye.ts';
import { stepOf, type Pace, type Step } from './steps.ts';
import type { Running, Subject } from './subject.ts';
import type { Track } from './track.ts';

/** A platform with acts that are about to begin. */
export interface Scene {
  readonly subject: Subject;
  readonly running: Running;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly pace: Pace;
  readonly faults: string[];
}

/** What a kill hit. */
export interface Strike {
  readonly step: Step;
  /** All acts that were in progress. */
  readonly asked: readonly Asked[];
  /** The other fault at the same time; '' without one. */
  readonly disturbance: string;
  /** Entries that the dead platform had committed. */
  readonly size: number;
}

/** An act in progress. */
interface Doing {
  readonly act: Act;
  readonly isAnswered: () => boolean;
  /** Whether it was acknowledged, when its platform is dead. */
  readonly ended: () => Promise<boolean>;
}

/** Other acts begin in this time after the one that is aimed at. */
const COMPANION_MS = 250;
const REPORTED_MS = 30;

function beginApply({ subject, faults }: Scene, act: Extract<Act, { kind: 'apply' }>): Doing {
  const over = new AbortController();
  let isReported = false;
  const follow = async (): Promise<void> => {
    await subject.apply(act.track.version, act.body);
    while (!over.signal.aborted && !isReported) {
      isReported = await subject.isReported(act.track.version);
      await delay(REPORTED_MS);
    }
  };
  const following = follow().catch(
    (error: unknown) => void faults.push(`${act.track.version.orbId}: ${String(error)}`),
  );
  const ended = async (): Promise<boolean> => {
    over.abort();
    await following;
    return isReported;
  };
  return { act, isAnswered: () => isReported, ended };
}

function begin(scene: Scene, act: Act, share = 1): Doing {
  if (act.kind !== 'status') noteReport(act.track, act.body);
  if (act.kind === 'apply') return beginApply(scene, act);
  let isAnswered = false;
  const { answer } = sendAct(scene.running, act, share);
  const ended = answer.then((found) => {
    isAnswered = found !== undefined;
    scene.faults.push(...answerFaults(act, found));
    return isDone(found);
  });
  return { act, isAnswered: () => isAnswered, ended: () => ended };
}

/** Begins some ms later, unless the platform is dead by then. */
async function beginLater(scene: Scene, act: Act, ms: number, dead: AbortSignal): Promise<Doing | undefined> {
  await delay(ms, undefined, { signal: dead }).catch(() => undefined);
  return dead.aborted ? undefined : begin(scene, act);
}

const entriesOf = (eye: LedgerEye, from: number, { version }: Track): readonly LogEntry[] =>
  eye.entries(from).filter((entry) => 'orb_id' in entry && entry.orb_id === version.orbId);

async function strikeSeen(
  scene: Scene,
  aim: Aim,
  [focus, ...companions]: readonly [Act, ...Act[]],
  eye: LedgerEye,
): Promise<Strike> {
  const { subject, running, random, pace } = scene;
  const from = eye.size();
  const dead = new AbortController();
  const disturbance = subject.disturb();
  const began = performance.now();
  const doing = begin(scene, focus, aim.share);
  const later = companions.map((act) => beginLater(scene, act, random() * COMPANION_MS, dead.signal));
  const entries = (): readonly LogEntry[] => entriesOf(eye, from, focus.track);
  const isProjected = (): boolean => eye.isProjected(focus.track.version.orbId);
  await aim.wait({
    has: (kind) => entries().some((entry) => entry.kind === kind),
    isProjected,
    isAnswered: doing.isAnswered,
    random,
    pace,
  });
  const elapsedMs = performance.now() - began;
  await running.kill();
  dead.abort();
  const others = (await Promise.all(later)).filter((one) => one !== undefined);
  const asked = await Promise.all(
    [doing, ...others].map(async ({ act, ended }) => ({ act, isAcknowledged: await ended() })),
  );
  const reached = {
    kind: aim.kind,
    share: aim.share ?? 1,
    elapsedMs,
    isAnswered: asked[0]?.isAcknowledged ?? false,
    entries: entries(),
    isProjected: isProjected(),
  };
  return { step: stepOf(reached, pace), asked, disturbance, size: eye.size() };
}

/** Begins acts on a platform, and kills it at the moment of the aim. @param acts the first one is aimed at */
export async function strike(scene: Scene, aim: Aim, acts: readonly [Act, ...Act[]]): Promise<Strike> {
  const eye = openLedgerEye(scene.running.ledgerFile);
  try {
    return await strikeSeen(scene, aim, acts, eye);
  } finally {
    eye.close();
  }
}
