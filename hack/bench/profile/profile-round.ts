import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { logFile, ROOT, startMock, startPlatform } from '../subjects.ts';
import { foldProfile, isCpuProfile, topFunctions, type CpuProfile, type Window } from './cpu-profile.ts';
import { flameGraph } from './flame-graph.ts';
import { measure } from '../execute/measurement.ts';

const TOP = 40;
const INTERVAL_MICROS = 500;
const CALLERS = 32;

const nowMicros = (): number => Number(process.hrtime.bigint() / 1000n);

/** Node writes a profile for each thread that ends; the name of the main thread's has a 0 after the process id. */
function readProfile(folder: string, pid: number): CpuProfile {
  const file = readdirSync(folder).find((name) => name.includes(`.${pid}.0.`));
  if (file === undefined) throw new Error(`the platform left no profile in ${folder}`);
  const profile: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  if (!isCpuProfile(profile)) throw new TypeError(`${file} is no CPU profile`);
  return profile;
}

interface ProfileSettings {
  readonly warmSeconds: number;
  readonly seconds: number;
  /** Where the files are written. */
  readonly results: string;
}

/** @returns the profile of the whole process, and the part of it under load */
async function profileLoad(folder: string, { warmSeconds, seconds }: ProfileSettings): Promise<Profiled> {
  const log = logFile(folder, 'log.txt');
  const profiles = join(folder, 'profiles');
  const node = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, `--cpu-prof-interval=${INTERVAL_MICROS}`];
  const mock = await startMock(log);
  try {
    const subject = await startPlatform(folder, mock.port, log, { node });
    let window: Window;
    try {
      await measure(subject, mock.started, { name: 'warm-up', callers: CALLERS, seconds: warmSeconds });
      const from = nowMicros();
      await measure(subject, mock.started, { name: 'profile', callers: CALLERS, seconds });
      window = { from, to: nowMicros() };
    } finally {
      await subject.started.stop();
    }
    return { profile: readProfile(profiles, subject.started.pid), window };
  } finally {
    await mock.started.stop();
  }
}

interface Profiled {
  readonly profile: CpuProfile;
  readonly window: Window;
}

/**
 * Profiles the main thread of the platform at 32 callers, after a warm-up. Writes the profile, a flame graph and the list
 * of the busiest functions. It is a round of its own, because the profiler slows it down.
 * @param folder on a disk
 * @returns the list
 */
export async function profileRound(folder: string, settings: ProfileSettings): Promise<readonly string[]> {
  const { profile, window } = await profileLoad(folder, settings);
  const tree = foldProfile(profile, window, ROOT);
  const top = topFunctions(tree, TOP);
  mkdirSync(settings.results, { recursive: true });
  const write = (end: string, text: string): void =>
    writeFileSync(join(settings.results, `execute-profile.${end}`), text);
  write('cpuprofile', JSON.stringify(profile));
  write('svg', flameGraph(tree, `main thread at ${CALLERS} callers`));
  write('txt', `${top.join('\n')}\n`);
  return top;
}
