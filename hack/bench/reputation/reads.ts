import { EXECUTE_BODY } from '../bench-orbs.ts';
import type { LoadSettings } from '../generator.ts';
import { load } from '../processes.ts';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';
import { evaluateMany, orbIdOf, publishMany } from './many-orbs.ts';
import { etagOf, untilEvaluated } from './served.ts';
import { openDataLedger } from '../../../test/support/data-ledger.ts';
import { join } from 'node:path';

const GOAL_MS = 10;
const RATE = 500;
const CONNECTIONS = 16;
const CALLERS = 32;
const WARM_SECONDS = 6;
const ORBS = 100;
const NOT_MODIFIED = 304;

/** p99 of one round, ms; both beside runs at half of the rate that the platform reaches alone. */
export interface ReadRound {
  readonly profile: number;
  readonly badge: number;
  /** Runs a second meanwhile. */
  readonly runs: number;
}

type Subject = Pick<LoadSettings, 'path' | 'headers' | 'method' | 'body' | 'status'>;

async function loaded(settings: LoadSettings): Promise<{ readonly rate: number; readonly p99: number }> {
  const result = await load(settings);
  if (result.errors > 0) throw new Error(`${settings.path}: ${result.errors} failed: ${result.firstError}`);
  return { rate: result.requests / result.seconds, p99: result.p99 };
}

async function roundsOf(server: BenchServer, settings: Settings): Promise<readonly ReadRound[]> {
  const { port, headers } = server;
  const badgePath = `/reputation/${orbIdOf(0)}/badge`;
  const etag = await etagOf(server, badgePath);
  const profile: Subject = { path: `/reputation/${orbIdOf(0)}`, headers, method: 'GET', body: '' };
  const badge: Subject = {
    path: badgePath,
    headers: { 'if-none-match': etag },
    method: 'GET',
    body: '',
    status: NOT_MODIFIED,
  };
  const execute = { port, path: server.path, headers, body: EXECUTE_BODY, concurrency: CALLERS };
  const { rate } = await loaded({ ...execute, seconds: WARM_SECONDS });
  const beside = async (subject: Subject): Promise<{ readonly p99: number; readonly runs: number }> => {
    const { seconds } = settings;
    const [read, runs] = await Promise.all([
      loaded({ port, ...subject, rate: RATE, concurrency: CONNECTIONS, seconds }),
      loaded({ ...execute, rate: rate / 2, seconds }),
    ]);
    return { p99: read.p99, runs: runs.rate };
  };
  const rounds: ReadRound[] = [];
  for (let round = 0; round < settings.rounds; round += 1) {
    const profiles = await beside(profile);
    const badges = await beside(badge);
    rounds.push({ profile: profiles.p99, badge: badges.p99, runs: (profiles.runs + badges.runs) / 2 });
  }
  return rounds;
}

/** @param folder on a disk: every run is synced */
export async function measureReads(folder: string, settings: Settings): Promise<readonly ReadRound[]> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  try {
    await (await startPlatform(folder, mock.port, log)).started.stop();
    const { ledger } = await openDataLedger(join(folder, 'data'));
    try {
      await publishMany(ledger, ORBS);
      await evaluateMany(ledger, ORBS);
    } finally {
      await ledger.close();
    }
    const server = await startPlatform(folder, mock.port, log);
    try {
      await untilEvaluated(server, ORBS);
      return await roundsOf(server, settings);
    } finally {
      await server.started.stop();
    }
  } finally {
    await mock.started.stop();
  }
}

export const readRows = (rounds: readonly ReadRound[]): readonly Row[] => [
  row(
    `GET /reputation at ${RATE}/s beside runs at half load: p99, ms`,
    rounds.map(({ profile }) => profile),
    { digits: 2, atMost: GOAL_MS },
  ),
  row(
    `badge, 304, at ${RATE}/s beside runs at half load: p99, ms`,
    rounds.map(({ badge }) => badge),
    { digits: 2, atMost: GOAL_MS },
  ),
  row(
    'runs/s meanwhile',
    rounds.map(({ runs }) => runs),
    { digits: 0 },
  ),
];
