import { expect } from 'chai';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import type { PolicyGate } from '../../../../api-server/policy/policies.ts';
import type { OrbPolicySpec } from '../../../../crds/orbpolicy.ts';
import { CEL_ENGINE } from '../../../../core/policy/language/cel-engine.ts';
import type { PolicyEngine } from '../../../../core/policy/language/port.ts';
import {
  aPolicyObject,
  BROKEN_POLICY,
  DENIES,
  EXPENSIVE,
  startPolicies,
  unreadPolicies,
} from '../../../support/policies-in-force.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const DENIED = 'policy-denied acme/limits';
const ALLOWS: OrbPolicySpec = { mode: 'Enforce', rules: [{ name: 'low', effect: 'deny', when: 'orb.score < 1' }] };
const FAILING: OrbPolicySpec = {
  ...ALLOWS,
  tests: [{ name: 'denies', input: { orb: { score: 60 } }, expect: { decision: 'deny' } }],
};
const GATED: OrbPolicySpec = { ...DENIES, promotion: { requireReplay: { window: '1h', minReceipts: 10 } } };
const unlike = (members: Partial<PolicyEngine>): PolicyEngine => ({ ...CEL_ENGINE, ...members });
/** A later version of the program, which no longer takes what the policy says. */
const OTHER_PROGRAM = unlike({
  *compileSteps() {
    yield;
    return {
      ok: false,
      findings: [{ severity: 'error', code: 'parse-error', pointer: '/spec/rules/0/when', detail: 'no longer known' }],
    };
  },
});

const named = (name: string, year: number, namespace = 'acme'): object => ({
  name,
  namespace,
  uid: `uid-${name}`,
  creationTimestamp: `${year}-01-01T00:00:00Z`,
});

