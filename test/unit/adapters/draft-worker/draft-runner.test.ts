import { expect } from 'chai';
import { evaluateDrafts, validateDraft } from '../../../../adapters/draft-worker/draft-desk.ts';
import { DraftRunner, type DraftRunnerOptions } from '../../../../adapters/draft-worker/draft-runner.ts';
import type { ValidateWork } from '../../../../adapters/draft-worker/port.ts';
import type { FromDraftThread, ToDraftThread } from '../../../../adapters/draft-worker/serve-drafts.ts';
import type { StartThread } from '../../../../adapters/threads/start-thread.ts';
import { aRule, someFacts, STARTED_AT } from '../../../support/policies.ts';

type Events = Parameters<StartThread<ToDraftThread, FromDraftThread>>[0];

/** A thread that answers as the test says. */
interface FakeThread {
  readonly events: Events;
  readonly posted: ToDraftThread[];
  isTerminated: boolean;
}

const POLICY = {
  namespace: 'acme',
  name: 'limits',
  spec: {
    rules: [aRule('deny', 'orb.score < 80', { messageExpression: "'score ' + string(orb.score)" })],
    tests: [{ name: 'low', input: { orb: { score: 10 } }, expect: { decision: 'deny' as const } }],
  },
};
const WORK: ValidateWork = { policy: POLICY, othersUnits: { PreFlight: 100 }, now: STARTED_AT };
const VALIDATED: FromDraftThread = ['validated', validateDraft(WORK)];

async function validate(runner: DraftRunner, tenant = 'acme'): Promise<string> {
  const answer = await runner.validate(WORK, tenant);
  return answer.kind === 'busy' ? `busy ${answer.of}` : answer.kind;
}

