import { expect } from 'chai';
import { LedgerError, type Ledger } from '../../../../adapters/ledger/port.ts';
import type { RunsToday } from '../../../../api-server/runtime/day-counts.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { policySet, type PolicyInForce } from '../../../../core/policy/decision/policy-set.ts';
import { ACME, createTestRuntime, SECRET } from '../../../support/a-runtime.ts';
import { at, textAt } from '../../../support/members.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { checkOf, freshOrbiset, jsonIn, PolicyRuns } from '../../../support/policy-runs.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const PLATFORM = 'orb-system';

function ofPlatform(name: string, when: string): PolicyInForce {
  const policy = aPolicy({ rules: [aRule('deny', when)] }, name);
  return { ...policy, definition: { ...policy.definition, namespace: PLATFORM } };
}

const away = (): Promise<never> => Promise.reject(new LedgerError('ledger-unavailable', 'away'));

describe('policies in a run', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  after(() => fixture.dispose());

  it('denies before anything is sent, with a receipt, and says which rule', async () => {
    const rule = aRule('deny', 'orbiset.name.startsWith("prod")', {
      name: 'no-prod',
      message: 'not here',
      severity: 'high',
    });
    const { execute, sent, orbiset, set, counted } = runs.create([aPolicy({ rules: [rule] })]);
    const answer = await execute({ orbiset });
    expect([answer.status, answer.code, at(answer.body, 'detail'), sent]).to.deep.equal([
      403,
      'policy-denied',
      'not here',
      [],
    ]);
    expect(at(answer.body, 'rules')).to.deep.equal([{ policy: 'acme/policy', rule: 'no-prod', severity: 'high' }]);
    expect([at(answer.body, 'run', 'status'), at(answer.body, 'run', 'attempts')]).to.deep.equal(['denied', []]);
    expect(answer.body).to.not.have.property('maybe_executed');
    expect(counted).to.include('run policy_denied');
    const record = await runs.recordOf(answer);
    expect(at(record, 'execution', 'outcome')).to.equal('policy_denied');
    expect(checkOf(record, 'policy')).to.include({ result: 'fail' });
    expect(at(record, 'policy')).to.include({ set_digest: set.digest, decision: 'deny' });
    expect(at(record, 'policy', 'violations')).to.deep.equal([{ rule: 'acme/policy/no-prod', severity: 'high' }]);
    const { decision, json } = await runs.kept(answer);
    expect([decision.decisionId, decision.decision]).to.deep.equal([textAt(answer.body, 'decision_id'), 'deny']);
    expect(at(json, 'policy_set_digest')).to.equal(set.digest);
    await runs.expectFacts(answer, ['PreFlight']);
  });

  it('touches no value of a secret for a run that PreFlight denies', async () => {
    const { execute, orbiset, catalog } = runs.create([aPolicy({ rules: [aRule('deny', 'true')] })]);
    const before = catalog.orbiset('acme', orbiset);
    if (before === undefined) throw new Error('no Orbiset');
    catalog.setOrbiset({
      ...before,
      vault: new Proxy(before.vault, {
        get: () => {
          throw new Error('the vault was read');
        },
      }),
    });
    expect((await execute({ orbiset })).code).to.equal('policy-denied');
  });

  it('records the decision and the facts of an allowed run, and its receipt names the set', async () => {
    const { execute, orbiset, set } = runs.create([aPolicy({ rules: [aRule('deny', 'orb.score > 50')] })]);
    const answer = await execute({ orbiset });
    expect(answer.status).to.equal(200);
    const record = await runs.recordOf(answer);
    expect(at(record, 'policy')).to.deep.include({ set_digest: set.digest, decision: 'allow', violations: [] });
    expect(checkOf(record, 'policy')).to.include({ result: 'pass' });
    await runs.expectFacts(answer, ['PreFlight']);
    expect((await runs.kept(answer)).decision).to.include({
      decision: 'allow',
      shadow: 'would_allow',
      shadowDiffers: false,
    });
  });

  it('writes nothing about policies at the end of a run whose answer none of them decides', async () => {
    const finished: unknown[] = [];
    const finishRun: Ledger['finishRun'] = (finish) => {
      finished.push(finish.policy);
      return fixture.ledger.finishRun(finish);
    };
    const own = new PolicyRuns({ ...fixture, ledger: { ...fixture.ledger, finishRun } });
    const { execute, orbiset } = own.create([aPolicy({ rules: [aRule('allow', 'true')] })]);
    expect((await execute({ orbiset })).status).to.equal(200);
    expect(finished).to.deep.equal([undefined]);
  });

  it('says what an audited policy would have done, and does not do it', async () => {
    const { execute, orbiset } = runs.create([aPolicy({ rules: [aRule('deny', 'true')] }, 'draft', 'Audit')]);
    const answer = await execute({ orbiset });
    expect(answer.status).to.equal(200);
    const { decision, json } = await runs.kept(answer);
    expect(decision).to.include({ decision: 'allow', shadow: 'would_deny', shadowDiffers: true });
    expect(decision.policies).to.deep.equal(['acme/draft']);
    expect(at(json, 'rules', '0')).to.include({ rule: 'rule', enforced: false, result: 'true' });
    expect(at(await runs.recordOf(answer), 'policy', 'violations')).to.deep.equal([]);
  });

  it('stores nothing for a namespace without policies', async () => {
    const { execute, orbiset } = runs.create([], { policies: { of: () => undefined } });
    const answer = await execute({ orbiset });
    expect(await fixture.ledger.decisionOfRun('acme', textAt(answer.body, 'run_id'))).to.equal(undefined);
  });

  it('denies by the default of an Orbiset in a namespace without policies', async () => {
    const test = runs.create([], { policies: { of: () => undefined } });
    const orbiset = freshOrbiset(test, { policies: { defaultEffect: 'deny' } });
    const answer = await test.execute({ orbiset });
    expect([answer.code, at(answer.body, 'rules', '0', 'rule')]).to.deep.equal(['policy-denied', 'default-deny']);
  });

  it('calls a caller without a key anonymous in the record of the decision', async () => {
    const set = policySet([aPolicy({ rules: [aRule('deny', 'true')] })], []);
    const test = runs.create([], { policies: { of: () => set } });
    test.addOrb('acme.open@1.0.0', { manifest: { access: 'anonymous' } }, 'default');
    test.addOrbiset('default', {}, 'default');
    const { body } = await test.execute({ orbiset: 'default', orbId: 'acme.open@1.0.0', caller: null });
    const decision = await fixture.ledger.decisionOfRun('default', textAt(body, 'run', 'run_id'));
    expect(jsonIn(decision?.json)).to.include({ caller: 'anonymous', decision: 'deny' });
  });

  it('repeats a denial under its Idempotency-Key, also when the policy is gone', async () => {
    let set = policySet([aPolicy({ rules: [aRule('deny', 'true')] })], []);
    const { execute, orbiset } = runs.create([], { policies: { of: () => set } });
    const key = `k-denied-${orbiset}`;
    const first = await execute({ orbiset, key });
    set = policySet([], []);
    const again = await execute({ orbiset, key });
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([403, 'true']);
    expect(at(again.body, 'run', 'run_id')).to.equal(at(first.body, 'run', 'run_id'));
    expect((await execute({ orbiset, key: `${key}-other` })).status).to.equal(200);
  });

  it('counts the runs of the day, and not those that did not start', async () => {
    const cap = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 2', { message: 'enough' })] });
    const { execute, orbiset, runtime } = runs.create([cap]);
    const codes: unknown[] = [];
    for (let run = 0; run < 4; run += 1) codes.push((await execute({ orbiset })).code);
    expect(codes).to.deep.equal([undefined, undefined, 'policy-denied', 'policy-denied']);
    const counted = { tenant: 'acme', orbiset: `acme.${orbiset}`, orbId: 'acme.echo@1.0.0', caller: ACME.id };
    expect(runtime.policyState.dayCounts.of(counted, fixture.clock.now())).to.include({ orbiset: 2, orb: 2 });
    const rows = await fixture.ledger.policyCounts(0);
    expect(rows.filter((row) => row.orbiset === `acme.${orbiset}`).map((row) => row.runs)).to.deep.equal([2]);
  });

  it('counts no run that a limit or the ledger keeps from starting', async () => {
    const test = runs.create([aPolicy({ rules: [] })]);
    const orbiset = freshOrbiset(test, { limits: { rate_per_second: 1 } });
    expect((await test.execute({ orbiset })).status).to.equal(200);
    expect((await test.execute({ orbiset })).code).to.equal('rate-limited');
    const later = createTestRuntime({
      ledger: { ...fixture.ledger, startRun: away },
      clock: fixture.clock,
      parts: { policies: test.runtime.policies, policyState: test.runtime.policyState },
    });
    expect((await later.execute({ orbiset: 'support' })).code).to.equal('ledger-unavailable');
    const counted = { tenant: 'acme', orbId: 'acme.echo@1.0.0', caller: ACME.id };
    const counts = (name: string): RunsToday | undefined =>
      test.runtime.policyState.dayCounts.of({ ...counted, orbiset: `acme.${name}` }, fixture.clock.now());
    expect([counts(orbiset)?.orbiset, counts('support')?.orbiset]).to.deep.equal([1, 0]);
  });

  it('takes a token of the rate of the Orbiset for a run that policies deny', async () => {
    const test = runs.create([aPolicy({ rules: [aRule('deny', 'true')] })]);
    const orbiset = freshOrbiset(test, { limits: { rate_per_second: 2 } });
    const codes: unknown[] = [];
    for (let run = 0; run < 3; run += 1) codes.push((await test.execute({ orbiset })).code);
    expect(codes).to.deep.equal(['policy-denied', 'policy-denied', 'rate-limited']);
    const page = await fixture.ledger.decisions('acme', { limit: 200 });
    expect(page.items.filter((item) => item.orbiset === `acme.${orbiset}`)).to.have.length(2);
  });

  it('counts runs that start at the same time against each other', async () => {
    const cap = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 3')] });
    const { execute, orbiset } = runs.create([cap]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => execute({ orbiset })));
    expect(answers.filter(({ status }) => status === 200)).to.have.length(3);
  });

  it('denies rules that read a count which nobody knows', async () => {
    const cap = aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 2')] });
    const fresh = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      parts: { policies: { of: () => policySet([cap], []) } },
    });
    const answer = await fresh.execute({});
    expect([answer.code, at(answer.body, 'rules', '0', 'code')]).to.deep.equal(['policy-denied', 'policy-error']);
  });

  it('writes one violation entry a rule, digest and day, and only for what the Orb is', async () => {
    const policies = [
      ofPlatform('certified', 'orb.tier_rank < 1'),
      ofPlatform('budget', 'caller.kind == "api_key"'),
      aPolicy({ rules: [aRule('deny', 'orb.tier_rank < 1')] }, 'own'),
    ];
    const test = runs.create(policies);
    const digest = [...test.catalog.all()].find(({ name }) => name === 'acme.echo@1.0.0')?.compiled?.digest ?? '';
    const listed = { manifestDigest: digest, namespace: 'acme', status: 'active', isCertified: false } as const;
    const published = { version: () => listed, ownerOf: () => 'acme', isFresh: () => true };
    const again = runs.create(policies, { published });
    const before = await fixture.ledger.logSize();
    for (let run = 0; run < 3; run += 1) await again.execute({ orbiset: again.orbiset });
    await test.execute({ orbiset: test.orbiset });
    const entries = await fixture.ledger.entries(before, before + 1000);
    const violations = entries.flatMap((entry) => {
      const read = readEntry(entry);
      return read?.kind === 'violation' ? [read] : [];
    });
    expect(violations.map(({ rule, orb_id }) => [rule, orb_id])).to.deep.equal([
      ['orb-system/certified/rule', 'acme.echo@1.0.0'],
    ]);
  });

  it('shows the decision in a dry run, and records nothing', async () => {
    const { execute, orbiset } = runs.create([
      aPolicy({ rules: [aRule('deny', 'orb.tier_rank < 1', { message: 'uncertified' })] }),
    ]);
    const answer = await execute({ orbiset, query: 'dry_run=true' });
    expect([answer.status, at(answer.body, 'policy', 'decision')]).to.deep.equal([200, 'deny']);
    expect(at(answer.body, 'policy', 'denials')).to.deep.equal([
      { policy: 'acme/policy', rule: 'rule', severity: 'medium' },
    ]);
    expect(at(answer.body, 'providers', '0')).to.include({ policy: 'deny', eligible: false });
    const page = await fixture.ledger.decisions('acme', { limit: 200 });
    expect(page.items.filter((item) => item.orbiset === `acme.${orbiset}`)).to.deep.equal([]);
  });

  it('records a run that very many rules deny', async () => {
    const message = 'no'.repeat(250);
    const rules = Array.from({ length: 32 }, (_, index) => aRule('deny', 'true', { name: `rule-${index}`, message }));
    const { execute, orbiset } = runs.create(
      Array.from({ length: 10 }, (_, index) => aPolicy({ rules }, `p-${index}`)),
    );
    const answer = await execute({ orbiset });
    expect(answer.code).to.equal('policy-denied');
    expect(at((await runs.kept(answer)).json, 'denials', '0')).to.include({ policy: 'acme/p-0', rule: 'rule-0' });
    expect(at(answer.body, 'rules')).to.have.length(64);
    expect(answer.text.length).to.be.below(16_384);
  });

  it('records a run whose inputs have long and odd names', async () => {
    const { execute, orbiset, addOrb } = runs.create([
      aPolicy({ rules: [aRule('deny', 'request.fields.size() == 200')] }),
    ]);
    addOrb('acme.open@1.0.0', { manifest: { inputs: { text: { type: 'object', required: true } } } });
    const names = Array.from({ length: 200 }, (_, index) => `${'\u0001'.repeat(240)}${index}`);
    const inputs = { text: Object.fromEntries(names.map((name) => [name, 1])) };
    const answer = await execute({ orbiset, orbId: 'acme.open@1.0.0', inputs });
    expect([answer.status, answer.code]).to.deep.equal([403, 'policy-denied']);
  });

  it('redacts messages that hold a secret which a caller sent as an input', async () => {
    const policy = aPolicy({
      inputFacts: { text: 'string' },
      rules: [aRule('deny', 'true', { messageExpression: '"said " + inputs.text' })],
    });
    const { execute, orbiset } = runs.create([policy]);
    const answer = await execute({ orbiset, inputs: { text: SECRET } });
    const { json, facts } = await runs.kept(answer);
    for (const text of [answer.text, JSON.stringify(json), JSON.stringify(facts)]) expect(text).to.not.include(SECRET);
    expect(at(answer.body, 'detail')).to.include('said [redacted');
  });

  it('redacts facts that hold a secret which a caller sent as the name of an input', async () => {
    const { execute, orbiset, addOrb } = runs.create([aPolicy({ rules: [aRule('deny', 'true')] })]);
    addOrb('acme.open@1.0.0', { manifest: { inputs: { text: { type: 'object', required: true } } } });
    const answer = await execute({ orbiset, orbId: 'acme.open@1.0.0', inputs: { text: { [SECRET]: 1 } } });
    expect(answer.code).to.equal('policy-denied');
    const { facts } = await runs.kept(answer);
    expect(JSON.stringify(facts)).to.include('[redacted').and.not.include(SECRET);
  });
});
