import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import { EXECUTE_BODY, orbiset } from '../bench-orbs.ts';
import { load } from '../processes.ts';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import { runOrb } from './orb-process.ts';
import { manifestOf, suiteOf } from './tested-orb.ts';
import type { Settings } from './command-line.ts';

const GOAL = 0.9;
const CALLERS = 32;
const WARM_SECONDS = 6;
/** Not the tenant that publishes: its own runs are no evidence. */
const TENANT = 'caller';
const PUBLISHED = 'bench.published@1.0.0';
const UNPUBLISHED = 'bench.other@1.0.0';
const READY_MS = 10_000;

/** Runs a second within one round: only these can be compared. */
export interface RunRates {
  readonly published: number;
  readonly unpublished: number;
}

const bodyOf = (orbId: string): string => EXECUTE_BODY.replace('bench.send@1.0.0', orbId);

/** The tenant's Orbiset lists the Orb that `default` publishes; an equal one that is not published is its own. */
const tenantResources = (mock: number): string => {
  const own = manifestOf(mock, UNPUBLISHED).replaceAll(/^/gm, '  ');
  return `${orbiset
    .replaceAll('namespace: default', `namespace: ${TENANT}`)
    .replace('spec:\n', 'spec:\n  orbs: [bench.published]\n')}---
apiVersion: orbs.dev/v1alpha1
kind: Orb
metadata: { name: other, namespace: ${TENANT} }
spec:
${own}`;
};

async function callerKey(data: string): Promise<string> {
  const key = { tenants: [TENANT], scopes: ['orbs:execute'] as const, rate: '0', createdBy: 'the benchmark' };
  const { text } = await createApiKey(join(data, 'api-keys'), key, { now: Date.now(), random: randomBytes });
  return text;
}

/** A running server accepts a new key within 2 s. */
async function untilExecutes({ port, path, headers, body }: BenchServer): Promise<void> {
  const request = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  for (const end = Date.now() + READY_MS; ; await delay(100)) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
    const text = await answer.text();
    if (answer.ok) return;
    if (Date.now() > end) throw new Error(`the caller's runs are refused: ${text}`);
  }
}

async function rate({ port, path, headers }: BenchServer, body: string, seconds: number): Promise<number> {
  const result = await load({ port, path, headers, body, concurrency: CALLERS, seconds });
  if (result.errors > 0) throw new Error(`${result.errors} runs failed: ${result.firstError}`);
  return result.requests / result.seconds;
}

const mean = (one: number, other: number): number => (one + other) / 2;

/** Measures in the order A, B, B, A: a machine that slows down or recovers meanwhile affects both equally. */
async function roundOf(subject: BenchServer, seconds: number): Promise<RunRates> {
  const rateOf = (orbId: string): Promise<number> => rate(subject, bodyOf(orbId), seconds / 2);
  const published = await rateOf(PUBLISHED);
  const unpublished = mean(await rateOf(UNPUBLISHED), await rateOf(UNPUBLISHED));
  return { published: mean(published, await rateOf(PUBLISHED)), unpublished };
}

async function turns(platform: BenchServer, folder: string, settings: Settings): Promise<readonly RunRates[]> {
  const data = join(folder, 'data');
  const headers = { authorization: `Bearer ${await callerKey(data)}` };
  const subject: BenchServer = { ...platform, headers, body: bodyOf(PUBLISHED) };
  await untilExecutes(subject);
  await roundOf(subject, Math.min(WARM_SECONDS, settings.seconds * 2));
  const rounds: RunRates[] = [];
  for (let round = 0; round < settings.rounds; round += 1) rounds.push(await roundOf(subject, settings.seconds));
  return rounds;
}

/** @param folder on a disk: every run is synced */
export async function measurePublishedRuns(folder: string, settings: Settings): Promise<readonly RunRates[]> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  mkdirSync(join(folder, 'resources'));
  writeFileSync(join(folder, 'resources/published.yaml'), manifestOf(mock.port, PUBLISHED));
  writeFileSync(join(folder, 'resources/caller.yaml'), tenantResources(mock.port));
  const platform = await startPlatform(folder, mock.port, log);
  try {
    const files = [join(folder, 'resources/published.yaml'), join(folder, 'published.orbtest.json')] as const;
    writeFileSync(files[1], suiteOf('bench.published', 1, 0));
    const allowed = ['--egress-allow', `http://127.0.0.1:${mock.port}`];
    await runOrb('publish', ...files, '--data', join(folder, 'data'), ...allowed);
    return await turns(platform, folder, settings);
  } finally {
    await platform.started.stop();
    await mock.started.stop();
  }
}

export const runRows = (rounds: readonly RunRates[]): readonly Row[] => [
  row(
    `runs/s of an unpublished Orb, ${CALLERS} callers`,
    rounds.map(({ unpublished }) => unpublished),
    { digits: 0 },
  ),
  row(
    'runs/s of a published Orb ÷ unpublished',
    rounds.map(({ published, unpublished }) => published / unpublished),
    { digits: 3, atLeast: GOAL },
  ),
];
