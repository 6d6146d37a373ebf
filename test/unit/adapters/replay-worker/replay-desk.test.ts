import { expect } from 'chai';
import type { PolicyObligation } from '../../../../crds/orbpolicy.ts';
import type { RecordedRunRow } from '../../../../adapters/ledger/port.ts';
import type { ReplayJob, ReplayProgress } from '../../../../adapters/replay-worker/port.ts';
import { policySources } from '../../../../api-server/replays/policy-sources.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../../../core/policy/decision/policy-set.ts';
import { answered, createTestRuntime } from '../../../support/a-runtime.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { jsonIn, PolicyRuns, type RuntimeWithPolicies } from '../../../support/policy-runs.ts';
import { aReplayJob, replayed } from '../../../support/replays.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const bound = (...obligations: readonly PolicyObligation[]): PolicyInForce =>
  aPolicy({ rules: [{ ...aRule('require', 'true'), obligations: [...obligations] }] });

const twoProviders = {
  url: 'https://api.example.com/run',
  manifest: {
    providers: Object.fromEntries(
      ['api', 'other'].map((name) => [
        name,
        {
          execution: {
            type: 'http',
            method: 'POST',
            url: `https://${name}.example.com/run`,
            headers: {},
            body_template: '{}',
          },
        },
      ]),
    ),
    swap_config: { primary: 'api', fallbacks: ['other'] },
  },
};

/** The counts of a replay that changes nothing. */
const unchanged = (runs: number, error = 0): object => ({
  unchanged: runs,
  allow_to_deny: 0,
  deny_to_allow: 0,
  obligations_changed: 0,
  error,
  indeterminate: 0,
});

const withDraft = (set: PolicySet, draft: PolicyInForce): Pick<ReplayJob, 'candidate'> => ({
  candidate: policySources(
    policySet([...set.members.filter(({ id }) => id !== `acme/${draft.definition.name}`), draft], set.missing),
  ),
});

const cap = (limit: number): PolicyInForce =>
  aPolicy({ rules: [aRule('deny', `orbiset.runs_today >= ${limit}`, { name: 'cap' })] }, 'cap');

const flip = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;

