import { expect } from 'chai';
import fc from 'fast-check';
import { newStatus, readFailoverStatus, writeFailoverStatus } from '../../../../core/failover/status-codec.ts';
import type { FailoverStatus } from '../../../../core/failover/types.ts';
import { aRecord, NOW } from '../../../support/failover.ts';

const AT = '2026-02-01T10:00:00.000Z';
const full: FailoverStatus = {
  activeProvider: 'b',
  since: NOW,
  reason: 'latency',
  swapSeq: 4,
  epoch: 7,
  holds: [{ provider: 'a', until: NOW + 1, level: 2 }],
  dwellUntil: NOW + 2,
  ramp: { provider: 'a', percent: 10, stepStartedAt: NOW, trial: true },
  frozen: { until: NOW + 3, reason: 'flapping' },
  pin: { handledId: 'swp_1', overriddenId: 'swp_2', expiredId: 'swp_3', firstSeen: { id: 'swp_4', at: NOW } },
  probeRequestedAt: NOW - 1,
  history: [aRecord({ actor: 'key:k1' }), aRecord({ seq: 2, evidence: '{"config":{}}' })],
  aborts: [{ provider: 'a', at: NOW }],
};

describe('the status of failover (failover.md §6)', () => {
  it('is read as it was written', () => {
    expect(readFailoverStatus(JSON.parse(JSON.stringify(writeFailoverStatus(full))))).to.deep.equal(full);
  });

  it('has three members while nothing else ever happened', () => {
    const text = { activeProvider: 'a', since: AT, reason: 'primary' };
    expect(writeFailoverStatus(newStatus('a', NOW))).to.deep.equal(text);
    expect(readFailoverStatus(text)).to.deep.equal(newStatus('a', NOW));
  });

  const unreadable: readonly [string, unknown][] = [
    ['nothing', undefined],
    ['a text', 'a'],
    ['a list', []],
    ['no active provider', { since: AT }],
    ['an active provider without a name', { activeProvider: '', since: AT }],
    ['no time', { activeProvider: 'a', since: 'yesterday' }],
  ];
  for (const [why, value] of unreadable) {
    it(`is null for ${why}`, () => expect(readFailoverStatus(value)).to.equal(null));
  }

  const known = { activeProvider: 'a', since: AT, reason: 'manual' };
  const start = newStatus('a', NOW, 'manual');
  const malformed: readonly [string, object, Partial<FailoverStatus>][] = [
    ['a reason that there is not', { reason: 'fun' }, { reason: 'primary' }],
    ['a negative zero', { swapSeq: -0, epoch: -0 }, {}],
    ['a negative number', { swapSeq: -1, epoch: 1.5 }, {}],
    ['a ramp of 100 percent', { ramp: { provider: 'b', percent: 100, stepStartedAt: AT, trial: true } }, {}],
    ['a ramp without its kind', { ramp: { provider: 'b', percent: 10, stepStartedAt: AT } }, {}],
    ['a freeze without end', { frozen: { reason: 'flapping' } }, {}],
    ['holds that are none', { holds: 'b' }, {}],
    [
      'one hold of two',
      { holds: [{ provider: 'b' }, { provider: 'c', until: AT, level: 1 }] },
      { holds: [{ provider: 'c', until: NOW, level: 1 }] },
    ],
    ['a pin seen at no time', { pin: { firstSeenId: 'swp_1' } }, {}],
    ['a swap by an unknown rule', { history: [{ ...aRecord(), at: AT, rule: 'luck' }] }, {}],
    ['a swap for being the primary', { history: [{ ...aRecord(), at: AT, reason: 'primary' }] }, {}],
    ['an abort of nothing', { aborts: [{}, null, 3] }, {}],
    ['times that are numbers', { dwellUntil: NOW, probeRequestedAt: NOW }, {}],
  ];
  for (const [why, members, expected] of malformed) {
    it(`reads ${why} as absent`, () => {
      expect(readFailoverStatus({ ...known, ...members })).to.deep.equal({ ...start, ...expected });
    });
  }

  it('keeps a time that somebody wrote within the years that can be written', () => {
    const late = { activeProvider: 'a', since: '9999-12-31T23:59:59-12:00', dwellUntil: '0000-01-01T00:00:00+12:00' };
    expect(writeFailoverStatus(readFailoverStatus(late) ?? start)).to.deep.equal({
      activeProvider: 'a',
      since: '9999-12-31T23:59:59.999Z',
      reason: 'primary',
      dwellUntil: '1970-01-01T00:00:00.000Z',
    });
  });

  it('reads any JSON without throwing, and what it read can be written', () => {
    const members = fc.record(Object.fromEntries(Object.keys(full).map((name) => [name, fc.jsonValue()])), {
      requiredKeys: [],
    });
    fc.assert(
      fc.property(members, (value) => {
        const status = readFailoverStatus({ ...value, activeProvider: 'a', since: AT });
        if (status === null) throw new Error('it has what it needs');
        expect(readFailoverStatus(writeFailoverStatus(status))).to.deep.equal(status);
      }),
      { numRuns: 1000 },
    );
  });
});
