import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import type { PreparedAct } from './acts.ts';
import type { Aim } from './aims.ts';
import type { Said } from './client.ts';
import type { PolicyRows } from './rows.ts';
import type { ChangeSubject, RunningPlatform } from './subject.ts';

/** What a kill needs to know. */
export interface Scene {
  readonly subject: ChangeSubject;
  readonly running: RunningPlatform;
  readonly rows: PolicyRows;
  readonly name: string;
  /** In [0, 1), seeded. */
  readonly random: () => number;
}

/** An act that takes longer is killed all the same. */
const LATE_MS = 10_000;

async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + LATE_MS;
  while (!holds() && performance.now() < end) await setImmediate();
}

/** The answer, or undefined when the kill broke its connection. */
type Answer = Promise<Said | undefined>;

async function wait(
  aim: Exclude<Aim, { at: 'object' }>,
  act: PreparedAct,
  scene: Scene,
  answer: Answer,
): Promise<void> {
  const { rows, name, random } = scene;
  if (aim.at === 'written') return until(() => act.isWritten(rows));
  if (aim.at === 'counted') return until(() => rows.replays(name).some(({ counted }) => counted > 0));
  if (aim.at === 'answered') await answer;
  const ms = random() * aim.upToMs;
  if (ms >= 1) await delay(ms);
}

/** Does the act, and kills the platform at the moment of the aim. @returns its answer; undefined when none came */
export async function strike(scene: Scene, aim: Aim, act: PreparedAct): Promise<Said | undefined> {
  const { subject, running, name } = scene;
  const gone = aim.at === 'object' ? subject.killAtWrite(name, aim.write, running.kill) : undefined;
  const answer = act.send().catch(() => undefined);
  if (aim.at === 'object') {
    await Promise.race([gone, delay(LATE_MS, undefined, { ref: false })]);
  } else {
    await wait(aim, act, scene, answer);
  }
  await running.kill();
  return answer;
}
