import type { LoadResult } from '../generator.ts';
import { load } from '../processes.ts';
import { row, type Row } from '../table.ts';
import { withPlatform } from './platform.ts';
import { withProber } from './prober-process.ts';
import type { Settings } from './command-line.ts';

const GOAL_MS = 5;
const CONNECTIONS = 8;
const WARM_SECONDS = 2;

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly errors: number;
}

/** One turn of a server: times of both pages, ms. */
interface Turn {
  readonly status: Times;
  readonly livez: Times;
}

/** What both servers of the page did. */
export interface Pages {
  readonly api: readonly Turn[];
  readonly prober: readonly Turn[];
}

const mean = (one: LoadResult, other: LoadResult): Times => ({
  p50: (one.p50 + other.p50) / 2,
  p99: (one.p99 + other.p99) / 2,
  errors: one.errors + other.errors,
});

/** Both pages in the order A, B, B, A: a machine that slows down meanwhile affects both equally. */
async function turnsOf(port: number, { rate, seconds, turns }: Settings): Promise<readonly Turn[]> {
  const page = (path: string, forSeconds = seconds): Promise<LoadResult> =>
    load({ port, path, headers: {}, method: 'GET', body: '', concurrency: CONNECTIONS, rate, seconds: forSeconds });
  await page('/status', WARM_SECONDS);
  const found: Turn[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const first = await page('/status');
    const livez = mean(await page('/livez'), await page('/livez'));
    found.push({ livez, status: mean(first, await page('/status')) });
  }
  return found;
}

export const measurePages = (folder: string, settings: Settings): Promise<Pages> =>
  withPlatform(folder, settings, (platform) =>
    withProber(platform, { ...settings, folder, isTls: false }, async ({ url }) => ({
      api: await turnsOf(platform.server.port, settings),
      prober: await turnsOf(Number(new URL(url).port), settings),
    })),
  );

function rowsOf(who: string, turns: readonly Turn[], rate: number): readonly Row[] {
  const values = (of: (turn: Turn) => number): readonly number[] => turns.map(of);
  const what = `GET /status of the ${who} at ${rate}/s`;
  return [
    row(
      `${what}: p50, ms`,
      values(({ status }) => status.p50),
      { digits: 2 },
    ),
    row(
      `${what}: p99, ms`,
      values(({ status }) => status.p99),
      { digits: 2, atMost: GOAL_MS },
    ),
    row(
      `${what}: p99 ÷ that of /livez`,
      values(({ status, livez }) => status.p99 / livez.p99),
      { digits: 2 },
    ),
    row(
      `${what}: answers that are not 200`,
      values(({ status }) => status.errors),
      { digits: 0, atMost: 0 },
    ),
  ];
}

export const pageRows = ({ api, prober }: Pages, { rate }: Settings): readonly Row[] => [
  ...rowsOf('API', api, rate),
  ...rowsOf('prober', prober, rate),
];
