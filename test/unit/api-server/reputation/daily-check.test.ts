import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import type { CheckedOrb, OrbToCheck } from '../../../../adapters/reputation-worker/port.ts';
import { DailyCheck } from '../../../../api-server/reputation/daily-check.ts';
import { aListedVersion } from '../../../support/a-listed-orb.ts';
import { createFakeClock, type FakeClock } from '../../../support/fake-clock.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';

const DAY_MS = 86_400_000;
const NAMES = ['acme.c@1.0.0', 'acme.a@1.0.0', 'acme.b@1.0.0'];

describe('the daily check', () => {
  let clock: FakeClock;
  let ids: readonly string[];
  let asked: OrbToCheck[];
  let logged: unknown[];
  let answer: () => Promise<CheckedOrb>;
  let daily: DailyCheck;
  let stop: AbortController;
  let running: Promise<void>;
  beforeEach(() => {
    clock = createFakeClock(LEDGER_NOW);
    ids = NAMES;
    [asked, logged] = [[], []];
    answer = async () => ({ size: 7, differing: [] });
    const log =
      (level: string) =>
      (_message: string, fields?: object): void =>
        void logged.push({ level, ...fields });
    daily = new DailyCheck({
      scorer: {
        check: (orb) => {
          asked.push(orb);
          return answer();
        },
      },
      listings: { all: () => ids.map((orbId) => aListedVersion(orbId)) },
      clock,
      logger: { info: log('info'), warn: log('warn'), error: log('error') },
    });
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });
  const start = async (): Promise<void> => {
    running = daily.run(stop.signal);
    await clock.advance(0);
  };

  it('takes one version a UTC day, each in its turn', async () => {
    await start();
    for (let day = 0; day < 3; day += 1) await clock.advance(DAY_MS);
    expect(asked.map(({ asOf }) => asOf)).to.deep.equal(['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23']);
    const taken = asked.map(({ orbId }) => orbId);
    expect([taken.slice(0, 3).toSorted(), taken[3]]).to.deep.equal([NAMES.toSorted(), taken[0]]);
  });

  it('is inconsistent after a difference, says which members, and checks once a day', async () => {
    expect(daily.isConsistent).to.equal(true);
    answer = async () => ({ size: 7, differing: ['score_bp', 'criteria.SCORE_GE_40'] });
    await start();
    expect(daily.isConsistent).to.equal(false);
    const about = { orb_id: asked[0]?.orbId, tree_size: 7, as_of: '2026-11-20' };
    expect(logged).to.deep.equal([{ level: 'error', ...about, members: ['score_bp', 'criteria.SCORE_GE_40'] }]);
    await clock.advance(60_000);
    expect([asked.length, daily.isConsistent]).to.deep.equal([1, false]);
  });

  it('checks a version that differs again each day, and stays inconsistent until that version is good', async () => {
    answer = async () => ({ size: 7, differing: ['score_bp'] });
    await start();
    const bad = asked[0]?.orbId;
    answer = async () => ({ size: 8, differing: asked.at(-1)?.orbId === bad ? ['score_bp'] : [] });
    await clock.advance(DAY_MS);
    expect([asked.length, asked.at(-1)?.orbId === bad, daily.isConsistent]).to.deep.equal([3, true, false]);
    answer = async () => ({ size: 9, differing: [] });
    await clock.advance(DAY_MS);
    expect([asked.length, daily.isConsistent]).to.deep.equal([5, true]);
    await clock.advance(DAY_MS);
    expect(asked).to.have.length(6);
  });

  it('logs a computation that failed as an error, and tries again', async () => {
    answer = () => Promise.reject(new TypeError('no such member'));
    await start();
    answer = async () => ({ size: 7, differing: [] });
    await clock.advance(60_000);
    expect(logged.map((one) => JSON.stringify(one).slice(0, 16))).to.deep.equal([
      '{"level":"error"',
      '{"level":"info",',
    ]);
  });

  it('tries again a minute after a check that could not be made', async () => {
    answer = () => Promise.reject(new LedgerError('ledger-unavailable', 'away'));
    await start();
    await clock.advance(60_000);
    answer = async () => ({ size: 7, differing: [] });
    await clock.advance(60_000);
    await clock.advance(600_000);
    expect([asked.length, daily.isConsistent]).to.deep.equal([3, true]);
    expect(logged.map((one) => JSON.stringify(one).slice(0, 15))).to.deep.equal([
      '{"level":"warn"',
      '{"level":"warn"',
      '{"level":"info"',
    ]);
  });

  it('checks nothing while nothing is published', async () => {
    ids = [];
    await start();
    ids = NAMES;
    expect(asked).to.deep.equal([]);
    await clock.advance(60_000);
    expect(asked).to.have.length(1);
  });

  it('leaves its finding to the next holder of the lease, which checks the same version', async () => {
    answer = async () => ({ size: 7, differing: ['score_bp'] });
    await start();
    stop.abort();
    await running;
    expect(daily.isConsistent).to.equal(true);
    stop = new AbortController();
    await start();
    expect([asked.length, asked[0]?.orbId === asked[1]?.orbId, daily.isConsistent]).to.deep.equal([2, true, false]);
  });
});
