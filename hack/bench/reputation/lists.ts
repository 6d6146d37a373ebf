import { join } from 'node:path';
import { openDataLedger } from '../../../test/support/data-ledger.ts';
import { load } from '../processes.ts';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';
import { evaluateMany, orbIdOf, publishMany } from './many-orbs.ts';
import { etagOf, untilEvaluated } from './served.ts';

const GOAL = { badge: 10, publicList: 20, search: 30 };
const WARM_SECONDS = 2;
const NOT_MODIFIED = 304;

/** Nearest-rank p99 of each answer of one round, ms. */
export interface ListRound {
  readonly badge: number;
  readonly publicList: number;
  readonly search: number;
}

/** One answer that is requested again and again by one caller. */
interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
}

async function p99({ port }: BenchServer, request: Request, seconds: number): Promise<number> {
  const result = await load({ port, method: 'GET', body: '', concurrency: 1, seconds, ...request });
  if (result.errors > 0) throw new Error(`GET ${request.path}: ${result.errors} failed: ${result.firstError}`);
  return result.p99;
}

async function requestsOf(server: BenchServer, orbs: number): Promise<Readonly<Record<keyof ListRound, Request>>> {
  const badge = `/reputation/${orbIdOf(0)}/badge`;
  const etag = await etagOf(server, badge);
  // A hundredth of the Orbs has this in the description.
  const search = `/marketplace/orbs?q=${encodeURIComponent(`message ${Math.floor(orbs / 100)}`)}`;
  return {
    badge: { path: badge, headers: { 'if-none-match': etag }, status: NOT_MODIFIED },
    publicList: { path: '/marketplace/orbs/public', headers: {} },
    search: { path: search, headers: server.headers },
  };
}

async function rounds(server: BenchServer, settings: Settings): Promise<readonly ListRound[]> {
  await untilEvaluated(server, settings.orbs);
  const requests = await requestsOf(server, settings.orbs);
  const roundOf = async (seconds: number): Promise<ListRound> => ({
    badge: await p99(server, requests.badge, seconds),
    publicList: await p99(server, requests.publicList, seconds),
    search: await p99(server, requests.search, seconds),
  });
  await roundOf(Math.min(WARM_SECONDS, settings.seconds));
  const measured: ListRound[] = [];
  for (let round = 0; round < settings.rounds; round += 1) measured.push(await roundOf(settings.seconds));
  return measured;
}

/** @param folder on a disk: the Orbs are written into the ledger of a platform that has stopped */
export async function measureLists(folder: string, settings: Settings): Promise<readonly ListRound[]> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  try {
    await (await startPlatform(folder, mock.port, log)).started.stop();
    console.error(`publishing ${settings.orbs} Orbs …`);
    const { ledger } = await openDataLedger(join(folder, 'data'));
    try {
      await publishMany(ledger, settings.orbs);
      await evaluateMany(ledger, settings.orbs);
    } finally {
      await ledger.close();
    }
    const server = await startPlatform(folder, mock.port, log);
    try {
      return await rounds(server, settings);
    } finally {
      await server.started.stop();
    }
  } finally {
    await mock.started.stop();
  }
}

export function listRows(measured: readonly ListRound[], { orbs }: Settings): readonly Row[] {
  const p99Row = (what: string, name: keyof ListRound): Row =>
    row(
      `${what}: p99, ms`,
      measured.map((round) => round[name]),
      { digits: 2, atMost: GOAL[name] },
    );
  return [
    p99Row('badge, 304, 1 caller', 'badge'),
    p99Row(`public list of ${orbs} Orbs, 1 caller`, 'publicList'),
    p99Row(`list of ${orbs} Orbs with \`q\`, 1 caller`, 'search'),
  ];
}
