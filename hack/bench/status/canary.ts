import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { openProcessLog } from '../../../adapters/telemetry/process-log.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { startProber, type RunningProber } from '../../../api-server/status-prober/start.ts';
import { ledgerFileOf } from '../../../test/support/data-ledger.ts';
import { scrape } from '../scrape.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';
import { NAMESPACE, withPlatform, type MeasuredPlatform } from './platform.ts';

/** Rounds before the measurement: the first rows make tables. */
const WARM_ROUNDS = 20;
/** Much shorter than a prober may have: the bytes of a round do not depend on it. */
const INTERVAL_MS = 200;
const POLL_MS = 100;
const DAY_SECONDS = 86_400;
const SHOWN_TABLES = 6;
/** What the retention of the canary's source erases: after an hour, a day and 80 hours. */
const ERASED: readonly string[] = ['delivery_bodies', 'signals', 'deliveries'];

/** Bytes by table, its indexes with it. */
type TableBytes = ReadonlyMap<string, number>;

/** What rounds added to the ledger. */
export interface CanaryBytes {
  readonly rounds: number;
  readonly bytes: Readonly<Record<string, number>>;
}

function tableBytes(data: string): TableBytes {
  const db = new DatabaseSync(ledgerFileOf(data), { readOnly: true, timeout: 5000 });
  try {
    const rows = db
      .prepare('SELECT tbl_name, sum(pgsize - unused) AS bytes FROM dbstat JOIN sqlite_schema USING (name) GROUP BY 1')
      .all();
    return new Map(rows.map((one) => [String(one['tbl_name']), Number(one['bytes'])]));
  } finally {
    db.close();
  }
}

const roundsOf = async (prober: RunningProber): Promise<number> =>
  (await scrape(prober.metricsUrl)).sum('orb_status_probe_duration_seconds_count', { check: 'read' });

async function untilRounds(prober: RunningProber, count: number): Promise<number> {
  for (;;) {
    const rounds = await roundsOf(prober);
    if (rounds >= count) return rounds;
    await delay(POLL_MS);
  }
}

const start = (folder: string, platform: MeasuredPlatform): Promise<RunningProber> => {
  const { server, files, tokenFile, sourceSecretFile, providerPort } = platform;
  const loopback = { host: '127.0.0.1', port: 0 };
  return startProber(
    {
      api: `http://127.0.0.1:${server.port}`,
      apiMetrics: new URL(server.metrics ?? '').origin,
      apiCa: undefined,
      tokenFile,
      operatorMetrics: undefined,
      namespace: NAMESPACE,
      intervalMs: INTERVAL_MS,
      deadlineMs: 10_000,
      journal: join(folder, 'journal'),
      sourceSecretFile,
      controls: { dnsName: undefined, kubeApi: undefined, prometheus: undefined },
      listen: loopback,
      providerListen: { ...loopback, port: providerPort },
      metricsListen: loopback,
      tls: { certFile: files.cert, keyFile: files.key },
      isBehindTlsProxy: true,
      identity: 'orb-status-prober-1',
      readyFile: undefined,
      logLevel: 'error',
    },
    { clock: systemClock, log: openProcessLog('error') },
  );
};

const grown = (before: TableBytes, after: TableBytes): Readonly<Record<string, number>> =>
  Object.fromEntries([...after].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)]));

/** Rounds in quick succession, over a ledger that holds nothing else. */
export const measureCanary = (folder: string, settings: Settings): Promise<CanaryBytes> =>
  withPlatform(folder, settings, async (platform) => {
    const prober = await start(folder, platform);
    try {
      const from = await untilRounds(prober, WARM_ROUNDS);
      const before = tableBytes(platform.data);
      const to = await untilRounds(prober, from + settings.checks);
      return { rounds: to - from, bytes: grown(before, tableBytes(platform.data)) };
    } finally {
      await prober.stop();
    }
  });

/** The chart's time between rounds, s. @throws Error the chart has none */
export function intervalOfChart(values: string): number {
  const seconds = /^statusProber:\n(?:[ #].*\n|\n)*? {2}interval: (\d+)s$/m.exec(values)?.[1];
  if (seconds === undefined) throw new Error('the chart has no time between rounds');
  return Number(seconds);
}

export function canaryRows({ rounds, bytes }: CanaryBytes, valuesFile: string): readonly Row[] {
  const aDay = DAY_SECONDS / intervalOfChart(readFileSync(valuesFile, 'utf8'));
  const sumOf = (counts: (table: string) => boolean): number =>
    Object.entries(bytes).reduce((sum, [table, size]) => (counts(table) ? sum + size : sum), 0);
  const all = sumOf(() => true);
  const kept = sumOf((table) => !ERASED.includes(table));
  const perDay = (size: number): readonly number[] => [(size / rounds) * aDay * 1e-6];
  const largest = Object.entries(bytes)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, SHOWN_TABLES);
  return [
    row('canary: bytes of a round in the ledger', [all / rounds], { digits: 0 }),
    ...largest.map(([table, size]) => row(`canary: of them in ${table}`, [size / rounds], { digits: 0 })),
    row(`canary: MB a day, ${aDay} rounds`, perDay(all), { digits: 1 }),
    row('canary: MB a day that retention does not erase', perDay(kept), { digits: 1 }),
  ];
}
