// The operator at scale (operator.md A14, reliability.md R13): cold start, idle, changes. Prints a table, writes JSON.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { directConnection } from '../../adapters/kube/connection.ts';
import { createKubeClient } from '../../adapters/kube/kube-client.ts';
import type { KubeClient } from '../../adapters/kube/port.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { makeKeys, startApi, startOperator, type Part } from '../cluster/parts.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { createTenant, installPlatform } from '../control-plane/install.ts';
import { readBenchOptions } from './bench-options.ts';
import { compile } from './compiled.ts';
import { bareWrites } from './operator/bare-writes.ts';
import { NAMESPACES } from './operator/orbs.ts';
import { between, measureUsage, type PartUsage, type Work } from './operator/part-usage.ts';
import { readScrape } from './scrape.ts';
import { churn, coldStart, createObjects, storm, type ChangeTimes } from './operator/phases.ts';
import { noKubeMetrics } from '../../adapters/kube/no-metrics.ts';
import { silentLog } from '../../adapters/telemetry/silent-log.ts';
import { percentile } from '../../test/support/rank.ts';

/** operator.md A14. */
const GOALS: Readonly<Record<string, { readonly coldSeconds: number; readonly megabytes: number }>> = {
  1000: { coldSeconds: 4, megabytes: 250 },
  10000: { coldSeconds: 30, megabytes: 400 },
};
const QUEUE_P99_S = 1;
const CHANGE_P99_MS = 5000;
const STORM = 1000;
const FRESH = 50;
const CHURN = { perSecond: 50, seconds: 10, revision: 2 };
/** Time to settle: late Events and checkpoints belong to the previous phase. */
const SETTLE_MS = 4000;

interface Phases {
  readonly cold: Work;
  readonly idle: Work;
  readonly storm: Work;
  readonly churn: Work;
}

interface Round {
  readonly kubernetes: string;
  readonly coldSeconds: number;
  /** The writes of a cold start alone; undefined: not measured. */
  readonly bareSeconds: number | undefined;
  readonly idleCallsPerSecond: number;
  readonly idleWrites: number;
  readonly operator: Phases;
  readonly api: Phases;
  readonly churnP50Ms: number;
  readonly churnP99Ms: number;
  readonly freshP50Ms: number;
  readonly freshP99Ms: number;
  readonly stormP50Ms: number;
  readonly stormP99Ms: number;
}

const options = readBenchOptions({
  name: 'operator',
  about: `Measures the operator and the API at scale: cold start, idle, changes. Prints a table, and the measurements as JSON.`,
  options: [
    { name: 'orbs', takes: 'N', value: '1000', least: 1, text: 'Orbs' },
    { name: 'rounds', takes: 'N', value: '1', least: 1, text: 'rounds' },
    { name: 'idle', takes: 'SECONDS', value: '60', least: 1, text: 'how long nothing changes' },
    {
      name: 'bare',
      text: 'also writes all statuses by a loop, without a platform: what the API server takes of a cold start',
    },
    { name: 'json', takes: 'FILE', text: 'saves the measurements in place of printing them' },
  ],
});
const orbs = options.number('orbs');
const idleSeconds = options.number('idle');
const goal = GOALS[String(orbs)];
// As in the cluster, where a process knows its memory limit.
const compiled = { megabytes: goal?.megabytes ?? 512 };

const quantile = (values: readonly number[], share: number): number => Math.round(percentile(values, share));

async function clientOf(plane: ControlPlane): Promise<KubeClient> {
  const { tokenFile } = plane.users.admin;
  const connection = await directConnection({ server: plane.server.url, tokenFile, caFile: plane.caFile });
  return createKubeClient({
    connection,
    clock: systemClock,
    random: Math.random,
    logger: silentLog,
    metrics: noKubeMetrics,
    userAgent: 'orb-bench',
  });
}

interface Started {
  readonly operator: Part;
  readonly api: Part;
}

const patches = ({ scrape }: PartUsage): number => scrape.sum('rest_client_requests_total', { method: 'PATCH' });

