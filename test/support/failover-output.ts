import type { Candidate, Explain, FailoverOutput, Verdict } from '../../core/failover/types.ts';

/** @returns a provider, by default with traffic of 2 minutes */
export function aCandidate(provider: string, some: Partial<Candidate> = {}): Candidate {
  return {
    provider,
    active: false,
    evidence: 'traffic',
    window: '2m',
    n: 20,
    p50Ms: 200,
    pqMs: 400,
    baseMs: null,
    attempts: 0,
    bad: 0,
    probeN: 0,
    probeOk: 0,
    eligible: false,
    why: '',
    ...some,
  };
}

const CANDIDATES = [
  aCandidate('a', { active: true, n: 117.4, p50Ms: 1043.0004, pqMs: 2310, attempts: 120, bad: 30 }),
  aCandidate('b', { evidence: 'probe', window: null, n: 0, p50Ms: 261, pqMs: null, probeN: 10, probeOk: 9 }),
];

/** @returns an evaluation of `a`, active and slow, and `b`, measured by probes */
export function anOutput(some: Partial<Explain> & { readonly verdict?: Verdict } = {}): FailoverOutput {
  const {
    verdict = { kind: 'degraded', value: 2310, threshold: 1180, window: '2m', n: 117.4, ageMs: 8000 },
    ...explain
  } = some;
  return {
    verdict,
    decision: { kind: 'stay', rule: 'degraded', why: 'streak' },
    next: {
      activeProvider: 'a',
      since: 0,
      reason: 'primary',
      swapSeq: 0,
      epoch: 1,
      holds: [],
      dwellUntil: null,
      ramp: null,
      frozen: null,
      pin: { handledId: null, overriddenId: null, expiredId: null, firstSeen: null },
      probeRequestedAt: null,
      history: [],
      aborts: [],
    },
    memory: { degraded: 2, trial: 0, recovered: 1, latched: null },
    events: [],
    explain: {
      rule: 'degraded',
      limitMs: 1180,
      baseMs: 590,
      window: '2m',
      minSamples: 20,
      candidates: CANDIDATES,
      ...explain,
    },
  };
}
