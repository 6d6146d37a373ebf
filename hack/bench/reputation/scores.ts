import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { openDataLedger } from '../../../test/support/data-ledger.ts';
import { insideBetween } from '../execute/inside.ts';
import { cpuMicros, peakMb } from '../processes.ts';
import { scrape } from '../scrape.ts';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';
import { copyLog } from './log-copy.ts';
import { orbIdOf, publishMany } from './many-orbs.ts';
import { appendReceipts } from './many-receipts.ts';
import { runOrb, type OrbUsage } from './orb-process.ts';
import { objectAt, untilEvaluated } from './served.ts';

const GOAL = { cpuSeconds: 60, loopDelayMs: 5, restartSeconds: 2, recomputeSeconds: 15, recomputeMb: 250 };
/** The goals of recomputing are for this log. */
const RECOMPUTED_RECEIPTS = 1_000_000;
const EVALUATED_MS = 30 * 60_000;
/** Without work, to compare the delay of the event loop with. */
const IDLE_MS = 5000;

/** Scores of many Orbs over a large log. */
export interface Scores {
  /** From the start of the process to its first answer, over the whole log; seconds. */
  readonly firstStart: number;
  readonly restart: number;
  /** Of the process, until all Orbs were evaluated, s. */
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
  /** p99 of the delay of the event loop, ms. */
  readonly delayMs: number;
  readonly idleDelayMs: number;
  /** `orb reputation recompute` of one Orb. */
  readonly fromFolder: OrbUsage;
  readonly fromServer: OrbUsage;
}

interface StartedServer {
  readonly server: BenchServer;
  readonly seconds: number;
}

async function stoppedAfter<T>({ started }: BenchServer, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await started.stop();
  }
}

async function delayDuring(server: BenchServer, work: () => Promise<void>): Promise<number> {
  const { metrics = '' } = server;
  const began = performance.now();
  const before = await scrape(metrics);
  await work();
  return insideBetween(before, await scrape(metrics), (performance.now() - began) / 1000).loopDelayP99;
}

type Evaluated = Pick<Scores, 'cpuSeconds' | 'seconds' | 'peakMb' | 'delayMs' | 'idleDelayMs'>;

async function evaluateAll(server: BenchServer, orbs: number): Promise<Evaluated> {
  const { pid } = server.started;
  const began = performance.now();
  const delayMs = await delayDuring(server, () => untilEvaluated(server, orbs, EVALUATED_MS));
  const [seconds, cpuSeconds] = [(performance.now() - began) / 1000, cpuMicros(pid) / 1e6];
  const idleDelayMs = await delayDuring(server, () => delay(IDLE_MS));
  return { cpuSeconds, seconds, peakMb: peakMb(pid), delayMs, idleDelayMs };
}

/** Recomputes one Orb twice, and compares it with its profile. */
async function recompute(server: BenchServer, folder: string): Promise<Pick<Scores, 'fromFolder' | 'fromServer'>> {
  const profile = await objectAt(server, `/reputation/${orbIdOf(0)}`);
  const { computed_over: over } = profile;
  if (!isJsonObject(over)) throw new Error('the profile does not say over which log it was computed');
  const expected = join(folder, 'profile.json');
  writeFileSync(expected, JSON.stringify(profile));
  const copy = join(folder, 'log');
  console.error('copying the log …');
  await copyLog(server, copy, await checkpointSize(server));
  const root = join(folder, 'data/keys/root.jwk');
  const verb = ['reputation', 'recompute', orbIdOf(0), '--expect', expected, '--root', root] as const;
  return {
    fromFolder: await runOrb(...verb, '--log', copy),
    fromServer: await runOrb(...verb, '--log', `http://127.0.0.1:${server.port}`),
  };
}

async function checkpointSize({ port }: BenchServer): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/log/checkpoint`);
  const [, size] = (await answer.text()).split('\n');
  return Number(size);
}

async function fill(folder: string, { scored, receipts }: Settings): Promise<void> {
  console.error(`publishing ${scored} Orbs, and appending ${receipts} receipts …`);
  const { ledger } = await openDataLedger(join(folder, 'data'));
  try {
    await publishMany(ledger, scored);
    await appendReceipts(ledger, { orbs: scored, receipts });
  } finally {
    await ledger.close();
  }
}

/** @param folder on a disk: 10 million receipts take some 6 GB */
export async function measureScores(folder: string, settings: Settings): Promise<Scores> {
  mkdirSync(folder, { recursive: true });
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  const start = async (): Promise<StartedServer> => {
    const began = performance.now();
    const server = await startPlatform(folder, mock.port, log);
    return { server, seconds: (performance.now() - began) / 1000 };
  };
  try {
    await (await start()).server.started.stop();
    await fill(folder, settings);
    const first = await start();
    const evaluated = await stoppedAfter(first.server, () => evaluateAll(first.server, settings.scored));
    const second = await start();
    const recomputed = await stoppedAfter(second.server, () => recompute(second.server, folder));
    return { firstStart: first.seconds, restart: second.seconds, ...evaluated, ...recomputed };
  } finally {
    await mock.started.stop();
  }
}

export function scoreRows(scores: Scores, { scored, receipts }: Settings): readonly Row[] {
  const { fromFolder, fromServer, delayMs, idleDelayMs } = scores;
  const all = `evaluating ${scored} Orbs over ${receipts} receipts`;
  const one = `recomputing one of them from`;
  const [atMostSeconds, atMostMb] =
    receipts > RECOMPUTED_RECEIPTS ? [] : [{ atMost: GOAL.recomputeSeconds }, { atMost: GOAL.recomputeMb }];
  return [
    row(`${all}: CPU of the process, s`, [scores.cpuSeconds], { atMost: GOAL.cpuSeconds }),
    row(`${all}: until the last is shown, s`, [scores.seconds]),
    row(`${all}: event-loop delay p99 above that of an idle one, ms`, [Math.max(0, delayMs - idleDelayMs)], {
      atMost: GOAL.loopDelayMs,
    }),
    row('largest resident memory meanwhile, MB', [scores.peakMb], { digits: 0 }),
    row('first start over this log, s', [scores.firstStart], { digits: 2 }),
    row('restart when all are evaluated, s', [scores.restart], { digits: 2, atMost: GOAL.restartSeconds }),
    row(`${one} a folder, s`, [fromFolder.seconds], atMostSeconds),
    row(`${one} a folder, MB`, [fromFolder.peakMb], { digits: 0, ...atMostMb }),
    row(`${one} the server, s`, [fromServer.seconds]),
    row(`${one} the server, MB`, [fromServer.peakMb], { digits: 0, ...atMostMb }),
  ];
}
