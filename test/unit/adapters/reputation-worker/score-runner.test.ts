import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import { scoreHere } from '../../../../adapters/reputation-worker/score-here.ts';
import { ScoreRunner, type ScoreRunnerOptions } from '../../../../adapters/reputation-worker/score-runner.ts';
import {
  serveScores,
  type FromScoreThread,
  type ToScoreThread,
} from '../../../../adapters/reputation-worker/serve-scores.ts';
import type { StartThread } from '../../../../adapters/threads/start-thread.ts';
import { NEVER_HELD } from '../../../../core/reputation/held-tier.ts';
import type { LineToScore, ScoredLine } from '../../../../core/reputation/score-line.ts';
import { aFinish, aStart, LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { aPublication, aVersion, DIGEST, ORB, violationEntry } from '../../../support/reputation-rows.ts';
import { openThreadedFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

type Events = Parameters<StartThread<ToScoreThread, FromScoreThread>>[0];

/** A thread that does nothing by itself; the test lets it tell something. */
interface FakeThread {
  readonly events: Events;
  readonly posted: ToScoreThread[];
  readonly end: () => void;
  readonly isTerminated: () => boolean;
}

const lineOf = (...orbIds: readonly string[]): LineToScore => ({
  versions: orbIds.map((orbId) => ({ orbId, manifestDigest: DIGEST, before: NEVER_HELD })),
  at: LEDGER_NOW,
  logOrigin: 'orbs.example/log',
});

const scoredOf = (size: number): ScoredLine => ({ size, rootBase64: '', asOf: '2026-11-20', versions: [] });
const codeOf = (error: unknown): string => (error instanceof LedgerError ? error.code : String(error));
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ScoreRunner', () => {
  let threads: FakeThread[];
  let crashes: unknown[];
  beforeEach(() => {
    threads = [];
    crashes = [];
  });
  const runner = (change: Partial<ScoreRunnerOptions> = {}): ScoreRunner =>
    new ScoreRunner({
      file: 'ledger.sqlite',
      onCrash: (cause) => void crashes.push(cause),
      start: (events) => {
        const ended = Promise.withResolvers<void>();
        const posted: ToScoreThread[] = [];
        let isTerminated = false;
        threads.push({ events, posted, end: ended.resolve, isTerminated: () => isTerminated });
        const terminate = async (): Promise<void> => {
          isTerminated = true;
          ended.resolve();
        };
        const post = (message: ToScoreThread): void => void posted.push(message);
        return { post, ended: ended.promise, terminate };
      },
      rest: () => Promise.resolve(),
      ...change,
    });
  const kinds = (): readonly (readonly string[])[] => threads.map(({ posted }) => posted.map(([kind]) => kind));
  const answer = (message: FromScoreThread): void => threads.at(-1)?.events.onMessage(message);
  const crash = (cause?: unknown): void => threads.at(-1)?.events.onEnd(cause);

  it('starts its thread with the first line, and gives it one at a time', async () => {
    const made = runner();
    expect(threads).to.deep.equal([]);
    const [one, other] = [made.score(lineOf(ORB)), made.score(lineOf('acme.other@1.0.0'))];
    expect(kinds()).to.deep.equal([['open', 'score']]);
    answer(['scored', scoredOf(1)]);
    expect(kinds()).to.deep.equal([['open', 'score', 'score']]);
    answer(['scored', scoredOf(2)]);
    expect([(await one).size, (await other).size]).to.deep.equal([1, 2]);
  });

  it('lets lines go between the steps of a check', async () => {
    const made = runner();
    const checked = made.check({ orbId: ORB, asOf: '2026-11-20' }, new AbortController().signal);
    const scored = made.score(lineOf(ORB));
    answer(['checked', null]);
    await nextTurn();
    answer(['scored', scoredOf(1)]);
    expect((await scored).size).to.equal(1);
    answer(['checked', { size: 9, differing: [] }]);
    expect(await checked).to.deep.equal({ size: 9, differing: [] });
    expect(kinds()).to.deep.equal([['open', 'check', 'score', 'step']]);
  });

  it('rests between the steps of a check', async () => {
    const rest = Promise.withResolvers<void>();
    const checked = runner({ rest: () => rest.promise }).check(
      { orbId: ORB, asOf: '2026-11-20' },
      new AbortController().signal,
    );
    answer(['checked', null]);
    await nextTurn();
    expect(kinds()).to.deep.equal([['open', 'check']]);
    rest.resolve();
    await nextTurn();
    expect(kinds()).to.deep.equal([['open', 'check', 'step']]);
    answer(['checked', { size: 9, differing: [] }]);
    expect(await checked).to.deep.equal({ size: 9, differing: [] });
  });

  it('repeats the line of a thread that crashed, once, in another thread', async () => {
    const made = runner();
    const [one, other] = [made.score(lineOf(ORB)), made.score(lineOf('acme.other@1.0.0'))];
    crash(new Error('no memory'));
    expect(kinds()).to.deep.equal([
      ['open', 'score'],
      ['open', 'score'],
    ]);
    expect(threads[1]?.posted[1]).to.deep.equal(threads[0]?.posted[1]);
    const failed = refusal(one);
    crash(new Error('no memory'));
    expect(codeOf(await failed)).to.equal('ledger-unavailable');
    answer(['scored', scoredOf(3)]);
    expect([(await other).size, crashes.length]).to.deep.equal([3, 2]);
  });

  it('gives up a check whose thread crashed: what it had folded is lost', async () => {
    const checked = refusal(runner().check({ orbId: ORB, asOf: '2026-11-20' }, new AbortController().signal));
    answer(['checked', null]);
    await nextTurn();
    crash();
    expect(codeOf(await checked)).to.equal('ledger-unavailable');
  });

  it('tells the failure of the ledger, and goes on', async () => {
    const made = runner();
    const failed = refusal(made.score(lineOf(ORB)));
    answer(['failed', 'ledger-unavailable', 'its disk reports an error']);
    expect(String(await failed)).to.include('its disk reports an error');
    const scored = made.score(lineOf(ORB));
    answer(['scored', scoredOf(1)]);
    expect([(await scored).size, threads.length]).to.deep.equal([1, 1]);
  });

  it('ends a thread that hangs, and repeats its line once in another thread', async () => {
    const made = runner({ workMs: 1 });
    const [one, other] = [refusal(made.score(lineOf(ORB))), made.score(lineOf('acme.other@1.0.0'))];
    expect(codeOf(await one)).to.equal('ledger-unavailable');
    answer(['scored', scoredOf(3)]);
    expect([(await other).size, threads.length, crashes.length]).to.deep.equal([3, 3, 2]);
    expect(String(crashes[0])).to.include('took longer than 1 ms');
    expect(threads[1]?.posted[1]).to.deep.equal(threads[0]?.posted[1]);
    expect(threads.map(({ isTerminated }) => isTerminated())).to.deep.equal([true, true, false]);
  });

  it('leaves out what a thread says that it gave up', async () => {
    const gaveUp = Promise.withResolvers<void>();
    const made = runner({ workMs: 1, onCrash: () => gaveUp.resolve() });
    const scored = made.score(lineOf(ORB));
    await gaveUp.promise;
    threads[0]?.events.onMessage(['scored', scoredOf(1)]);
    threads[0]?.events.onEnd(undefined);
    answer(['scored', scoredOf(2)]);
    expect([(await scored).size, threads.length]).to.deep.equal([2, 2]);
  });

  it('ends a thread that hangs in a check, which is given up', async () => {
    const checked = refusal(
      runner({ workMs: 1 }).check({ orbId: ORB, asOf: '2026-11-20' }, new AbortController().signal),
    );
    expect(codeOf(await checked)).to.equal('ledger-unavailable');
    expect([threads.length, threads[0]?.isTerminated()]).to.deep.equal([1, true]);
  });

  it('tells a bug of the thread with its stack, not as a failure of the ledger', async () => {
    const made = runner();
    const failed = refusal(made.score(lineOf(ORB)));
    const checked = refusal(made.check({ orbId: ORB, asOf: '2026-11-20' }, new AbortController().signal));
    answer(['broken', 'no such member', 'TypeError: no such member\n    at scoreLine']);
    answer(['broken', 'no such fold', 'TypeError: no such fold\n    at LineFold']);
    for (const [error, at] of [
      [await failed, 'at scoreLine'],
      [await checked, 'at LineFold'],
    ] as const) {
      expect(error).to.be.an('error').and.not.instanceOf(LedgerError);
      expect(error).to.have.property('stack').that.includes(at);
    }
    expect([threads.length, crashes]).to.deep.equal([1, []]);
  });

  it('bounds how many lines wait', async () => {
    const made = runner();
    const all = Array.from({ length: 66 }, () => made.score(lineOf(ORB)));
    expect(String(await refusal(all[65] ?? Promise.resolve()))).to.include('too many');
    for (const one of all.slice(0, 65)) one.catch(() => undefined);
    const closing = made.close();
    threads[0]?.events.onEnd(undefined);
    threads[0]?.end();
    await closing;
  });

  it('ends its thread when there is nothing to do, and starts another one for the next line', async () => {
    const made = runner({ idleMs: 0 });
    const first = made.score(lineOf(ORB));
    answer(['scored', scoredOf(1)]);
    await first;
    while (threads[0]?.posted.at(-1)?.[0] !== 'close') await nextTurn();
    crash();
    expect(crashes).to.deep.equal([]);
    const second = made.score(lineOf(ORB));
    answer(['scored', scoredOf(2)]);
    expect([(await second).size, threads.length]).to.deep.equal([2, 2]);
  });

  it('closes: what waits and what comes later is refused, what is at work is answered', async () => {
    const made = runner();
    const [atWork, waiting] = [made.score(lineOf(ORB)), refusal(made.score(lineOf(ORB)))];
    const closing = made.close();
    answer(['scored', scoredOf(1)]);
    threads[0]?.events.onEnd(undefined);
    threads[0]?.end();
    await closing;
    expect([(await atWork).size, codeOf(await waiting)]).to.deep.equal([1, 'ledger-closed']);
    expect(codeOf(await refusal(made.score(lineOf(ORB))))).to.equal('ledger-closed');
    expect([threads.length, crashes]).to.deep.equal([1, []]);
  });
});