const measureBoth = async ({ operator, api }: Started): Promise<readonly [PartUsage, PartUsage]> => [
  await measureUsage(operator),
  await measureUsage(api),
];

/** Waits until the operator has written no status for a while. */
async function untilQuiet(started: Started): Promise<readonly [PartUsage, PartUsage]> {
  for (;;) {
    const before = await measureBoth(started);
    await delay(SETTLE_MS);
    const after = await measureBoth(started);
    if (patches(after[0]) === patches(before[0])) return after;
  }
}

interface Measured {
  readonly coldSeconds: number;
  readonly bareSeconds: number | undefined;
  /** Before and after each phase: cold start, idle, storm, churn. */
  readonly usages: readonly (readonly [PartUsage, PartUsage])[];
  readonly times: ChangeTimes;
  readonly steady: readonly number[];
}

function summarise(plane: ControlPlane, { coldSeconds, bareSeconds, usages, times, steady }: Measured): Round {
  const work = (phase: number, part: 0 | 1): Work => {
    const [before, after] = [usages[phase], usages[phase + 1]];
    if (before === undefined || after === undefined) throw new TypeError('a measurement is missing');
    return between(before[part], after[part]);
  };
  const idle = [work(1, 0), work(1, 1)] as const;
  const calls = idle[0].calls + idle[1].calls;
  return {
    kubernetes: plane.version,
    coldSeconds: Math.round(coldSeconds * 10) / 10,
    bareSeconds: bareSeconds && Math.round(bareSeconds * 10) / 10,
    idleCallsPerSecond: Math.round((calls / idleSeconds) * 100) / 100,
    idleWrites: idle[0].writes + idle[1].writes,
    operator: { cold: work(0, 0), idle: idle[0], storm: work(2, 0), churn: work(3, 0) },
    api: { cold: work(0, 1), idle: idle[1], storm: work(2, 1), churn: work(3, 1) },
    churnP50Ms: quantile(steady, 0.5),
    churnP99Ms: quantile(steady, 0.99),
    freshP50Ms: quantile(times.fresh, 0.5),
    freshP99Ms: quantile(times.fresh, 0.99),
    stormP50Ms: quantile(times.storm, 0.5),
    stormP99Ms: quantile(times.storm, 0.99),
  };
}

const NOTHING: PartUsage = {
  scrape: readScrape(''),
  cpuSeconds: 0,
  peakMb: 0,
};

const say = (line: string): void => console.error(`  ${line}`);

/** Makes everything that exists before the platform starts. @returns folder of its keys */
async function prepare(plane: ControlPlane, client: KubeClient): Promise<string> {
  await installPlatform(plane);
  for (const namespace of NAMESPACES) await createTenant(plane, namespace, 'bench');
  say(`creating ${orbs} Orbs …`);
  await createObjects(client, orbs);
  return makeKeys(plane, 'https://orbs.localhost');
}

async function startParts(plane: ControlPlane, keys: string, parts: Part[]): Promise<Started> {
  const [operator, api] = await Promise.all([startOperator({ plane, compiled }), startApi(keys, { plane, compiled })]);
  parts.push(operator, api);
  return { operator, api };
}

async function writeBare(client: KubeClient, parts: readonly Part[]): Promise<number> {
  for (const part of parts) await part.process.stop();
  say('writing all statuses without a platform …');
  return bareWrites(client);
}

async function measure(plane: ControlPlane, client: KubeClient, parts: Part[]): Promise<Round> {
  const keys = await prepare(plane, client);
  say('cold start …');
  const { seconds: coldSeconds, started } = await coldStart(client, orbs, () => startParts(plane, keys, parts));
  const settled = await untilQuiet(started);
  say(`idle for ${idleSeconds} s …`);
  await delay(idleSeconds * 1000);
  const idle = await measureBoth(started);
  const others = Math.min(STORM, orbs - FRESH);
  say(`changing ${others} Orbs at once …`);
  const times = await storm(client, others, FRESH);
  const stormed = await untilQuiet(started);
  say(`changing ${CHURN.perSecond} Orbs a second for ${CHURN.seconds} s …`);
  const steady = await churn(client, CHURN);
  const last = await measureBoth(started);
  const bareSeconds = options.has('bare') ? await writeBare(client, parts) : undefined;
  const usages = [[NOTHING, NOTHING], settled, idle, stormed, last] as const;
  return summarise(plane, { coldSeconds, bareSeconds, usages, times, steady });
}

