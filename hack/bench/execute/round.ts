import { join } from 'node:path';
import type { Started } from '../processes.ts';
import { proveLedger } from '../proof.ts';
import { logFile, startBareRun, startMock, startPassThrough, startPlatform, type BenchServer } from '../subjects.ts';
import { callersName, measure, type Measurement, type Row } from './measurement.ts';
import { startPortkey } from './portkey.ts';
import { measureInTurns } from './turns.ts';
import { VARIANTS, writeVariants } from './variants.ts';

/** `against` is the platform of another commit; `bare-run` a pass-through with two commits and a signature. */
export const SUBJECTS = ['pass-through', 'bare-run', 'against', 'platform', 'portkey'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

/** The rows of each subject that was measured. */
export type Round = Readonly<Partial<Record<SubjectName, readonly Row[]>>>;

export interface RoundSettings {
  readonly warmSeconds: number;
  /** The warm-up ends after so many requests, or after a minute. */
  readonly warmRequests: number;
  readonly seconds: number;
  readonly callers: readonly number[];
  /** Whether the platform also runs the variants. */
  readonly rows: boolean;
  /** Whether the bare run is a subject. */
  readonly bare: boolean;
  /** Folder of the other commit's code. */
  readonly against?: string | undefined;
  /** Portkey's program. */
  readonly portkey?: string | undefined;
}

interface Place {
  readonly folder: string;
  readonly log: number;
  readonly mock: Awaited<ReturnType<typeof startMock>>;
}

/** A subject that was started, and what was measured of it. */
interface Running {
  readonly name: SubjectName;
  readonly server: BenchServer;
  /** The warm-up is the first one. */
  readonly rows: Row[];
  /** All of its answers. */
  answered: number;
}

interface Load {
  readonly subject: Running;
  readonly measurement: Omit<Measurement, 'seconds'>;
}

/** What a subject that was idle needs to be in use again, not measured: caches, connections, the collector of garbage. */
const AGAIN_SECONDS = 0.5;
const MOST_WARM_SECONDS = 60;
/** The callers of the variants. */
const ORDINARY = 32;

const isPlatform = (name: SubjectName): name is 'against' | 'platform' => name === 'against' || name === 'platform';

/** Loads a subject until V8 has compiled what runs often: that takes a number of requests more than a time. */
async function warmUp(
  subject: BenchServer,
  { mock }: Place,
  { warmSeconds, warmRequests }: Pick<RoundSettings, 'warmSeconds' | 'warmRequests'>,
): Promise<Row> {
  const one = { name: 'warm-up', callers: ORDINARY, seconds: warmSeconds };
  let row = await measure(subject, mock.started, one);
  for (let seconds = warmSeconds; row.requests < warmRequests && seconds < MOST_WARM_SECONDS; seconds += warmSeconds) {
    const { requests } = row;
    const next = await measure(subject, mock.started, one);
    row = { ...next, requests: requests + next.requests };
  }
  return row;
}

async function startSubject(name: SubjectName, place: Place, settings: RoundSettings): Promise<BenchServer> {
  const { folder, log, mock } = place;
  const own = join(folder, name);
  if (isPlatform(name) && settings.rows) writeVariants(own, mock.port);
  switch (name) {
    case 'pass-through':
      return startPassThrough(mock.port, log);
    case 'bare-run':
      return startBareRun(own, mock.port, log);
    case 'portkey':
      return startPortkey(settings.portkey ?? '', mock.port, log);
    case 'against':
      return startPlatform(own, mock.port, log, { checkout: settings.against ?? '' });
    case 'platform':
      return startPlatform(own, mock.port, log);
    default:
      return name satisfies never;
  }
}

/** The order of the subjects. The two commits take turns in being the first: the second finds a warmer machine. */
export function subjectsOf({ against, portkey, bare }: RoundSettings, index: number): readonly SubjectName[] {
  const commits: readonly SubjectName[] = against === undefined ? ['platform'] : ['against', 'platform'];
  const turned = index % 2 === 0 ? commits.toReversed() : commits;
  const peer = portkey === undefined ? [] : (['portkey'] as const);
  return ['pass-through', ...(bare ? (['bare-run'] as const) : []), ...turned, ...peer];
}

/** What is measured in turns with so many callers: the load of all subjects, and the variants of the platforms. */
const loadsWith = (callers: number, rows: boolean, subjects: readonly Running[]): readonly Load[] =>
  subjects.flatMap((subject) => {
    const variants = rows && callers === ORDINARY && isPlatform(subject.name) ? VARIANTS : [];
    return [{ name: callersName(callers) }, ...variants].map((one) => ({ subject, measurement: { ...one, callers } }));
  });

async function measureTurn({ subject, measurement }: Load, mock: Started, seconds: number): Promise<Row> {
  const again = await measure(subject.server, mock, { ...measurement, seconds: AGAIN_SECONDS });
  const row = await measure(subject.server, mock, { ...measurement, seconds });
  subject.answered += again.requests + row.requests;
  return row;
}

/** Warms all subjects up, then loads them. */
async function measureAll(subjects: readonly Running[], place: Place, settings: RoundSettings): Promise<void> {
  const mock = place.mock.started;
  for (const subject of subjects) {
    const row = await warmUp(subject.server, place, settings);
    subject.rows.push(row);
    subject.answered += row.requests;
  }
  for (const callers of settings.callers) {
    const loads = loadsWith(callers, settings.rows, subjects);
    const measured = await measureInTurns(
      loads.map((load) => (seconds) => measureTurn(load, mock, seconds)),
      settings.seconds,
    );
    for (const [index, { subject }] of loads.entries()) subject.rows.push(...measured.slice(index, index + 1));
  }
}

/** @throws Error its ledger differs from what was answered */
async function prove({ name, answered }: Running, { folder }: Place): Promise<void> {
  const receipts = await proveLedger(join(folder, name, 'data'), { answered });
  console.error(`  ${name}: ${answered} answers, ${receipts} receipts: each verified in the log`);
}

/**
 * Measures all subjects beside each other, each in a fresh process with a fresh ledger: a load takes them in turns, so that
 * a machine that changes its speed meanwhile is as fast for one as for the other. Who has no turn is idle.
 * @param folder on a disk
 * @throws Error a request failed, or a ledger differs from what was answered
 */
export async function runRound(folder: string, settings: RoundSettings, index: number): Promise<Round> {
  const log = logFile(folder, 'log.txt');
  const place = { folder, log, mock: await startMock(log) };
  const subjects: Running[] = [];
  try {
    for (const name of subjectsOf(settings, index))
      subjects.push({ name, server: await startSubject(name, place, settings), rows: [], answered: 0 });
    await measureAll(subjects, place, settings);
  } finally {
    for (const { server } of subjects) await server.started.stop();
    await place.mock.started.stop();
  }
  for (const subject of subjects) if (isPlatform(subject.name)) await prove(subject, place);
  return Object.fromEntries(subjects.map(({ name, rows }) => [name, rows]));
}
