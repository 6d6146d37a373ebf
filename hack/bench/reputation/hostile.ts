import { join } from 'node:path';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import { CaseRunner } from '../../../adapters/suite-worker/case-runner.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { startPublishingApp, type PublishingApp } from '../../../test/support/a-publishing-app.ts';
import { HOSTILE_PUBLICATIONS } from '../../../test/support/hostile-publications.ts';
import { testLedgerOptions } from '../../../test/support/sqlite-ledger.ts';
import { median } from '../../../test/support/rank.ts';
import { row, type Row } from '../table.ts';
import type { Settings } from './command-line.ts';

const GOAL_MS = 50;
/** So long the cases of one suite may take. */
const WORK_MS = 1000;

/** Longest times without a turn of the event loop, ms, by what was published; one for each round. */
export type LoopTimes = Readonly<Record<string, readonly number[]>>;

async function loopTimes(app: PublishingApp, body: string, rounds: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push((await app.publish(body)).loopMs);
  return times;
}

/** Publishes what would stop, flood or escape a careless platform, in this process. */
export async function measureHostile(folder: string, { rounds }: Settings): Promise<LoopTimes> {
  const ledger = await openSqliteLedger(testLedgerOptions(join(folder, 'ledger.sqlite'), { clock: systemClock }));
  const runner = new CaseRunner({ most: 1, workMs: WORK_MS });
  const app = await startPublishingApp(ledger, runner);
  try {
    const found: [string, readonly number[]][] = [];
    // The first use of each part of the pipeline compiles it.
    for (const { name, body } of HOSTILE_PUBLICATIONS) {
      const text = body();
      await app.publish(text);
      found.push([name, await loopTimes(app, text, rounds)]);
    }
    return Object.fromEntries(found);
  } finally {
    await app.close();
    runner.close();
    await ledger.close();
  }
}

/** The worst one first; only that one must meet the goal. */
export function hostileRows(times: LoopTimes): readonly Row[] {
  const worst = Object.entries(times).toSorted(([, one], [, other]) => median(other) - median(one));
  return worst
    .slice(0, 3)
    .map(([name, ms]) => row(`longest stop of the event loop by ${name}, ms`, ms, { atMost: GOAL_MS }));
}
