import { expect } from 'chai';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { CaseRunner } from '../../../adapters/suite-worker/case-runner.ts';
import type { CaseWork, CaseWorkAnswer } from '../../../core/suite/case-work.ts';
import { jsonOf, aSuite, echoManifest, liveCase, mockCase } from '../../support/suites.ts';

const numbers = (count: number, from = 0): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + from);

/** Its outputs are compared with a list of values, one by one: 4 000 000 000 comparisons. */
const endless: CaseWork = {
  manifest: echoManifest({ outputs: { text: { type: 'array', from: '/body/text' } } }),
  suites: [
    aSuite({
      cases: [
        liveCase({
          expect: { status: 'completed', outputs: { text: { schema: { items: { enum: numbers(20_000) } } } } },
        }),
      ],
    }),
  ],
  allowedOrigins: [],
  disclosed: [{ name: 'echo/live', outputs: { text: Array.from({ length: 200_000 }, () => 19_999) } }],
};

/** Disclosed outputs that need some hundred MiB as objects. */
const huge = (): CaseWork => ({
  manifest: echoManifest(),
  suites: [aSuite()],
  allowedOrigins: [],
  disclosed: [{ name: 'echo/live', outputs: { text: Array.from({ length: 2_000_000 }, () => ({ a: [1] })) } }],
});

const LONG_SECRETS = Object.fromEntries(
  numbers(24).map((index) => [`S${index}`, String.fromCharCode(97 + index).repeat(8000)] as const),
);

/** Secrets whose forms fill the largest automaton: half a second for each of 60 cases. */
const manySecrets: CaseWork = {
  manifest: echoManifest(),
  suites: [
    aSuite({
      defaults: {
        secrets: { TOKEN: 'test-value', ...LONG_SECRETS },
      },
      cases: numbers(60).map((index) => mockCase({ id: `c${index}` })),
    }),
  ],
  allowedOrigins: [],
  disclosed: [],
};

/** 200 small cases, as an honest publisher has them. */
const honest: CaseWork = {
  manifest: echoManifest(),
  suites: [aSuite({ cases: numbers(200).map((index) => mockCase({ id: `c${index}` })) })],
  allowedOrigins: [],
  disclosed: [],
};

describe('cases of strangers in a thread', () => {
  const runner = new CaseRunner({ most: 2 });
  after(() => runner.close());

  async function timed(work: CaseWork): Promise<{ readonly answer: CaseWorkAnswer; readonly loopMs: number }> {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const answer = await runner.run(work, 'acme');
    delay.disable();
    return { answer, loopMs: delay.max / 1e6 };
  }

  it('runs 200 honest cases well within its limits', async () => {
    const { answer } = await timed(honest);
    expect(answer.kind === 'done' && answer.result.mocks.every(({ faults }) => faults.length === 0)).to.equal(true);
  }).timeout(20_000);

  it('kills cases that take too long, and the event loop stays free', async () => {
    const { answer, loopMs } = await timed(endless);
    expect(answer).to.deep.equal({ kind: 'stopped', why: 'they take more than 2000 ms of the processor' });
    expect(loopMs).to.be.lessThan(200);
  }).timeout(20_000);

  it('ends cases that need too much memory, and runs the next ones', async () => {
    const answer = await runner.run(huge(), 'acme');
    // Collecting garbage may take all of its time before the memory is used up.
    expect(answer)
      .to.have.property('why')
      .that.matches(/^they (?:need more than 64 MiB of memory|take longer)/);
    expect((await runner.run(honest, 'acme')).kind).to.equal('done');
  }).timeout(20_000);

  it('ends cases whose secrets fill the redaction, and the event loop stays free', async () => {
    const { answer, loopMs } = await timed(manySecrets);
    expect(answer).to.deep.equal({ kind: 'stopped', why: 'they take more than 2000 ms of the processor' });
    expect(loopMs).to.be.lessThan(200);
  }).timeout(20_000);

  it('survives a manifest and suites that were never checked', async () => {
    const work = { manifest: null, suites: [jsonOf([])], allowedOrigins: [], disclosed: [] };
    expect(await runner.run(work, 'acme')).to.deep.equal({ kind: 'stopped', why: 'they stopped with an error' });
  }).timeout(20_000);
});
