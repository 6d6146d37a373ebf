import { expect } from 'chai';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CaseRunner } from '../../../adapters/suite-worker/case-runner.ts';
import type { FromCaseThread } from '../../../adapters/suite-worker/serve-cases.ts';
import { threadOf } from '../../../adapters/threads/start-thread.ts';
import { openSqliteLedger } from '../../../adapters/ledger/sqlite-ledger.ts';
import type { Ledger } from '../../../adapters/ledger/port.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { CaseWork } from '../../../core/suite/case-work.ts';
import { startPublishingApp, type Answered, type PublishingApp } from '../../support/a-publishing-app.ts';
import { HOSTILE_PUBLICATIONS } from '../../support/hostile-publications.ts';
import { honestPublication } from '../../support/publication-body.ts';
import { temporaryFolder } from '../../support/standalone.ts';
import { testLedgerOptions } from '../../support/sqlite-ledger.ts';
import { untilTrue } from '../../support/wait-for.ts';

/**
 * On a quiet machine it is 50 ms: `npm run bench reputation -- --only hostile`. Other tests run beside this one, and take
 * the CPU for longer than that: without its bounds a body holds the loop for many seconds.
 */
const LOOP_MS = 500;
const TRIES = 6;
const MORE_MEMORY_BYTES = 400 * 1_048_576;
const WORK_MS = 1000;
const AT_ONCE = 6;

/** Threads of this process that run cases of strangers. */
const caseThreads = (): number =>
  readdirSync('/proc/self/task').filter((task) => {
    try {
      return readFileSync(`/proc/self/task/${task}/comm`, 'utf8').trim() === 'cases';
    } catch {
      return false; // it ended meanwhile
    }
  }).length;

describe('publications that stop, flood or escape the worker', function hostile() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  const worst: [loopMs: number, name: string][] = [];
  const began = process.memoryUsage.rss();
  let ledger: Ledger;
  let runner: CaseRunner;
  let app: PublishingApp;

  before(async () => {
    ledger = await openSqliteLedger(testLedgerOptions(join(folder, 'ledger.sqlite'), { clock: systemClock }));
    runner = new CaseRunner({ most: 1, workMs: WORK_MS });
    app = await startPublishingApp(ledger, runner);
  });
  after(async () => {
    const [loopMs = 0, name = ''] = worst.toSorted(([one], [other]) => other - one)[0] ?? [];
    const more = Math.round((process.memoryUsage.rss() - began) / 1_048_576);
    process.stderr.write(`      event loop: at most ${loopMs.toFixed(0)} ms (${name}); memory: ${more} MiB more\n`);
    await app.close();
    runner.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  /** The try that other programs on this machine disturbed least. */
  async function leastDisturbed(body: string): Promise<Answered> {
    let least = await app.publish(body);
    for (let count = 1; count < TRIES && least.loopMs > LOOP_MS; count += 1) {
      const next = await app.publish(body);
      if (next.loopMs < least.loopMs) least = next;
    }
    return least;
  }

  for (const { name, body, answer, error } of HOSTILE_PUBLICATIONS)
    it(`${name}: ${answer}, and other requests have their turn`, async () => {
      const size = await ledger.logSize();
      const text = body();
      expect(Buffer.byteLength(text)).to.be.at.most(1_048_576);
      const answered = await leastDisturbed(text);
      worst.push([answered.loopMs, name]);
      expect(answered.said).to.equal(answer);
      expect(answered.errors.filter((found) => found.startsWith(error))).to.have.length.at.least(
        1,
        String(answered.errors.slice(0, 5)),
      );
      expect(answered.loopMs).to.be.lessThan(LOOP_MS);
      expect(await ledger.logSize()).to.equal(size);
      await untilTrue('its thread has ended', () => caseThreads() === 0);
    });

  it('leave the next publication alone', async () => {
    expect((await app.publish(honestPublication(200))).said).to.equal('201');
  });

  it('of one tenant have four places, and the others are asked to come back', async () => {
    const endless = HOSTILE_PUBLICATIONS.find(({ name }) => name.startsWith('outputs that'))?.body() ?? '';
    const all = await Promise.all(Array.from({ length: AT_ONCE }, () => app.publish(endless)));
    const said = all.map((answered) => `${answered.said} ${answered.retryAfter ?? ''}`.trim());
    expect(said.toSorted()).to.deep.equal([
      ...Array.from({ length: 4 }, () => '422 validation-failed'),
      ...Array.from({ length: AT_ONCE - 4 }, () => '503 overloaded 1'),
    ]);
  });

  it('whose thread dies are refused, and the next one is served', async () => {
    const dying = ['process.exit(3)', 'throw new Error("the cases")', 'setTimeout(() => process.exit(0), 20)'];
    for (const code of dying) {
      const start = threadOf<CaseWork, FromCaseThread>(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
        name: 'cases',
      });
      const mortal = new CaseRunner({ most: 1, start });
      const other = await startPublishingApp(ledger, mortal);
      const answered = await other.publish(honestPublication(1));
      expect([answered.said, ...answered.errors]).to.deep.equal([
        '422 validation-failed',
        'suite-mock-not-reproduced /test_suites',
      ]);
      await other.close();
      mortal.close();
    }
    expect((await app.publish(honestPublication(1))).said).to.equal('200');
  });

  it('leave no memory behind', () => {
    expect(process.memoryUsage.rss() - began).to.be.lessThan(MORE_MEMORY_BYTES);
  });
});