describe('DraftRunner', () => {
  const failures: unknown[] = [];
  const logger = { error: (_message: string, fields: unknown): void => void failures.push(fields) };

  it('finds in a thread what the thread of the caller would', async () => {
    const runner = new DraftRunner({ logger });
    try {
      const evaluation = { policies: [POLICY], facts: someFacts(), isTraced: true, now: STARTED_AT };
      const [validated, evaluated] = await Promise.all([
        runner.validate(WORK, 'acme'),
        runner.evaluate(evaluation, 'acme'),
      ]);
      expect(validated).to.deep.equal({ kind: 'done', value: validateDraft(WORK) });
      expect(evaluated).to.deep.equal({ kind: 'done', value: evaluateDrafts(evaluation) });
      expect(evaluated).to.have.nested.property('value[0].policy.results[0].message', 'score 70');
    } finally {
      await runner.close();
    }
  });

  it('ends a thread whose work takes too long, and works on with another one', async () => {
    const runner = new DraftRunner({ logger, workMs: 1 });
    const rules = Array.from({ length: 32 }, (_, index) => ({
      ...aRule('deny', Array.from({ length: 60 }, () => `orb.score < ${index}`).join(' && ')),
      name: `rule-${index}`,
    }));
    try {
      const large = { ...WORK, policy: { ...POLICY, spec: { rules } } };
      const found = [await runner.validate(large, 'acme'), await runner.validate(large, 'acme')];
      expect(found.map(({ kind }) => kind)).to.deep.equal(['too-expensive', 'too-expensive']);
    } finally {
      await runner.close();
    }
  });

  describe('with threads of the test', () => {
    let threads: FakeThread[];
    beforeEach(() => {
      threads = [];
      failures.length = 0;
    });
    const create = (change: Partial<DraftRunnerOptions> = {}): DraftRunner =>
      new DraftRunner({
        logger,
        start: (events) => {
          const thread: FakeThread = { events, posted: [], isTerminated: false };
          threads.push(thread);
          const terminate = async (): Promise<void> => void (thread.isTerminated = true);
          return { post: (message) => void thread.posted.push(message), ended: Promise.resolve(), terminate };
        },
        ...change,
      });
    const say = (index: number, ...messages: readonly FromDraftThread[]): void => {
      for (const message of messages) threads[index]?.events.onMessage(message);
    };

    it('sends one piece of work at a time to one thread, which it starts with the first', async () => {
      const runner = create();
      expect(threads).to.have.length(0);
      const found = [validate(runner), validate(runner)];
      say(0, ['ready']);
      expect(threads.map(({ posted }) => posted.length)).to.deep.equal([1]);
      say(0, VALIDATED);
      expect(threads.map(({ posted }) => posted.length)).to.deep.equal([2]);
      say(0, VALIDATED);
      expect(await Promise.all(found)).to.deep.equal(['done', 'done']);
      await runner.close();
      expect(threads.map(({ isTerminated }) => isTerminated)).to.deep.equal([true]);
    });

    const ends: readonly (readonly [why: string, cause: unknown, answer: string, failures: number])[] = [
      [
        'needs too much memory',
        Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
        'too-expensive',
        0,
      ],
      ['crashes', new Error('crash'), 'unavailable', 1],
      ['ends', undefined, 'unavailable', 1],
    ];
    for (const [why, cause, answer, logged] of ends)
      it(`answers when the thread ${why}, and begins the next work in another thread`, async () => {
        const runner = create();
        const found = [validate(runner), validate(runner)];
        say(0, ['ready']);
        threads[0]?.events.onEnd(cause);
        say(1, ['ready'], VALIDATED);
        expect(await Promise.all(found)).to.deep.equal([answer, 'done']);
        expect(failures).to.have.length(logged);
        await runner.close();
      });

    it('answers when the thread reports a bug, and ends it', async () => {
      const runner = create();
      const found = validate(runner);
      say(0, ['ready'], ['broken', 'at a place']);
      expect([await found, threads[0]?.isTerminated]).to.deep.equal(['unavailable', true]);
      await runner.close();
    });

    it('ignores what an earlier thread still says', async () => {
      const runner = create({ workMs: 1 });
      const late = validate(runner);
      say(0, ['ready']);
      expect(await late).to.equal('too-expensive');
      const next = validate(runner);
      say(0, VALIDATED);
      threads[0]?.events.onEnd(undefined);
      say(1, ['ready'], VALIDATED);
      expect(await next).to.equal('done');
      await runner.close();
    });

    it('refuses more than 8 of a tenant and 32 of all, and takes work again afterwards', async () => {
      const runner = create();
      const taken = ['a', 'b', 'c', 'd'].flatMap((tenant) => Array.from({ length: 8 }, () => validate(runner, tenant)));
      expect([await validate(runner, 'a'), await validate(runner, 'e')]).to.deep.equal(['busy tenant', 'busy all']);
      say(0, ['ready']);
      for (let answered = 0; answered < 32; answered += 1) say(0, VALIDATED);
      expect(new Set(await Promise.all(taken))).to.deep.equal(new Set(['done']));
      const again = validate(runner, 'a');
      say(0, VALIDATED);
      expect(await again).to.equal('done');
      await runner.close();
    });

    it('lets tenants take turns', async () => {
      const runner = create();
      const order: string[] = [];
      const noted = (tenant: string): Promise<unknown> => validate(runner, tenant).then(() => order.push(tenant));
      const found = [noted('a'), noted('a'), noted('a'), noted('b')];
      say(0, ['ready'], VALIDATED, VALIDATED, VALIDATED, VALIDATED);
      await Promise.all(found);
      expect(order).to.deep.equal(['a', 'a', 'b', 'a']);
      await runner.close();
    });

    it('ends a thread without work, and starts another one for the next', async () => {
      const runner = create({ idleMs: 1 });
      const first = validate(runner);
      say(0, ['ready'], VALIDATED);
      await first;
      while (threads[0]?.isTerminated !== true) await new Promise((resolve) => setTimeout(resolve, 1));
      const second = validate(runner);
      say(1, ['ready'], VALIDATED);
      expect(await second).to.equal('done');
      await runner.close();
    });

    it('ends a thread without work when others need its memory, and none that works', async () => {
      const runner = create();
      const first = validate(runner);
      await runner.rest();
      expect(threads[0]?.isTerminated).to.equal(false);
      say(0, ['ready'], VALIDATED);
      await first;
      await runner.rest();
      expect(threads[0]?.isTerminated).to.equal(true);
      const second = validate(runner);
      say(1, ['ready'], VALIDATED);
      expect(await second).to.equal('done');
      await runner.close();
    });

    it('answers all work when it is closed, and takes none afterwards', async () => {
      const runner = create();
      const found = [validate(runner), validate(runner, 'other')];
      await runner.close();
      expect(await Promise.all([...found, validate(runner)])).to.deep.equal(
        Array.from({ length: 3 }, () => 'unavailable'),
      );
      expect(threads.map(({ isTerminated }) => isTerminated)).to.deep.equal([true]);
    });
  });
});