describe('the thread that computes scores', () => {
  let fixture: SqliteFixture;
  let scores: ScoreRunner;
  beforeEach(async () => {
    fixture = await openThreadedFixture();
    scores = new ScoreRunner({ file: fixture.options.file });
    await fixture.ledger.publish(aPublication());
    await fixture.ledger.publish(aVersion('1.1.0'));
  });
  afterEach(async () => {
    await scores.close();
    await fixture.dispose();
  });

  it('scores and checks what another thread wrote, as the thread of the caller does', async () => {
    const { ledger } = fixture;
    const line = lineOf(ORB, 'acme.echo@1.1.0');
    const here = scoreHere(ledger);
    const first = await scores.score(line);
    expect(first).to.deep.equal(await here.score(line));
    await ledger.appendEntries([violationEntry()]);
    const second = await scores.score(line);
    expect(second).to.deep.equal(await here.score(line));
    expect([first.size, second.size]).to.deep.equal([5, 6]);
    const checked = await scores.check({ orbId: ORB, asOf: '2026-11-20' }, new AbortController().signal);
    expect(checked).to.deep.equal({ size: 6, differing: [] });
  });

  it('counts receipts as the thread of the caller does', async () => {
    const { ledger } = fixture;
    await ledger.startRun(aStart(1));
    await ledger.finishRun(aFinish(1));
    const window = { orbId: ORB, from: LEDGER_NOW, until: LEDGER_NOW + 1, except: [] };
    const counted = await scores.count(window);
    expect(counted).to.include({ runs: 1, failed: 0, callers: 1 });
    expect(counted).to.deep.equal(await scoreHere(ledger).count(window));
  });

  it('answers an error that is none of the ledger with its message and stack', async () => {
    const told = Promise.withResolvers<FromScoreThread>();
    let send: ((message: ToScoreThread) => void) | undefined;
    serveScores({ on: (_event, listener) => (send = listener), postMessage: told.resolve, close: () => undefined });
    send?.(['open', fixture.options.file]);
    send?.(['step']);
    const [kind, message, stack] = await told.promise;
    send?.(['close']);
    expect([kind, message]).to.deep.equal(['broken', 'no check was begun']);
    expect(stack).to.include('stepCheck');
  });

  it('tells that the file is gone', async () => {
    const gone = new ScoreRunner({ file: `${fixture.options.file}.gone` });
    expect(codeOf(await refusal(gone.score(lineOf(ORB))))).to.equal('ledger-unavailable');
    await gone.close();
  });
});