describe('the policies in force', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
  });
  afterEach(() => fixture.dispose());

  it('are compiled in slices: other work gets turns meanwhile', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let whileCompiling = 0;
    const engine = unlike({
      *compileSteps(...given) {
        const before = turns;
        const result = yield* CEL_ENGINE.compileSteps(...given);
        whileCompiling = turns - before;
        return result;
      },
    });
    const { apply, policies } = await startPolicies(fixture.ledger, { engine });
    const when = Array.from({ length: 40 }, (_, index) => `orb.name == "name-${index}-${'a'.repeat(60)}"`).join(' || ');
    const rules = Array.from({ length: 32 }, (_, index) => ({ name: `rule-${index}`, effect: 'deny' as const, when }));
    await apply(aPolicyObject(1, { mode: 'Enforce', rules }));
    isOver = true;
    expect(policies.state('acme', 'limits')?.isAccepted).to.equal(true);
    expect(whileCompiling).to.be.above(4);
  });

  it('deny every run until all of them were read', async () => {
    const { policies: read } = await startPolicies(fixture.ledger);
    expect(read.of('acme')).to.equal(undefined);
    const unread = await unreadPolicies(fixture.ledger);
    expect(unread.of('acme')?.missing.map(({ mode, requireReady }) => [mode, requireReady])).to.deep.equal([
      ['Enforce', true],
    ]);
  });

  it('are one object until something changes, and end with their object', async () => {
    const { policies, apply, remove, decided } = await startPolicies(fixture.ledger);
    await apply(aPolicyObject(1, DENIES));
    const first = policies.of('acme');
    await apply(aPolicyObject(1, DENIES, { resourceVersion: '2' }));
    expect([decided(), decided('globex'), policies.of('acme') === first]).to.deep.equal([DENIED, 'no policy', true]);
    await apply(aPolicyObject(2, ALLOWS));
    expect([decided(), policies.of('acme') === first]).to.deep.equal(['allow', false]);
    await remove();
    expect([decided(), await fixture.ledger.policiesInForce()]).to.deep.equal(['no policy', []]);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ['does not compile', BROKEN_POLICY],
    ['fails its tests', FAILING],
    ['has no readable spec', { rule: [] }],
    ['is for every tenant, outside of the namespace of the platform', { ...ALLOWS, scope: 'Platform' }],
    ['does not compile and is to be disabled', { ...BROKEN_POLICY, mode: 'Disabled' }],
  ];
  for (const [why, spec] of refused)
    it(`stay at the last good version when a later one ${why}, also after a restart`, async () => {
      const { apply, decided, policies } = await startPolicies(fixture.ledger);
      await apply(aPolicyObject(1, DENIES));
      await apply(aPolicyObject(2, spec));
      expect([...policies.standings()]).to.deep.equal([['acme/limits', 'last_good']]);
      const { generation, isAccepted, inForce } = policies.state('acme', 'limits') ?? {};
      expect([decided(), generation, isAccepted, inForce?.mode]).to.deep.equal([DENIED, 2, false, 'Enforce']);
      const second = await startPolicies(await fixture.reopen());
      await second.apply(aPolicyObject(2, spec));
      expect([second.decided(), second.policies.state('acme', 'limits')?.inForce]).to.deep.equal([DENIED, inForce]);
      await second.apply(aPolicyObject(3, ALLOWS));
      expect(second.decided()).to.equal('allow');
    });

  it('give another object of the same name nothing, and forget what was deleted while no process ran', async () => {
    const { apply } = await startPolicies(fixture.ledger);
    await apply(aPolicyObject(1, DENIES));
    const second = await startPolicies(await fixture.reopen());
    await second.apply(aPolicyObject(1, BROKEN_POLICY, { uid: 'another' }));
    expect(second.decided()).to.equal('allow');
    expect([...second.policies.feed.keys()]).to.deep.equal([]);
    await second.apply(aPolicyObject(2, DENIES, { uid: 'another' }));
    const third = await startPolicies(await fixture.reopen());
    expect([...third.policies.feed.keys()]).to.deep.equal(['acme/limits']);
    await third.remove();
    expect(await (await fixture.current()).policiesInForce()).to.deep.equal([]);
  });

  it('never leave a moment without a policy when their object is replaced', async () => {
    const { apply, decided, policies } = await startPolicies(fixture.ledger);
    await apply(aPolicyObject(1, DENIES));
    const seen = new Set<string>();
    policies.watch(() => seen.add(decided()));
    await apply(aPolicyObject(1, DENIES, { uid: 'another' }));
    expect([...seen]).to.deep.equal([DENIED]);
    expect((await fixture.ledger.policiesInForce()).map(({ uid }) => uid)).to.deep.equal(['another']);
  });

  it('deny the runs of a version that another program can not compile', async () => {
    const { apply } = await startPolicies(fixture.ledger);
    const scoped = { ...DENIES, match: { orbs: { ids: ['acme.mailer@*'] } } };
    await apply(aPolicyObject(1, scoped));
    const second = await startPolicies(await fixture.reopen(), { engine: OTHER_PROGRAM });
    await second.apply(aPolicyObject(1, scoped));
    expect(second.decided()).to.equal('policy-not-ready acme/limits');
    expect(second.policies.of('acme')?.missing[0]?.match).to.deep.equal(scoped.match);
    expect(second.log.texts()).to.include(
      'error a policy that was in force can not be compiled any more: the runs that it means are denied',
    );
    await second.apply(aPolicyObject(2, BROKEN_POLICY));
    expect(second.decided(), 'a further broken generation ends nothing').to.equal('policy-not-ready acme/limits');
    const third = await startPolicies(await fixture.reopen());
    await third.apply(aPolicyObject(2, BROKEN_POLICY));
    expect(third.decided(), 'a program that compiles it again').to.equal(DENIED);
  });

  it('end when a policy is disabled, also in the ledger', async () => {
    const { apply, decided, policies } = await startPolicies(fixture.ledger);
    await apply(aPolicyObject(1, DENIES));
    await apply(aPolicyObject(2, { ...DENIES, mode: 'Disabled' }));
    expect([decided(), policies.state('acme', 'limits')?.inForce]).to.deep.equal(['no policy', undefined]);
    expect(await fixture.ledger.policiesInForce()).to.deep.equal([]);
  });

  const without: readonly (readonly [string, unknown, string])[] = [
    ['denies when it must be ready', { ...BROKEN_POLICY, requireReady: true }, 'policy-not-ready acme/limits'],
    ['denies nothing when it need not be ready', BROKEN_POLICY, 'allow'],
    ['denies nothing when it only audits', { ...BROKEN_POLICY, mode: 'Audit', requireReady: true }, 'allow'],
    ['counts as what protects more', { mode: 1, requireReady: 'yes' }, 'policy-not-ready acme/limits'],
    ['is nothing when it is disabled', { mode: 'Disabled', rule: [] }, 'no policy'],
    ['is one that audits without a spec', 'policy', 'allow'],
  ];
  for (const [why, spec, wanted] of without)
    it(`of which no version was ever good: ${why}`, async () => {
      const { apply, decided, policies } = await startPolicies(fixture.ledger);
      await apply(aPolicyObject(1, spec));
      expect(decided()).to.equal(wanted);
      const substitute = wanted === 'no policy' ? undefined : 'nothing';
      expect([...policies.standings()]).to.deep.equal([['acme/limits', substitute]]);
    });

  it('of the platform are for every tenant, and the others for their namespace', async () => {
    const { apply, decided, remove } = await startPolicies(fixture.ledger);
    const place = { namespace: 'orb-system', name: 'base', uid: 'uid-base' };
    await apply(aPolicyObject(1, DENIES, place));
    expect([decided(), decided('orb-system')]).to.deep.equal(['no policy', 'policy-denied orb-system/base']);
    await apply(aPolicyObject(2, { ...DENIES, scope: 'Platform' }, place));
    await apply(aPolicyObject(1, ALLOWS));
    const denied = 'policy-denied orb-system/base';
    expect([decided(), decided('globex'), decided('orb-system')]).to.deep.equal([denied, denied, denied]);
    await remove('base', 'orb-system');
    expect([decided(), decided('globex')]).to.deep.equal(['allow', 'no policy']);
  });

  it('audit until a replay of the version meets the gate, and enforce after a restart', async () => {
    const { apply, decided, policies } = await startPolicies(fixture.ledger);
    const gate = (): PolicyGate | undefined => policies.state('acme', 'limits')?.gate;
    await apply(aPolicyObject(1, GATED));
    expect([decided(), gate()]).to.deep.equal(['allow', { passed: false, failing: [], newest: undefined }]);
    const finish = async (replayId: string, newDenies: number): Promise<void> => {
      const [version] = await fixture.ledger.policiesInForce();
      const of = {
        tenant: 'acme',
        namespace: 'acme',
        name: 'limits',
        policyDigest: version?.digest ?? '',
        owner: 'me',
      };
      await fixture.ledger.addReplay({ replayId, ...of, startedAt: 1, request: '{}' }, 2);
      const totals = { windowMs: 3_600_000, evaluated: 10, indeterminate: 0, newDenies };
      await fixture.ledger.updateReplay(replayId, { status: 'completed', endedAt: 2, result: '{}', totals });
      await policies.replayed('acme', 'limits');
    };
    await finish('rpl_1', 1);
    expect([decided(), gate()?.failing.map(({ limit }) => limit)]).to.deep.equal(['allow', ['maxNewDenies']]);
    await finish('rpl_2', 0);
    expect([decided(), gate()?.passed]).to.deep.equal([DENIED, true]);
    const second = await startPolicies(await fixture.reopen());
    await second.apply(aPolicyObject(1, GATED));
    expect(second.decided()).to.equal(DENIED);
    await second.apply(aPolicyObject(2, { ...GATED, rules: [] }));
    expect(second.decided(), 'another version').to.equal('allow');
  });

  it('leave out the newest over the budget, and never one of the platform for those of a tenant', async () => {
    const { apply, policies } = await startPolicies(fixture.ledger);
    const inSet = (): readonly string[] => policies.of('acme')?.members.map(({ id }) => id) ?? [];
    await apply(aPolicyObject(1, { ...EXPENSIVE, requireReady: true }, named('new', 2026)));
    await apply(aPolicyObject(1, EXPENSIVE, named('old', 2025)));
    expect(inSet()).to.deep.equal(['acme/old']);
    expect(policies.of('acme')?.missing.map(({ id, requireReady }) => [id, requireReady])).to.deep.equal([
      ['acme/new', true],
    ]);
    const states = ['new', 'old'].map((name) => policies.state('acme', name));
    expect(states.map((state) => [state?.isOverBudget, state?.inForce === undefined])).to.deep.equal([
      [true, true],
      [false, false],
    ]);
    await apply(aPolicyObject(1, { ...EXPENSIVE, scope: 'Platform' }, named('base', 2026, 'orb-system')));
    expect(inSet()).to.deep.equal(['orb-system/base']);
    expect(policies.state('orb-system', 'base')?.isOverBudget).to.equal(false);
    expect(Object.fromEntries(policies.standings())).to.deep.equal({
      'acme/new': 'nothing',
      'acme/old': 'nothing',
      'orb-system/base': undefined,
    });
  });

  it('take force while the ledger is away, and become durable later', async () => {
    let isAway = true;
    const { ledger } = fixture;
    const putPolicyVersion: typeof ledger.putPolicyVersion = (...version) =>
      isAway ? Promise.reject(new LedgerError('ledger-unavailable', 'away')) : ledger.putPolicyVersion(...version);
    const { apply, decided } = await startPolicies({ ...ledger, putPolicyVersion });
    const failure = await apply(aPolicyObject(1, DENIES)).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.instanceOf(LedgerError);
    expect([decided(), await ledger.policiesInForce()]).to.deep.equal([DENIED, []]);
    isAway = false;
    await apply(aPolicyObject(2, BROKEN_POLICY));
    const [version] = await ledger.policiesInForce();
    expect([decided(), version?.generation, version?.mode]).to.deep.equal([DENIED, 1, 'Enforce']);
  });

  it('say once in the log who wrote the version that takes force, before its row is written', async () => {
    let isAway = true;
    const { ledger } = fixture;
    const rows: number[] = [];
    const putPolicyVersion: typeof ledger.putPolicyVersion = (...version) => {
      rows.push(started.log.lines.length);
      return isAway
        ? Promise.reject(new LedgerError('ledger-unavailable', 'away'))
        : ledger.putPolicyVersion(...version);
    };
    const started = await startPolicies({ ...ledger, putPolicyVersion });
    const { apply, remove, log } = started;
    for (let time = 0; time < 2; time += 1) await apply(aPolicyObject(1, DENIES)).catch(() => undefined);
    isAway = false;
    await apply(aPolicyObject(1, DENIES));
    await apply(aPolicyObject(2, { ...DENIES, mode: 'Audit' }));
    await remove();
    const said = log.lines.filter(({ text }) => text.startsWith('info '));
    expect(
      said.map(({ text, fields }) => [text, fields['policy'], fields['generation'], fields['mode']]),
    ).to.deep.equal([
      ['info a version of a policy takes force', 'acme/limits', 1, 'Enforce'],
      ['info a version of a policy takes force', 'acme/limits', 2, 'Audit'],
      ['info a policy is not in force any more', 'acme/limits', undefined, undefined],
    ]);
    expect(rows).to.deep.equal([1, 1, 1, 2]);
  });
});