async function round(): Promise<Round> {
  const plane = await startControlPlane();
  const client = await clientOf(plane);
  const parts: Part[] = [];
  try {
    return await measure(plane, client, parts);
  } finally {
    for (const part of parts) await part.process.stop();
    await client.close();
    await plane.stop();
  }
}

await compile();
const rounds: Round[] = [];
for (let number = 1; number <= options.number('rounds'); number += 1) {
  console.error(`round ${number} of ${options.text('rounds')}, ${orbs} Orbs, ${availableParallelism()} cores`);
  rounds.push(await round());
}

const spread = (pick: (round: Round) => number): string => {
  const values = rounds.map(pick).toSorted((one, other) => one - other);
  const [least, most] = [values[0] ?? 0, values.at(-1) ?? 0];
  return least === most ? String(least) : `${least}–${most}`;
};
const rows: readonly (readonly [string, string, string])[] = [
  ['cold start to all Ready, s', spread((one) => one.coldSeconds), goal === undefined ? '' : `≤ ${goal.coldSeconds}`],
  ...(options.has('bare') ? [['the writes of it alone, s', spread((one) => one.bareSeconds ?? 0), ''] as const] : []),
  ['queue p50 at 50 changes/s, s', spread((one) => one.operator.churn.queueP50), ''],
  ['queue p99 at 50 changes/s, s', spread((one) => one.operator.churn.queueP99), `≤ ${QUEUE_P99_S}`],
  ['change to Ready p50 at 50 changes/s, ms', spread((one) => one.churnP50Ms), ''],
  ['change to Ready p99 at 50 changes/s, ms', spread((one) => one.churnP99Ms), `≤ ${CHANGE_P99_MS}`],
  ['queue p50, 1 000 changed at once, s', spread((one) => one.operator.storm.queueP50), ''],
  ['queue p99, 1 000 changed at once, s', spread((one) => one.operator.storm.queueP99), `≤ ${QUEUE_P99_S}`],
  ['change to Ready p50, ms (others waiting)', spread((one) => one.freshP50Ms), ''],
  ['change to Ready p99, ms (others waiting)', spread((one) => one.freshP99Ms), `≤ ${CHANGE_P99_MS}`],
  ['change to Ready p99, ms (all at once)', spread((one) => one.stormP99Ms), ''],
  [
    'operator, peak resident MB',
    spread((one) => one.operator.storm.peakMb),
    goal === undefined ? '' : `≤ ${goal.megabytes}`,
  ],
  ['API, peak resident MB', spread((one) => one.api.storm.peakMb), goal === undefined ? '' : `≤ ${goal.megabytes}`],
  ['operator, CPU s of the cold start', spread((one) => one.operator.cold.cpuSeconds), ''],
  ['API, CPU s of the cold start', spread((one) => one.api.cold.cpuSeconds), ''],
  ['operator, calls of the cold start', spread((one) => one.operator.cold.calls), ''],
  ['operator, writes of the cold start', spread((one) => one.operator.cold.writes), ''],
  ['API, calls of the cold start', spread((one) => one.api.cold.calls), ''],
  ['idle calls/s (both, leases among them)', spread((one) => one.idleCallsPerSecond), '≤ 1'],
  ['idle writes (leases among them)', spread((one) => one.idleWrites), ''],
];
console.log(
  `\n| ${orbs} Orbs, Kubernetes ${rounds[0]?.kubernetes ?? ''}, ${rounds.length} round(s) | measured | goal |\n|---|---|---|`,
);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
const json = JSON.stringify({ orbs, idleSeconds, rounds }, undefined, 2);
const jsonFile = options.given('json');
if (jsonFile === undefined) console.log(json);
else writeFileSync(jsonFile, `${json}\n`);
