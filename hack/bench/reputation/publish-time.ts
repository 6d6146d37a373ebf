import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { logFile, startMock, startPlatform, type BenchServer } from '../subjects.ts';
import { row, type Row } from '../table.ts';
import { runOrb } from './orb-process.ts';
import { manifestOf, suiteOf } from './tested-orb.ts';
import type { Settings } from './command-line.ts';

const GOAL_MS = 1000;
const CREATED = 201;

/** Time of each publication, from the request to its whole answer, ms. */
export type PublishTimes = readonly number[];

/** Each round publishes a version of its own. */
const versionOf = (mock: number, round: number): string => manifestOf(mock, `bench.tested@1.0.${round}`);

/** Sends what `orb publish` sends after the tests. @returns ms */
async function publishOnce(
  { port, headers }: BenchServer,
  parts: Readonly<Record<'manifest' | 'test_results' | 'test_suites', unknown>>,
): Promise<number> {
  const body = JSON.stringify(parts);
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}/marketplace/orbs/publish`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  const text = await answer.text();
  const ms = performance.now() - began;
  if (answer.status !== CREATED) throw new Error(`publishing was answered with ${answer.status}: ${text}`);
  return ms;
}

async function rounds(platform: BenchServer, folder: string, mock: number, settings: Settings): Promise<PublishTimes> {
  const suite = join(folder, 'tested.orbtest.json');
  const suiteText = suiteOf('bench.tested', settings.mockCases, settings.liveCases);
  writeFileSync(suite, suiteText);
  const times: number[] = [];
  // One more: the first publication starts the thread that runs mock cases again.
  for (let round = 0; round <= settings.rounds; round += 1) {
    const report = join(folder, `report-${round}.json`);
    const live = ['--orbiset', 'default', '--live', '--data', join(folder, 'data')];
    const allowed = ['--egress-allow', `http://127.0.0.1:${mock}`];
    await runOrb(
      'test',
      join(folder, `resources/tested-${round}.yaml`),
      suite,
      '--report',
      report,
      ...live,
      ...allowed,
    );
    const ms = await publishOnce(platform, {
      manifest: parse(versionOf(mock, round)),
      test_results: JSON.parse(readFileSync(report, 'utf8')),
      test_suites: [JSON.parse(suiteText)],
    });
    if (round > 0) times.push(ms);
  }
  return times;
}

/** @param folder on a disk: every entry is synced */
export async function measurePublishing(folder: string, settings: Settings): Promise<PublishTimes> {
  const log = logFile(folder, 'log.txt');
  const mock = await startMock(log);
  mkdirSync(join(folder, 'resources'));
  for (let round = 0; round <= settings.rounds; round += 1)
    writeFileSync(join(folder, `resources/tested-${round}.yaml`), versionOf(mock.port, round));
  const platform = await startPlatform(folder, mock.port, log);
  try {
    return await rounds(platform, folder, mock.port, settings);
  } finally {
    await platform.started.stop();
    await mock.started.stop();
  }
}

export const publishRows = (times: PublishTimes, { mockCases, liveCases }: Settings): readonly Row[] => [
  row(`POST of a new version with ${mockCases} mock and ${liveCases} live cases, ms`, times, {
    digits: 0,
    atMost: GOAL_MS,
  }),
];
