import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../../hack/bench/processes.ts';
import { orbManifest } from '../support/orbs.ts';
import { startStandalone, type Standalone } from '../support/standalone.ts';
import { linesOf, watchPlatform, type Observations } from './witness.ts';
import { listenOnLoopback } from '../../adapters/process/listen.ts';

const ORB = 'chaos.send@1.0.0';
const BODY = JSON.stringify({ orb_id: ORB, inputs: { text: 'under load' } });
const CONCURRENCY = [1, 8, 32, 64];
// About every fourth kill happens while the platform starts.
const EARLY_SHARE = 0.25;
const EARLY_MS = 900;
const LOAD_MS = [100, 1500] as const;
const SLOW_MS = 150;

/** Deadline of every run, ms. */
export const RUN_TIMEOUT_MS = 2000;

export interface Kills {
  readonly folder: string;
  readonly kills: number;
  /** Next number in [0, 1). */
  readonly random: () => number;
  readonly seen: Observations;
  readonly say: (line: string) => void;
}

/** Some answers come at once, some late, so that a kill hits runs in every phase. */
async function startProvider(): Promise<{ readonly port: number; readonly server: Server }> {
  let count = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    count += 1;
    const answer = (): void => void response.end('{"id":"m-1"}');
    response.setHeader('content-type', 'application/json');
    request.resume();
    request.on('end', () => (count % 10 === 0 ? setTimeout(answer, count % SLOW_MS).unref() : answer()));
  });
  const port = await listenOnLoopback(server);
  return { port, server };
}

function killGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

/** Starts the platform of the kills, on its one data folder. */
export type Starter = (onSpawn?: (pid: number | undefined) => void) => Promise<Standalone>;

/** Usually kills the platform before it answers; otherwise as soon as it answers. */
export async function killEarly(start: Starter, afterMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const started = await start((pid) => {
    timer = setTimeout(() => killGroup(pid), afterMs);
  }).catch(() => undefined);
  clearTimeout(timer);
  await started?.stop('SIGKILL');
}

async function killUnderLoad(start: Starter, round: number, { folder, random, seen }: Kills): Promise<void> {
  const platform = await start();
  const acks = join(folder, `acks-${round}.txt`);
  writeFileSync(acks, '');
  const running = load({
    port: Number(new URL(platform.ready.url).port),
    path: '/orbisets/default/execute',
    headers: { authorization: `Bearer ${platform.ready.api_key}` },
    body: BODY,
    concurrency: CONCURRENCY[round % CONCURRENCY.length] ?? 1,
    seconds: 20,
    acks,
    mayBreak: true,
  });
  const stop = new AbortController();
  const watching = watchPlatform(platform, acks, seen, stop.signal);
  while (linesOf(acks).length === 0) await delay(5);
  await delay(LOAD_MS[0] + random() * (LOAD_MS[1] - LOAD_MS[0]));
  await platform.stop('SIGKILL');
  stop.abort();
  const [measured] = await Promise.all([running, watching]);
  if (measured.errors > 0) seen.faults.push(`round ${round}: ${measured.errors} refused, ${measured.firstError}`);
  for (const receiptId of linesOf(acks)) seen.acknowledged.add(receiptId);
}

/** Kills the process group of one platform again and again, under load or while it starts, on one data folder. */
export async function killRounds(
  kills: Kills,
  then: (start: Starter, lastKillAt: number) => Promise<void>,
): Promise<void> {
  const { server, port } = await startProvider();
  const url = `http://127.0.0.1:${port}/`;
  const resources = { 'send.json': orbManifest(ORB, { url, execution: { timeout_ms: RUN_TIMEOUT_MS } }) };
  const start: Starter = (onSpawn) =>
    startStandalone({
      data: kills.folder,
      resources,
      flags: ['--egress-allow', `http://127.0.0.1:${port}`],
      ...(onSpawn === undefined ? {} : { onSpawn: ({ pid }) => onSpawn(pid) }),
    });
  try {
    for (let round = 0; round < kills.kills; round += 1) {
      const early = kills.random() < EARLY_SHARE;
      if (early) await killEarly(start, kills.random() * EARLY_MS);
      else await killUnderLoad(start, round, kills);
      kills.say(
        `kill ${round + 1}, ${early ? 'at the start' : 'under load'}: ${kills.seen.acknowledged.size} receipts`,
      );
    }
    await then(start, Date.now());
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
