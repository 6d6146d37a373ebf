import { expect } from 'chai';
import { CaseRunner } from '../../../../adapters/suite-worker/case-runner.ts';
import { serveCases, type FromCaseThread } from '../../../../adapters/suite-worker/serve-cases.ts';
import type { StartMeasuredThread } from '../../../../adapters/threads/start-thread.ts';
import type { CaseWork } from '../../../../core/suite/case-work.ts';
import { aSuite, echoManifest } from '../../../support/suites.ts';

const WORK: CaseWork = { manifest: echoManifest(), suites: [aSuite()], allowedOrigins: [], disclosed: [] };

type Events = Parameters<StartMeasuredThread<CaseWork, FromCaseThread>>[0];

/** Threads that do nothing by themselves; the test lets each tell something. */
interface Threads {
  readonly start: StartMeasuredThread<CaseWork, FromCaseThread>;
  readonly events: Events[];
  readonly posted: CaseWork[];
  ended: number;
  /** Processor time of a thread at the last look: each look comes 1 s later. */
  usedMs: number;
}

function threads(): Threads {
  const [events, posted]: [Events[], CaseWork[]] = [[], []];
  const made: Threads = {
    events,
    posted,
    ended: 0,
    usedMs: 0,
    start: (own) => {
      events.push(own);
      return {
        post: (work) => void posted.push(work),
        cpuMs: () => Promise.resolve((made.usedMs += 1000)),
        ended: Promise.resolve(),
        terminate: async () => void (made.ended += 1),
      };
    },
  };
  return made;
}

const workOf = (name: string): CaseWork => ({ ...WORK, disclosed: [{ name, outputs: {} }] });

const done: FromCaseThread = ['done', { mocks: [], disclosed: [] }];

describe('CaseRunner', () => {
  it('posts the work when the thread is ready, and ends the thread with its answer', async () => {
    const made = threads();
    const answer = new CaseRunner({ most: 1, start: made.start }).run(WORK, 'acme');
    expect(made.posted).to.deep.equal([]);
    made.events[0]?.onMessage(['ready']);
    expect(made.posted).to.deep.equal([WORK]);
    made.events[0]?.onMessage(done);
    expect(await answer).to.deep.equal({ kind: 'done', result: { mocks: [], disclosed: [] } });
    expect(made.ended).to.equal(1);
  });

  it('kills a thread that does not answer in time', async () => {
    const made = threads();
    const answer = new CaseRunner({ most: 1, workMs: 10, start: made.start }).run(WORK, 'acme');
    made.events[0]?.onMessage(['ready']);
    expect(await answer).to.deep.equal({ kind: 'stopped', why: 'they take more than 10 ms of the processor' });
    expect(made.ended).to.equal(1);
  });

  it('says that the platform could not run them when the thread had too little of the processor', async () => {
    const made = threads();
    const start: typeof made.start = (events) => ({ ...made.start(events), cpuMs: () => Promise.resolve(0) });
    const answer = new CaseRunner({ most: 1, workMs: 1, start }).run(WORK, 'acme');
    made.events[0]?.onMessage(['ready']);
    expect(await answer).to.deep.equal({ kind: 'unavailable', why: 'their thread had too little of the processor' });
  });

  it('gives no work to a thread that becomes ready while it is ended', async () => {
    const made = threads();
    const runner = new CaseRunner({ most: 1, start: made.start });
    const answer = runner.run(WORK, 'acme');
    runner.close();
    made.events[0]?.onMessage(['ready']);
    expect([made.posted, made.usedMs]).to.deep.equal([[], 0]);
    expect((await answer).kind).to.equal('unavailable');
  });

  const causes: readonly (readonly [cause: unknown, why: string])[] = [
    [Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), 'they need more than 64 MiB of memory'],
    [new RangeError('secret of the suite'), 'they stopped with an error'],
    [undefined, 'they stopped with an error'],
  ];
  for (const [cause, why] of causes)
    it(`answers when the thread ends: ${why}`, async () => {
      const made = threads();
      const answer = new CaseRunner({ most: 1, start: made.start }).run(WORK, 'acme');
      made.events[0]?.onEnd(cause);
      expect(await answer).to.deep.equal({ kind: 'stopped', why });
    });

  it('runs as many threads as it may, and the others in their order', async () => {
    const made = threads();
    const runner = new CaseRunner({ most: 2, start: made.start });
    const answers = [runner.run(WORK, 'acme'), runner.run(WORK, 'acme'), runner.run(WORK, 'acme')];
    expect(made.events).to.have.length(2);
    made.events[1]?.onMessage(done);
    await answers[1];
    expect(made.events).to.have.length(3);
    runner.close();
    expect((await Promise.all(answers)).map(({ kind }) => kind)).to.deep.equal(['unavailable', 'done', 'unavailable']);
    expect(await runner.run(WORK, 'acme')).to.deep.equal({ kind: 'unavailable', why: 'the service is stopping' });
    expect([made.events.length, made.ended]).to.deep.equal([3, 3]);
  });
});

describe('tenants whose cases wait', () => {
  it('take turns, and the work of one tenant keeps its order', async () => {
    const made = threads();
    const runner = new CaseRunner({ most: 1, start: made.start });
    const asked: readonly (readonly [tenant: string, name: string])[] = [
      ['slow', 's1'],
      ['slow', 's2'],
      ['slow', 's3'],
      ['other', 'o1'],
      ['third', 't1'],
      ['other', 'o2'],
    ];
    const answers = asked.map(([tenant, name]) => runner.run(workOf(name), tenant));
    for (const index of asked.keys()) {
      made.events[index]?.onMessage(['ready']);
      made.events[index]?.onMessage(done);
    }
    await Promise.all(answers);
    const order = made.posted.map(({ disclosed }) => disclosed[0]?.name);
    expect(order).to.deep.equal(['s1', 's2', 'o1', 't1', 's3', 'o2']);
  });

  it('wait for one piece of work of each other tenant, however many these have', async () => {
    const made = threads();
    const runner = new CaseRunner({ most: 1, start: made.start });
    const slow = Array.from({ length: 32 }, (_, index) => runner.run(WORK, `slow-${index % 8}`));
    let ended = 0;
    const honest = runner.run(WORK, 'honest').then(() => ended);
    for (let index = 0; index < 33; index += 1) {
      made.events[index]?.onMessage(['ready']);
      made.events[index]?.onMessage(done);
      ended += 1;
      await Promise.resolve();
    }
    await Promise.all(slow);
    expect(await honest).to.be.at.most(10);
  });
});

describe('serveCases', () => {
  it('says that it is ready, then answers its work', () => {
    const told: unknown[] = [];
    let give: ((work: CaseWork) => void) | undefined;
    serveCases({
      postMessage: (message) => void told.push(message),
      once: (_event, listener) => (give = listener),
    });
    give?.(WORK);
    expect(told).to.deep.equal([
      ['ready'],
      [
        'done',
        {
          mocks: [
            { name: 'echo/echo', faults: [] },
            { name: 'echo/down', faults: [] },
          ],
          disclosed: [],
        },
      ],
    ]);
  });
});
