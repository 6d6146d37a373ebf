import { expect } from 'chai';
import type { PlatformAnswer, PlatformClient } from '../../../../adapters/platform-api/client.ts';
import { untilApiAnswers } from '../../../../api-server/status-prober/until-api-answers.ts';

const GONE: PlatformAnswer = { kind: 'failed', code: 'unreachable', ms: 1 };
const refused: PlatformAnswer = { kind: 'answered', status: 503, headers: {}, body: Buffer.from('{}'), ms: 1 };

/** An API that gives these answers, the last one again and again; time passes by sleeping alone. */
function anApi(answers: readonly PlatformAnswer[]) {
  let [asked, now] = [0, 0];
  const api: PlatformClient = {
    call: () => {
      asked += 1;
      return Promise.resolve(answers[Math.min(asked, answers.length) - 1] ?? GONE);
    },
  };
  const clock = {
    monotonic: () => now,
    sleep: (ms: number) => {
      now += ms;
      return Promise.resolve();
    },
  };
  return { api, clock, asked: () => asked, now: () => now };
}

describe('untilApiAnswers', () => {
  const never = new AbortController().signal;

  it('waits for any answer, also one of an API that is not ready', async () => {
    const { api, clock, asked, now } = anApi([GONE, GONE, refused]);
    await untilApiAnswers(api, clock, never);
    expect([asked(), now()]).to.deep.equal([3, 2000]);
  });

  it('gives up after a minute: from then on it is an outage', async () => {
    const { api, clock, now } = anApi([GONE]);
    await untilApiAnswers(api, clock, never);
    expect(now()).to.equal(60_000);
  });

  it('ends when the process does', async () => {
    const { api, clock, asked } = anApi([GONE]);
    await untilApiAnswers(api, clock, AbortSignal.abort());
    expect(asked()).to.equal(0);
  });
});