describe('a replay of stored runs', () => {
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
  });
  afterEach(() => fixture.dispose());

  const replay = (
    { set, catalog }: RuntimeWithPolicies,
    change: Partial<ReplayJob> = {},
    source: Parameters<typeof replayed>[0] = fixture.ledger,
  ): Promise<ReplayProgress> => replayed(source, aReplayJob(set, catalog, change));

  /** The ledger with one row changed on the way. */
  const tampered = (change: (row: RecordedRunRow) => RecordedRunRow): Parameters<typeof replayed>[0] => ({
    recordedRuns: async (tenant, query) => {
      const rows = await fixture.ledger.recordedRuns(tenant, query);
      return rows.map((row, index) => (index === 0 ? change(row) : row));
    },
  });

  /** One run a second: receipts of one millisecond have no order of their own. */
  async function executeEach({ execute, orbiset }: RuntimeWithPolicies, texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await execute({ orbiset, inputs: { text } });
      await fixture.clock.advance(1000);
    }
  }

  const owns: readonly (readonly [string, readonly PolicyInForce[], number])[] = [
    ['of PreFlight', [aPolicy({ rules: [aRule('deny', 'request.input_bytes > 20')] })], 0],
    ['that count runs of the day', [aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 2')] })], 0],
    ['that count runs of a caller', [aPolicy({ rules: [aRule('deny', 'caller.runs_today >= 3')] })], 0],
    ['whose rules fail', [aPolicy({ rules: [aRule('deny', 'orb.age_days > 3')] })], 4],
    [
      'that ignore rules that fail',
      [aPolicy({ failurePolicy: 'Ignore', rules: [aRule('deny', 'orb.age_days > 3')] })],
      4,
    ],
    [
      'that deny one provider',
      [aPolicy({ match: { phases: ['Request'] }, rules: [aRule('deny', 'request.host == "api.example.com"')] })],
      0,
    ],
    ['that deny every provider', [aPolicy({ match: { phases: ['Request'] }, rules: [aRule('deny', 'true')] })], 0],
    [
      'that deny answers',
      [aPolicy({ match: { phases: ['Response'] }, rules: [aRule('deny', 'response.status == 200')] })],
      0,
    ],
    [
      'of every phase',
      [
        aPolicy({ match: { phases: ['PreFlight', 'Request', 'Response'] }, rules: [aRule('deny', 'orb.score > 50')] }),
        aPolicy({ match: { phases: ['Response'] }, rules: [aRule('deny', 'response.body_bytes > 1000')] }, 'large'),
      ],
      0,
    ],
    ['that keep runs to a host', [bound({ type: 'restrictHosts', hosts: ['other.example.com'] })], 0],
    ['that keep runs to a host of nobody', [bound({ type: 'restrictHosts', hosts: ['nobody.example'] })], 0],
    ['with obligations', [bound({ type: 'timeoutMs', value: 900 }, { type: 'maxResponseBytes', value: 9000 })], 0],
    ['that ask for an approval', [bound({ type: 'requireApproval', by: 'policies:approve' })], 0],
    [
      'that deny by default',
      [aPolicy({ defaultEffect: 'deny', rules: [aRule('allow', 'request.input_bytes < 20')] })],
      0,
    ],
    ['in Audit', [aPolicy({ rules: [aRule('deny', 'true')] }, 'draft', 'Audit')], 0],
    [
      'that read inputs',
      [
        aPolicy({
          inputFacts: { text: 'string', other: 'string' },
          rules: [aRule('deny', 'has(inputs.other) || inputs.text == "Eve"')],
        }),
      ],
      0,
    ],
  ];
  for (const [why, policies, errors] of owns)
    it(`equals what was decided, for policies ${why}`, async () => {
      const test = runs.create(policies);
      test.addOrb('acme.two@1.0.0', twoProviders);
      const { execute, orbiset } = test;
      await execute({ orbiset, orbId: 'acme.two@1.0.0' });
      await execute({ orbiset, orbId: 'acme.two@1.0.0', inputs: { text: 'Eve' } });
      await execute({ orbiset });
      await execute({ orbiset, inputs: { text: 'a longer text' } });
      const { summary, verified, mismatches, changes } = await replay(test);
      expect([changes, summary.indeterminate, mismatches]).to.deep.equal([[], [], 0]);
      expect(summary.as_recorded).to.deep.equal(unchanged(4, errors));
      expect(summary.recomputed).to.deep.equal(unchanged(4, errors));
      expect([summary.evaluated, verified.receipts]).to.deep.equal([4, 4]);
      const current = await replay(test, { baseline: 'current' });
      expect(current.summary.counts).to.deep.equal(unchanged(4, errors));
    });

  it('equals what was decided when nobody knew the counts of the day', async () => {
    const set = policySet([aPolicy({ rules: [aRule('deny', 'orbiset.runs_today >= 1')] })], []);
    const parts = { policies: { of: () => set } };
    const { execute, catalog } = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock, parts });
    expect((await execute({})).code).to.equal('policy-denied');
    const { summary } = await replayed(fixture.ledger, aReplayJob(set, catalog));
    expect(summary.counts).to.deep.equal(unchanged(1, 1));
  });

  it('equals what was decided when the provider failed before an answer was looked at', async () => {
    const set = policySet([aPolicy({ match: { phases: ['Response'] }, rules: [aRule('deny', 'true')] })], []);
    const test = createTestRuntime({
      ledger: fixture.ledger,
      clock: fixture.clock,
      answer: () => answered({}, { status: 500 }),
      parts: { policies: { of: () => set } },
    });
    expect((await test.execute({})).status).to.equal(502);
    expect((await replayed(fixture.ledger, aReplayJob(set, test.catalog))).summary.counts).to.deep.equal(unchanged(1));
  });

  it('shows which runs a draft denies, with the rule and its values', async () => {
    const test = runs.create([aPolicy({ rules: [] }, 'recorder')]);
    await executeEach(test, ['a', 'b', 'c']);
    const { summary, totals, changes, verified } = await replay(test, withDraft(test.set, cap(2)));
    expect(summary.counts).to.deep.equal({ ...unchanged(2), allow_to_deny: 1 });
    expect(totals).to.deep.equal({ evaluated: 3, indeterminate: 0, newDenies: 1 });
    expect([summary.affected.orbs, summary.affected.callers]).to.deep.equal([
      [['acme.echo@1.0.0', 1]],
      [['key:abcdefgh', 1]],
    ]);
    const [change] = changes.map((text) => jsonIn(text));
    expect(change).to.include({ from: 'allow', to: 'deny', rule: 'acme/cap/cap', kind: 'allow_to_deny' });
    expect(change).to.have.nested.property('trace.args.0.value', '2');
    expect(verified.signatures).to.be.at.least(1);
  });

  it('counts without the runs that a draft denies when counts are recomputed', async () => {
    const test = runs.create([aPolicy({ rules: [] }, 'recorder')]);
    await executeEach(test, ['no', 'b', 'c', 'd']);
    const both = aPolicy(
      {
        inputFacts: { text: 'string' },
        rules: [
          aRule('deny', 'orbiset.runs_today >= 3', { name: 'cap' }),
          aRule('deny', 'request.input_bytes == 13', { name: 'no' }),
        ],
      },
      'cap',
    );
    const { summary, totals } = await replay(test, withDraft(test.set, both));
    expect([summary.as_recorded?.allow_to_deny, summary.recomputed?.allow_to_deny]).to.deep.equal([2, 1]);
    expect(totals.newDenies).to.equal(2);
    const recomputed = await replay(test, { ...withDraft(test.set, both), stateful: 'recomputed' });
    expect([recomputed.summary.counts.allow_to_deny, recomputed.totals.newDenies]).to.deep.equal([1, 1]);
    expect(recomputed.summary.as_recorded).to.equal(null);
  });

  it('counts the runs that a draft allows again when counts are recomputed', async () => {
    const test = runs.create([cap(1)]);
    await executeEach(test, ['a', 'b', 'c', 'd']);
    const { summary } = await replay(test, withDraft(test.set, cap(2)));
    expect([summary.as_recorded?.deny_to_allow, summary.recomputed?.deny_to_allow]).to.deep.equal([3, 1]);
  });

  it('sees obligations that change, and compares with the policies in force when it is told to', async () => {
    const test = runs.create([aPolicy({ rules: [aRule('deny', 'true')] }, 'closed', 'Audit')]);
    await test.execute({ orbiset: test.orbiset });
    const draft = withDraft(test.set, bound({ type: 'timeoutMs', value: 5 }));
    expect((await replay(test, draft)).summary.counts).to.include({ obligations_changed: 1, unchanged: 0 });
    const closed = { current: policySources(policySet([aPolicy({ rules: [aRule('deny', 'true')] })], [])) };
    const current = await replay(test, { ...draft, ...closed, baseline: 'current' });
    expect(current.summary.counts).to.include({ deny_to_allow: 1 });
  });

  it('says that nothing was recorded of runs without policies', async () => {
    const test = createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock });
    await test.execute({});
    await test.execute({});
    const set = policySet([cap(1)], []);
    const { summary, totals, isDone } = await replayed(fixture.ledger, aReplayJob(set, test.catalog));
    expect([isDone, summary.indeterminate]).to.deep.equal([true, [{ reason: 'facts_not_recorded', count: 2 }]]);
    expect(totals).to.deep.equal({ evaluated: 0, indeterminate: 2, newDenies: 0 });
  });

  it('says that facts are gone which an obligation holds back', async () => {
    const test = runs.create([bound({ type: 'noStore' })]);
    await test.execute({ orbiset: test.orbiset });
    expect((await replay(test)).summary.indeterminate).to.deep.equal([{ reason: 'facts_erased', count: 1 }]);
  });

  it('replays the same part of the receipts for the same seed, inside window and filter', async () => {
    const test = runs.create([aPolicy({ rules: [] })]);
    test.addOrb('acme.two@1.0.0', twoProviders);
    for (const orbId of ['acme.two@1.0.0', 'acme.echo@1.0.0', 'acme.echo@1.0.0']) {
      await test.execute({ orbiset: test.orbiset, orbId });
      await fixture.clock.advance(1000);
    }
    const evaluated = async (change: Partial<ReplayJob>): Promise<number> =>
      (await replay(test, change)).summary.evaluated;
    expect(await evaluated({ filter: { orbIds: ['acme.e*'], orbisets: [] } })).to.equal(2);
    expect(await evaluated({ filter: { orbIds: [], orbisets: ['acme.other'] } })).to.equal(0);
    expect(await evaluated({ until: fixture.clock.now() - 2000 })).to.equal(1);
    expect(await evaluated({ from: fixture.clock.now() - 2000 })).to.equal(2);
    const sample = { percent: 40, seed: 7 };
    expect(await replay(test, { sample })).to.deep.equal(await replay(test, { sample }));
    expect(await evaluated({ sample: { percent: 0, seed: 7 } })).to.equal(0);
  });

  const damages: readonly (readonly [string, (row: RecordedRunRow) => RecordedRunRow])[] = [
    [
      'the facts',
      (row) => ({
        ...row,
        decision: row.decision && {
          ...row.decision,
          facts: row.decision.facts.map((one) => ({ ...one, facts: one.facts.replace('"score":0', '"score":1') })),
        },
      }),
    ],
    [
      'the payload of the receipt',
      (row) => ({ ...row, payload: flip(row.payload, row.payload.indexOf('trust_score')) }),
    ],
    ['the signature of the receipt', (row) => ({ ...row, signature: flip(row.signature, 9) })],
    ['the header of the receipt', (row) => ({ ...row, header: flip(row.header, 9) })],
    ['the log entry', (row) => ({ ...row, entry: row.entry?.replace(/"jws_sha256":"./, '"jws_sha256":"x') ?? null })],
    ['the id', (row) => ({ ...row, receiptId: row.receiptId.replace(/.$/, 'x') })],
  ];
  for (const [what, change] of damages)
    it(`believes nothing of a run when ${what} differs in a byte`, async () => {
      const test = runs.create([aPolicy({ rules: [] })]);
      await test.execute({ orbiset: test.orbiset });
      await test.execute({ orbiset: test.orbiset });
      const { summary, mismatches } = await replay(test, {}, tampered(change));
      expect(summary.counts).to.deep.equal({ ...unchanged(1), indeterminate: 1 });
      expect([summary.indeterminate, mismatches]).to.deep.equal([[{ reason: 'digest_mismatch', count: 1 }], 1]);
    });

  it('believes no changed result of a receipt that no key of the platform signed', async () => {
    const test = runs.create([aPolicy({ rules: [] })]);
    await test.execute({ orbiset: test.orbiset });
    const job = aReplayJob(test.set, test.catalog, withDraft(test.set, cap(0)));
    const foreign = { ...job, keys: { ...job.keys, keys: [] } };
    const { summary, changes, mismatches } = await replayed(fixture.ledger, foreign);
    expect([summary.counts.indeterminate, changes, mismatches]).to.deep.equal([1, [], 1]);
    expect((await replayed(fixture.ledger, job)).summary.counts.allow_to_deny).to.equal(1);
  });
});
