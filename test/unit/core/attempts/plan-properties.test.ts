import { expect } from 'chai';
import fc from 'fast-check';
import { nextStep, type AttemptState, type Availability } from '../../../../core/attempts/plan.ts';
import type { Failure } from '../../../../core/attempts/repeat.ts';

const NOW = 1000;

const kinds = ['free', 'breaker', 'cooling', 'quota', 'quota-unannounced', 'credential'] as const;

const anyStanding = fc
  .record({ kind: fc.constantFrom(...kinds), ms: fc.integer({ min: 1, max: 60_000 }) })
  .map(({ kind, ms }): Availability => (kind === 'free' ? { kind } : { kind, until: NOW + ms }));

const anyFailure = fc.record({
  provider: fc.constantFrom('a', 'b', 'c'),
  failure: fc.constantFrom<Failure>('unsent', 'not-executed', 'uncertain', 'final'),
  repeats: fc.record({ anywhere: fc.boolean(), there: fc.boolean() }),
});

const anySituation = fc
  .record({
    standings: fc.tuple(anyStanding, anyStanding, anyStanding),
    failed: fc.array(anyFailure, { maxLength: 3 }),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
    budget: fc.boolean(),
    leftMs: fc.integer({ min: 1, max: 60_000 }),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  .map(({ standings: [a, b, c], leftMs, ...rest }): AttemptState => ({
    ...rest,
    candidates: [
      { provider: 'a', standing: a },
      { provider: 'b', standing: b },
      { provider: 'c', standing: c },
    ],
    now: NOW,
    deadline: NOW + leftMs,
  }));

const checkAlways = (claim: (some: AttemptState, step: ReturnType<typeof nextStep>) => void): void =>
  fc.assert(fc.property(anySituation, (some) => claim(some, nextStep(some))));

describe('nextStep: whatever happened', () => {
  it('never sends a request again that may have done its work, but where that is allowed', () => {
    checkAlways(({ failed }, step) => {
      const risky = failed.filter(({ failure: what, repeats }) => what === 'uncertain' && !repeats.anywhere);
      if (step.kind === 'stop' || risky.length === 0) return;
      expect(risky[0]?.repeats.there).to.equal(true);
      expect(step.provider).to.equal(risky[0]?.provider);
    });
  });

  it('never goes on after an answer that is final, the last attempt, or a spent budget', () => {
    checkAlways(({ failed, maxAttempts, budget }, step) => {
      const last = failed.at(-1);
      if (step.kind === 'stop' || last === undefined) return;
      expect(last.failure).to.not.equal('final');
      expect(failed.length).to.be.below(maxAttempts);
      if (step.charged) expect(budget).to.equal(true);
    });
  });

  it('never calls past an open breaker, and never waits beyond the deadline', () => {
    checkAlways((some, step) => {
      if (step.kind === 'stop') return;
      const called = some.candidates.find(({ provider }) => provider === step.provider)?.standing;
      expect(called?.kind).to.not.equal('breaker');
      expect(step.waitMs).to.be.within(0, some.deadline - some.now);
      if (called !== undefined && called.kind === 'cooling')
        expect(some.now + step.waitMs).to.be.at.least(called.until);
    });
  });

  it('takes a free provider for the first attempt whenever there is one', () => {
    checkAlways((some, step) => {
      const free = some.candidates.find((one) => one.standing.kind === 'free');
      if (some.failed.length > 0 || free === undefined) return;
      expect(step).to.deep.include({ kind: 'call', provider: free.provider, waitMs: 0 });
    });
  });

  it('says when to come back whenever nothing was sent', () => {
    checkAlways((some, step) => {
      if (some.failed.length > 0 || step.kind === 'call') return;
      expect(step.retryAfterMs).to.be.greaterThan(0);
    });
  });
});
