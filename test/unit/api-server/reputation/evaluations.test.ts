import { expect } from 'chai';
import { DatabaseSync } from 'node:sqlite';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import type { Scorer } from '../../../../adapters/reputation-worker/port.ts';
import { scoreHere } from '../../../../adapters/reputation-worker/score-here.ts';
import type { Reputation } from '../../../../api-server/reputation/reputation.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { aReputation, type ReputationChange } from '../../../support/a-reputation.ts';
import { aStart } from '../../../support/ledger-rows.ts';
import {
  aPublication,
  aPublicFinish,
  aReport,
  revocationEntry,
  aVersion,
  auditEntry,
  incidentEntry,
  ORB,
  orgEntry,
  retractionEntry,
  statusEntry,
  testReportEntry,
  violationEntry,
} from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const OTHER = 'acme.echo@1.1.0';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const REPORT_INDEX = 2;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Evaluations', () => {
  let fixture: SqliteFixture;
  let ledger: Ledger;
  let counted: string[];
  let logged: string[];
  let stop: AbortController;
  let running: Promise<void> | undefined;
  let reputation: Reputation;
  /** Versions that were scored, a list for each read of evidence. */
  let scored: (readonly string[])[];
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    ({ ledger } = fixture);
    [counted, logged, scored] = [[], [], []];
    running = undefined;
    await ledger.publish(aPublication());
  });
  afterEach(async () => {
    await end();
    await fixture.dispose();
  });

  /** Notes what is scored. */
  const noting = (): Scorer => {
    const here = scoreHere(ledger);
    return {
      ...here,
      score: (line) => {
        scored.push(line.versions.map(({ orbId }) => orbId));
        return here.score(line);
      },
    };
  };
  const log = (message: string): void => void logged.push(message);
  async function start(change: ReputationChange = {}): Promise<void> {
    const silent = { debug: () => undefined, info: () => undefined, flush: () => Promise.resolve() };
    reputation = aReputation(ledger, fixture.clock, {
      scorer: noting(),
      counters: { published: () => undefined, evaluated: (result) => void counted.push(result) },
      logger: { ...silent, warn: log, error: log, child: () => expect.fail('no child is asked for') },
      intervalMs: MINUTE_MS,
      ...change,
    });
    await reputation.open();
    stop = new AbortController();
    running = reputation.run(stop.signal);
  }
  async function end(): Promise<void> {
    stop?.abort();
    await running;
  }
  /** A process is started the next day: time that passes while one runs takes the test much longer. */
  async function startNextDay(change: ReputationChange = {}): Promise<void> {
    await end();
    await fixture.clock.advance(DAY_MS);
    [counted, scored] = [[], []];
    await start(change);
  }
  /** Lets time pass until something is so, ten seconds at most. */
  async function until(holds: () => boolean | Promise<boolean>): Promise<boolean> {
    for (let tenths = 0; tenths < 100; tenths += 1) {
      if (await holds()) return true;
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      await fixture.clock.advance(100);
    }
    return holds();
  }
  const pass = async (seconds: number): Promise<void> => {
    for (let tenths = 0; tenths < seconds * 10; tenths += 1) await fixture.clock.advance(100);
  };
  const done = (): number => counted.filter((result) => result === 'done').length;
  const evaluatedOnce = async (): Promise<void> => {
    await start();
    expect(await until(() => done() === 1)).to.equal(true);
  };
  const isRevoked = async (): Promise<boolean> => (await ledger.certificate(ORB))?.revoked === true;
  const yank = async (orbId = ORB): Promise<void> => {
    const certificate = await ledger.certificate(orbId);
    const change = { orbId, from: 'active', to: 'yanked', reason: 'a reason' } as const;
    const entries = [statusEntry('yanked', orbId), revocationEntry()];
    const result = await ledger.setOrbStatus({ ...change, entries, revoke: certificate?.logIndex ?? null });
    expect(result.kind).to.equal('done');
  };
  const run = (number: number): Promise<unknown> => ledger.recordRun(aStart(number), aPublicFinish(number));

  it('evaluates a version that another process yanked', async () => {
    await evaluatedOnce();
    await yank();
    expect(await until(() => done() === 2)).to.equal(true);
  });

  it('evaluates it after a crash between the yank and its evaluation', async () => {
    await evaluatedOnce();
    await end();
    await yank();
    await start();
    expect(await until(() => done() === 2)).to.equal(true);
  });

  it('suspends all Orbs of an organisation that another process suspended', async () => {
    await evaluatedOnce();
    const row = await ledger.org('acme');
    if (row !== undefined)
      await ledger.putOrg({ ...row, state: 'suspended', json: '{"n":1}' }, row.json, [orgEntry('suspended')]);
    expect(await until(isRevoked)).to.equal(true);
  });

  const acts: readonly (readonly [what: string, act: () => Promise<unknown>])[] = [
    [
      'a test report',
      () =>
        ledger.addTestReport({
          orbId: ORB,
          namespace: 'acme',
          report: aReport('3'),
          entry: testReportEntry({ passed: 2 }),
        }),
    ],
    ['a retraction', () => ledger.retract(retractionEntry(REPORT_INDEX), REPORT_INDEX)],
    ['an audit', () => ledger.appendEntries([auditEntry({ invalid: 1 })])],
    ['an incident', () => ledger.appendEntries([incidentEntry()])],
    ['a violation', () => ledger.appendEntries([violationEntry()])],
  ];
  for (const [what, act] of acts)
    it(`evaluates once, within seconds, after ${what} of another process`, async () => {
      await evaluatedOnce();
      await act();
      expect(await until(() => done() === 2)).to.equal(true);
      await pass(5);
      expect(done()).to.equal(2);
    });

  it('does not evaluate again because the view was written, or because of its own entries', async () => {
    await evaluatedOnce();
    await ledger.markProjected(ORB);
    await pass(5);
    expect([done(), reputation.metricSources().backlog()]).to.deep.equal([1, 0]);
  });

  it('evaluates runs of any process by the interval, also those from before its start', async () => {
    await evaluatedOnce();
    await run(1);
    await pass(50);
    expect(done()).to.equal(1);
    await pass(15);
    expect(done()).to.equal(2);
    await end();
    await run(2);
    await start();
    await pass(70);
    expect(done()).to.equal(3);
  });

  it('evaluates each version once a UTC day', async () => {
    await ledger.publish(aVersion('1.1.0'));
    await start();
    expect(await until(() => done() === 2)).to.equal(true);
    await startNextDay();
    expect(await until(() => done() === 2)).to.equal(true);
    await pass(5);
    expect(done()).to.equal(2);
  });

  it('reads the evidence of a line once for the versions that are due together', async () => {
    for (const version of ['1.1.0', '1.2.0', '2.0.0']) await ledger.publish(aVersion(version));
    await start();
    expect(await until(() => done() === 4)).to.equal(true);
    expect(scored).to.deep.equal([[ORB, OTHER, 'acme.echo@1.2.0'], ['acme.echo@2.0.0']]);
  });

  it('lets a yank go before the rest of a nightly pass', async () => {
    const names = Array.from({ length: 80 }, (_, major) => `${major + 2}.0.0`);
    await Promise.all(names.map((version) => ledger.publish(aVersion(version))));
    await start();
    expect(await until(() => done() === 81)).to.equal(true);
    const here = noting();
    // The yank comes while the first line of the night is scored.
    const late: Scorer = {
      ...here,
      score: async (line) => {
        const result = await here.score(line);
        if (scored.length === 1) {
          await yank('acme.echo@81.0.0');
          await reputation.listings.refresh();
          reputation.evaluations.request();
        }
        return result;
      },
    };
    await startNextDay({ scorer: late });
    expect(await until(() => done() === 81)).to.equal(true);
    const place = scored.findIndex((line) => line.includes('acme.echo@81.0.0'));
    // The lines of one slice at the most go before it; by its evaluation's age it is one of the last.
    expect(place).to.equal(64);
  });

  it('waits longer after each failure, counts it, and evaluates when it can', async () => {
    let isBroken = true;
    const tried: number[] = [];
    const here = scoreHere(ledger);
    const broken: Scorer = {
      ...here,
      score: (line) => {
        tried.push(fixture.clock.monotonic());
        return isBroken ? Promise.reject(new LedgerError('ledger-unavailable', 'away')) : here.score(line);
      },
    };
    await start({ scorer: broken });
    await pass(12);
    const pauses = tried.slice(1).map((at, number) => at - (tried[number] ?? 0));
    expect(pauses.map((ms) => Math.floor(ms / 1000))).to.deep.equal([1, 2, 4]);
    expect([counted, logged.length]).to.deep.equal([['failed', 'failed', 'failed', 'failed'], 4]);
    isBroken = false;
    await pass(10);
    expect(counted.at(-1)).to.equal('done');
  });

  it('ends without a word when the process ends in the middle of an evaluation', async () => {
    let begun = false;
    const here = scoreHere(ledger);
    await start({
      scorer: {
        ...here,
        score: async (line) => {
          begun = true;
          const result = await here.score(line);
          stop.abort();
          return result;
        },
      },
    });
    expect(await until(() => begun)).to.equal(true);
    await running;
    expect([counted, logged]).to.deep.equal([[], []]);
  });

  it('logs a computation that failed as an error, and a ledger that is away as a warning', async () => {
    let failure: Error = new TypeError('no such member');
    const here = scoreHere(ledger);
    const levels: string[] = [];
    const silent = { debug: () => undefined, info: () => undefined, flush: () => Promise.resolve() };
    await start({
      scorer: { ...here, score: () => Promise.reject(failure) },
      logger: {
        ...silent,
        warn: () => void levels.push('warn'),
        error: () => void levels.push('error'),
        child: () => expect.fail('no child is asked for'),
      },
    });
    await pass(1);
    const broken = new Set(levels.splice(0));
    failure = new LedgerError('ledger-unavailable', 'away');
    await pass(4);
    expect([[...broken], [...new Set(levels)]]).to.deep.equal([['error'], ['warn']]);
  });

  it('ends without a word when the ledger is closed under it', async () => {
    await start();
    await ledger.close();
    await pass(3);
    expect([counted, logged]).to.deep.equal([[], []]);
  });

  it('goes on from the tier that the holder before wrote, whatever it knew itself', async () => {
    const next = aReputation(ledger, fixture.clock, { holder: 'next', intervalMs: MINUTE_MS });
    await next.open();
    await evaluatedOnce();
    await end();
    const size = await ledger.logSize();
    await ledger.appendEntries([auditEntry()]);
    const before = (await ledger.evaluation(ORB))?.treeSize;
    stop = new AbortController();
    running = next.run(stop.signal);
    expect(await until(async () => (await ledger.evaluation(ORB))?.treeSize !== before)).to.equal(true);
    const later = await ledger.entries(size, size + 99);
    expect(later.map((text) => readEntry(text)?.kind)).to.deep.equal(['audit']);
  });

  it('finds with its daily check that a table does not say what the log says', async () => {
    await evaluatedOnce();
    await pass(1);
    expect(reputation.metricSources().isConsistent()).to.equal(true);
    const db = new DatabaseSync(fixture.options.file);
    db.exec(`UPDATE reputation_events SET retracted = 1 WHERE kind = 'test_report'`);
    db.close();
    await startNextDay();
    expect(await until(() => !reputation.metricSources().isConsistent())).to.equal(true);
    expect(logged).to.deep.equal(['a score does not follow from the entries of the log']);
  });
});
