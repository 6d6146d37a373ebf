import { expect } from 'chai';
import { cachedEvaluations, type FetchEvaluation } from '../../../../api-server/providers/evaluation-source.ts';
import type { EvaluationRequest } from '../../../../api-server/providers/port.ts';
import { summaryOf, type EvaluationSummary } from '../../../../core/failover/evaluation-summary.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

const EVALUATION: EvaluationSummary = summaryOf(
  {
    verdict: { kind: 'unavailable', why: 'x' },
    memory: { degraded: 0, trial: 0, recovered: 0, latched: null },
    explain: { rule: 'healthy', limitMs: null, baseMs: null, window: null, minSamples: 20, candidates: [] },
  },
  { evaluatedAt: 1, ageMs: 1 },
  {},
);

function requestFor(name = 'mailer', provider = 'main'): EvaluationRequest {
  const parsed = parseOrbId(`acme.${name}@1.0.0`);
  if (!parsed.ok) throw new TypeError(name);
  return { namespace: 'acme', orbId: parsed.value, quantile: 0.95, active: { provider, since: 0 } };
}

const hanging: FetchEvaluation = (_orb, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const good: FetchEvaluation = () => Promise.resolve(EVALUATION);

const counted = (query: FetchEvaluation) => {
  const clock = createFakeClock(1_000_000);
  const asked: string[] = [];
  const counting: FetchEvaluation = (orb, signal) => {
    asked.push(orb.orbId);
    return query(orb, signal);
  };
  return { asked, clock, lastEvaluation: cachedEvaluations(counting, { clock, logger: { debug: () => undefined } }) };
};

describe('cachedEvaluations', () => {
  it('asks once for all callers of 15 s, also for those that come at once', async () => {
    const { lastEvaluation, asked, clock } = counted(good);
    expect(await Promise.all([lastEvaluation(requestFor()), lastEvaluation(requestFor())])).to.deep.equal([
      EVALUATION,
      EVALUATION,
    ]);
    await clock.advance(14_999);
    await lastEvaluation(requestFor());
    expect(asked.length).to.equal(1);
    await clock.advance(1);
    await lastEvaluation(requestFor());
    expect(asked.length).to.equal(2);
  });

  it('asks for each Orb, and again when another provider is active', async () => {
    const { lastEvaluation, asked } = counted(good);
    for (const orb of [requestFor(), requestFor('other'), requestFor('mailer', 'backup')]) await lastEvaluation(orb);
    expect(asked.length).to.equal(3);
  });

  it('waits 2 s, and asks again 2 s later', async () => {
    const { lastEvaluation, asked, clock } = counted(hanging);
    const first = lastEvaluation(requestFor());
    await clock.advance(2000);
    expect(await first).to.equal(undefined);
    await lastEvaluation(requestFor());
    expect(asked.length).to.equal(1);
    await clock.advance(2000);
    void lastEvaluation(requestFor());
    expect(asked.length).to.equal(2);
    await clock.advance(2000);
  });

  it('answers a query that rejects with nothing', async () => {
    const { lastEvaluation } = counted(() => Promise.reject(new Error('no')));
    expect(await lastEvaluation(requestFor())).to.equal(undefined);
  });

  it('remembers at most 1000 Orbs', async () => {
    const { lastEvaluation, asked } = counted(good);
    for (let number = 0; number <= 1000; number += 1) await lastEvaluation(requestFor(`n${number}`));
    await lastEvaluation(requestFor('n1000'));
    expect(asked.length).to.equal(1001);
    await lastEvaluation(requestFor('n0'));
    expect(asked.length).to.equal(1002);
  });
});
