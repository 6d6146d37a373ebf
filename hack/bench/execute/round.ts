import { join } from 'node:path';
import { proveLedger } from '../proof.ts';
import { logFile, startMock, startPassThrough, startPlatform, type BenchServer } from '../subjects.ts';
import { callersName, measure, type Measurement, type Row } from './measurement.ts';
import { startPortkey } from './portkey.ts';
import { VARIANTS, writeVariants } from './variants.ts';

/** `against` is the platform of another commit. */
export const SUBJECTS = ['pass-through', 'against', 'platform', 'portkey'] as const;
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

const MOST_WARM_SECONDS = 60;

/** Loads a subject until V8 has compiled what runs often: that takes a number of requests more than a time. */
async function warmUp(
  subject: BenchServer,
  { mock }: Place,
  { warmSeconds, warmRequests }: Pick<RoundSettings, 'warmSeconds' | 'warmRequests'>,
): Promise<Row> {
  const one = { name: 'warm-up', callers: 32, seconds: warmSeconds };
  let row = await measure(subject, mock.started, one);
  for (let seconds = warmSeconds; row.requests < warmRequests && seconds < MOST_WARM_SECONDS; seconds += warmSeconds) {
    const { requests } = row;
    const next = await measure(subject, mock.started, one);
    row = { ...next, requests: requests + next.requests };
  }
  return row;
}

/** The warm-up is the first row. */
async function series(
  subject: BenchServer,
  place: Place,
  settings: RoundSettings,
  variants: readonly Measurement[] = [],
): Promise<readonly Row[]> {
  const { mock } = place;
  const loads = [...loadsOf(settings), ...variants];
  const rows: Row[] = [];
  try {
    rows.push(await warmUp(subject, place, settings));
    for (const one of loads) rows.push(await measure(subject, mock.started, one));
  } finally {
    await subject.started.stop();
  }
  return rows;
}

const loadsOf = ({ seconds, callers }: RoundSettings): readonly Measurement[] =>
  callers.map((count) => ({ name: callersName(count), callers: count, seconds }));

async function platformRows(
  name: 'against' | 'platform',
  place: Place,
  settings: RoundSettings,
): Promise<readonly Row[]> {
  const own = join(place.folder, name);
  if (settings.rows) writeVariants(own, place.mock.port);
  const code = name === 'against' && settings.against !== undefined ? { checkout: settings.against } : {};
  const variants = settings.rows ? VARIANTS.map((one) => ({ ...one, callers: 32, seconds: settings.seconds })) : [];
  const subject = await startPlatform(own, place.mock.port, place.log, code);
  const rows = await series(subject, place, settings, variants);
  const answered = rows.reduce((sum, row) => sum + row.requests, 0);
  const receipts = await proveLedger(join(own, 'data'), { answered });
  console.error(`  ${name}: ${answered} answers, ${receipts} receipts: each verified in the log`);
  return rows;
}

async function rowsOf(name: SubjectName, place: Place, settings: RoundSettings): Promise<readonly Row[]> {
  const { port } = place.mock;
  switch (name) {
    case 'pass-through':
      return series(await startPassThrough(port, place.log), place, settings);
    case 'portkey':
      return series(await startPortkey(settings.portkey ?? '', port, place.log), place, settings);
    case 'against':
    case 'platform':
      return platformRows(name, place, settings);
    default:
      return name satisfies never;
  }
}

/** The order of the subjects. The two commits take turns in being the first: the second finds a warmer machine. */
export function subjectsOf({ against, portkey }: RoundSettings, index: number): readonly SubjectName[] {
  const commits: readonly SubjectName[] = against === undefined ? ['platform'] : ['against', 'platform'];
  const turned = index % 2 === 0 ? commits.toReversed() : commits;
  return ['pass-through', ...turned, ...(portkey === undefined ? [] : (['portkey'] as const))];
}

/**
 * Measures all subjects one after the other, each in a fresh process with a fresh ledger.
 * @param folder on a disk
 * @throws Error a request failed, or a ledger differs from what was answered
 */
export async function runRound(folder: string, settings: RoundSettings, index: number): Promise<Round> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  const round: Partial<Record<SubjectName, readonly Row[]>> = {};
  try {
    for (const name of subjectsOf(settings, index)) round[name] = await rowsOf(name, { folder, log, mock }, settings);
  } finally {
    await mock.started.stop();
  }
  return round;
}
