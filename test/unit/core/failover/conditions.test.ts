import { expect } from 'chai';
import { failoverConditions, type FailoverConditionInput } from '../../../../core/failover/conditions.ts';
import { FIRST_STEP, type ProvidersHealth } from '../../../../core/failover/step.ts';
import { ORB_REASONS } from '../../../../core/orb/reasons.ts';
import { aStatus, MINUTE, NOW } from '../../../support/failover.ts';

const evaluated = (
  unusableSince: number | null,
  health: ProvidersHealth = 'up',
): FailoverConditionInput['metrics'] => ({
  kind: 'evaluated',
  step: { memory: { ...FIRST_STEP, unusableSince }, health },
});

const seen = (change: Partial<FailoverConditionInput> = {}): FailoverConditionInput => ({
  status: aStatus(),
  primary: 'a',
  metrics: evaluated(null),
  now: NOW,
  ...change,
});

type Said = Parameters<typeof failoverConditions>[1];
const said = (...conditions: readonly string[]): Said =>
  conditions.map((text) => {
    const [type = '', status, reason = ''] = text.split(' ');
    if (status !== 'True' && status !== 'False' && status !== 'Unknown') throw new Error(text);
    return { type, status, reason, message: 'as it was' };
  });

const up = 'ProvidersHealthy True ProvidersHealthy';
const fresh = 'MetricsAvailable True MetricsFresh';
const lost = 'MetricsAvailable False MetricsUnusable';

describe('failoverConditions', () => {
  const rows: readonly [string, FailoverConditionInput, Said, readonly string[]][] = [
    ['fresh metrics', seen(), [], [fresh, up]],
    ['no Prometheus', seen({ metrics: { kind: 'not-configured' } }), [], ['MetricsAvailable Unknown NotConfigured']],
    [
      'too few scrapes',
      seen({ metrics: { kind: 'too-coarse', message: 'why' } }),
      said(fresh),
      ['MetricsAvailable False WindowsTooShort'],
    ],
    ['no evaluation', seen({ metrics: { kind: 'not-evaluated' } }), said(fresh, up), [fresh, up]],
    ['no evaluation, and none before', seen({ metrics: { kind: 'not-evaluated' } }), [], []],
    [
      'no evaluation since Prometheus is there',
      seen({ metrics: { kind: 'not-evaluated' } }),
      said('MetricsAvailable Unknown NotConfigured'),
      [],
    ],
    [
      'an outage of less than five minutes',
      seen({ metrics: evaluated(NOW - 5 * MINUTE + 1, 'unknown') }),
      said(fresh, up),
      [fresh, up],
    ],
    ['an outage of five minutes', seen({ metrics: evaluated(NOW - 5 * MINUTE, 'unknown') }), said(fresh), [lost]],
    ['an outage that is over', seen(), said(lost), [fresh, up]],
    ['all down', seen({ metrics: evaluated(null, 'down') }), said(up), [fresh, 'ProvidersHealthy False AllDown']],
    [
      'all down, and then no metrics',
      seen({ metrics: evaluated(NOW, 'unknown') }),
      said(fresh, 'ProvidersHealthy False AllDown'),
      [fresh, 'ProvidersHealthy False AllDown'],
    ],
    [
      'a swap for errors',
      seen({ status: aStatus('b', { reason: 'hard_failure' }) }),
      [],
      [fresh, up, 'FailedOver True HardFailure'],
    ],
    [
      'a swap for latency',
      seen({ status: aStatus('b', { reason: 'latency' }) }),
      [],
      [fresh, up, 'FailedOver True Latency'],
    ],
    ['a swap by hand', seen({ status: aStatus('b', { reason: 'manual' }) }), [], [fresh, up, 'FailedOver True Manual']],
    ['another primary', seen({ status: aStatus('b') }), [], [fresh, up, 'FailedOver True NotPrimary']],
    [
      'a freeze',
      seen({ status: aStatus('a', { frozen: { until: NOW + 1, reason: 'flapping' } }) }),
      [],
      [fresh, up, 'FailoverFrozen True TooManySwaps'],
    ],
    [
      'a freeze that is over',
      seen({ status: aStatus('a', { frozen: { until: NOW, reason: 'flapping' } }) }),
      [],
      [fresh, up],
    ],
  ];
  const documented: Readonly<Record<string, Readonly<Record<string, { readonly status: string }>>>> = ORB_REASONS;
  for (const [why, what, before, expected] of rows) {
    it(`says what ${why} comes to`, () => {
      const found = failoverConditions(what, before);
      expect(found.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).to.deep.equal(expected);
      for (const { type, status, reason } of found) expect(documented[type]?.[reason]?.status).to.equal(status);
    });
  }
});
