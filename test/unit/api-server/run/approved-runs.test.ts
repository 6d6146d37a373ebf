import { expect } from 'chai';
import { policySet } from '../../../../core/policy/decision/policy-set.ts';
import type { Executed } from '../../../support/a-runtime.ts';
import { at, textAt } from '../../../support/members.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { PolicyRuns } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const GRANT_MS = 900_000;

/** @returns `granted`, or that the decision was approved before */
async function approveAs(by: string, { fixture, kept }: PolicyRuns, answer: Executed): Promise<string> {
  const { decision } = await kept(answer);
  const now = fixture.clock.now();
  const { kind } = await fixture.ledger.addGrant({
    grantId: `grant-of-${decision.decisionId}-${by}`,
    tenant: 'acme',
    decisionId: decision.decisionId,
    orbiset: decision.orbiset,
    caller: decision.caller,
    orbId: decision.orbId,
    inputsSha256: decision.inputsSha256 ?? '',
    scope: 'policies:approve',
    by,
    at: now,
    expiresAt: now + GRANT_MS,
  });
  return kind;
}

const approve = async (runs: PolicyRuns, answer: Executed): Promise<void> =>
  void expect(await approveAs('key:approver', runs, answer)).to.equal('granted');

describe('the approval of a run', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  const approval = aPolicy({
    rules: [{ ...aRule('require', 'true'), obligations: [{ type: 'requireApproval', by: 'policies:approve' }] }],
  });

  it('is asked for, and lets one run through: ten that race for it use it once', async () => {
    const { execute, orbiset, sent } = runs.create([approval]);
    const asked = await execute({ orbiset });
    expect([asked.code, at(asked.body, 'rules', '0')]).to.deep.equal([
      'policy-denied',
      { policy: '', rule: 'approval-required', severity: 'medium', code: 'approval-required' },
    ]);
    expect(textAt(asked.body, 'next')).to.include('/decisions/{decision_id}/approve');
    await approve(runs, asked);
    const answers = await Promise.all(Array.from({ length: 10 }, () => execute({ orbiset })));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    expect(answers.filter(({ code }) => code === 'policy-denied')).to.have.length(9);
    expect(sent).to.have.length(1);
    for (const answer of answers) {
      expect(await runs.recordOf(answer)).to.have.nested.property('policy.decision');
      await runs.expectFacts(answer, ['PreFlight']);
    }
  });

  it('of two people at once, raced by ten runs, is used once', async () => {
    const { execute, orbiset, sent } = runs.create([approval]);
    const asked = await execute({ orbiset });
    const [one, other, ...answers] = await Promise.all([
      approveAs('key:one', runs, asked),
      approveAs('key:other', runs, asked),
      ...Array.from({ length: 10 }, () => execute({ orbiset })),
    ]);
    expect([one, other].filter((kind) => kind === 'granted')).to.have.length(1);
    // Those that came before the approvals were denied, so another run may use it.
    const late = await execute({ orbiset });
    expect([...answers, late].filter(({ status }) => status === 200)).to.have.length(1);
    expect((await execute({ orbiset })).code).to.equal('policy-denied');
    expect(sent).to.have.length(1);
  });

  it('is asked for again when it has expired', async () => {
    const { execute, orbiset, sent } = runs.create([approval]);
    await approve(runs, await execute({ orbiset }));
    await fixture.clock.advance(GRANT_MS);
    expect((await execute({ orbiset })).code).to.equal('policy-denied');
    expect(sent).to.deep.equal([]);
  });

  it('is not used up by a run that is denied for its request', async () => {
    const elsewhere = aPolicy({ match: { phases: ['Request'] }, rules: [aRule('deny', 'true')] }, 'elsewhere');
    let set = policySet([approval], []);
    const { execute, orbiset } = runs.create([], { policies: { of: () => set } });
    await approve(runs, await execute({ orbiset }));
    set = policySet([approval, elsewhere], []);
    const answers = await Promise.all(Array.from({ length: 3 }, () => execute({ orbiset })));
    expect(answers.map(({ code }) => code)).to.deep.equal(['policy-denied', 'policy-denied', 'policy-denied']);
    set = policySet([approval], []);
    expect((await execute({ orbiset })).status).to.equal(200);
  });

  it('lets as many runs through as there are approvals', async () => {
    const { execute, orbiset } = runs.create([approval]);
    const asked = [await execute({ orbiset }), await execute({ orbiset })];
    for (const one of asked) await approve(runs, one);
    const codes: unknown[] = [];
    for (let run = 0; run < 3; run += 1) codes.push((await execute({ orbiset })).code);
    expect(codes).to.deep.equal([undefined, undefined, 'policy-denied']);
  });

  it('is for the same inputs only', async () => {
    const { execute, orbiset } = runs.create([approval]);
    await approve(runs, await execute({ orbiset }));
    expect((await execute({ orbiset, inputs: { text: 'other' } })).code).to.equal('policy-denied');
    expect((await execute({ orbiset })).status).to.equal(200);
  });
});
