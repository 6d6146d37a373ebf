import { expect } from 'chai';
import type { Dialer } from '../../../../adapters/egress/port.ts';
import { Slots } from '../../../../api-server/runtime/slots.ts';
import { ATTEMPT_REASONS } from '../../../../core/attempts/reasons.ts';
import type { PolicyInForce } from '../../../../core/policy/decision/policy-set.ts';
import { hangs, type Executed } from '../../../support/a-runtime.ts';
import { at } from '../../../support/members.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { freshOrbiset, noting, PolicyRuns } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const LATE: Dialer = { ...noting([]), dial: async (request, _limits, _guard, signal) => hangs(request, signal) };

const within = (timeoutMs: number, name = 'policy'): PolicyInForce =>
  aPolicy({ rules: [{ ...aRule('require', 'true'), obligations: [{ type: 'timeoutMs', value: timeoutMs }] }] }, name);

describe('a run that a time limit ended', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  const ended = async (answer: Executed): Promise<unknown> => [
    answer.status,
    answer.code,
    at(await runs.recordOf(answer), 'execution', 'outcome'),
  ];

  it('of a policy says nothing about an Orb that declares a longer one, and names the rule', async () => {
    const test = runs.create([within(100), within(900, 'longer')], { dialer: LATE });
    const answer = await test.execute({ orbiset: test.orbiset });
    expect(await ended(answer)).to.deep.equal([504, 'provider-timeout', 'caller_error']);
    expect(at(answer.body, 'rules')).to.deep.equal([
      { policy: 'acme/policy', rule: 'rule', severity: 'medium', code: 'obligation-failed' },
    ]);
  });

  it('of an Orbiset says nothing about it either', async () => {
    const test = runs.create([], { dialer: LATE });
    const orbiset = freshOrbiset(test, { limits: { timeout_ms: 20 } });
    const answer = await test.execute({ orbiset });
    expect(await ended(answer)).to.deep.equal([504, 'provider-timeout', 'caller_error']);
    expect(at(answer.body, 'rules')).to.equal(undefined);
  });

  it('of an Orbiset says nothing about it when no slot came free in time', async () => {
    const test = runs.create([], { dialer: LATE, slots: new Slots({ perKey: 1, waiting: 10 }) });
    const orbiset = freshOrbiset(test, { limits: { timeout_ms: 20 } });
    const holder = test.execute({ orbiset: test.orbiset });
    while (test.runtime.inFlight.count(`acme.${test.orbiset}`) === 0)
      await new Promise((resolve) => setImmediate(resolve));
    const waiting = await test.execute({ orbiset });
    expect(await ended(waiting)).to.deep.equal([504, 'provider-timeout', 'caller_error']);
    expect(at(waiting.body, 'run', 'attempts')).to.deep.equal([]);
    test.runtime.inFlight.kill(`acme.${test.orbiset}`, 'orbiset-suspended');
    expect((await holder).status).to.equal(503);
  });

  it('of a policy is the own one of an Orb that declares the same', async () => {
    const test = runs.create([within(30)], { dialer: LATE });
    test.addOrb('acme.short@1.0.0', { execution: { timeout_ms: 30 } });
    const answer = await test.execute({ orbiset: test.orbiset, orbId: 'acme.short@1.0.0' });
    expect(await ended(answer)).to.deep.equal([504, 'provider-timeout', 'timeout']);
  });

  it('of an attempt, which the manifest sets, is the own one of the Orb too', async () => {
    const test = runs.create([within(5000)], { dialer: LATE });
    test.addOrb('acme.attempt@1.0.0', { execution: { timeout_ms: 60_000, attempt_timeout_ms: 50 } });
    const answer = await test.execute({ orbiset: test.orbiset, orbId: 'acme.attempt@1.0.0' });
    expect(await ended(answer)).to.deep.equal([504, 'provider-timeout', 'timeout']);
  });

  it('of an attempt does not keep it longer than its run', async () => {
    const { promise: isDialled, resolve } = Promise.withResolvers<void>();
    const dial: Dialer['dial'] = async (request, _limits, _guard, signal) => {
      resolve();
      return hangs(request, signal);
    };
    const test = runs.create([], { dialer: { ...LATE, dial } });
    test.addOrb('acme.killed@1.0.0', { execution: { timeout_ms: 60_000, attempt_timeout_ms: 50_000 } });
    const answer = test.execute({ orbiset: test.orbiset, orbId: 'acme.killed@1.0.0' });
    await isDialled;
    test.runtime.inFlight.kill(`acme.${test.orbiset}`, 'orbiset-suspended');
    expect((await answer).status).to.equal(503);
  });

  for (const [orbisetMs, rules] of [
    [5001, [{ policy: 'acme/policy', rule: 'rule', severity: 'medium', code: 'obligation-failed' }]],
    [5000, undefined],
    [4999, undefined],
  ] as const)
    it(`is that of the Orbiset unless a policy sets a shorter one: ${orbisetMs} ms beside 5000 ms`, async () => {
      const failure = { kind: 'timeout', code: 'deadline' } as const;
      const late = { kind: 'failed', failure, sent: true, status: null, ms: 5000, exception: false } as const;
      const test = runs.create([within(5000)], { dialer: { ...LATE, dial: () => Promise.resolve(late) } });
      test.addOrb('acme.once@1.0.0', { execution: { timeout_ms: 60_000, retry: { max_attempts: 1 } } });
      const orbiset = freshOrbiset(test, { limits: { timeout_ms: orbisetMs } });
      const answer = await test.execute({ orbiset, orbId: 'acme.once@1.0.0' });
      expect(await ended(answer)).to.deep.equal([504, 'provider-timeout', 'caller_error']);
      expect(at(answer.body, 'rules')).to.deep.equal(rules);
    });

  const limits: readonly (readonly [attemptMs: number, limit: string])[] = [
    [2000, '2 s, the limit of the attempt'],
    [30_000, '30 s, the limit of the run'],
  ];
  for (const [attemptMs, limit] of limits) {
    it(`names the limit, where an attempt has ${attemptMs} ms and the run 30 s`, async () => {
      const failure = { kind: 'timeout', code: 'deadline' } as const;
      const late = { kind: 'failed', failure, sent: true, status: null, ms: attemptMs, exception: false } as const;
      const test = runs.create([], { dialer: { ...LATE, dial: () => Promise.resolve(late) } });
      test.addOrb('acme.limited@1.0.0', { execution: { attempt_timeout_ms: attemptMs, retry: { max_attempts: 1 } } });
      const { body } = await test.execute({ orbId: 'acme.limited@1.0.0' });
      expect(at(body, 'run', 'attempts', '0', 'detail')).to.equal(`no whole answer within ${limit}`);
      expect(body['next']).to.include(ATTEMPT_REASONS['answer-timeout'].next);
    });
  }
});
