import { expect } from 'chai';
import type { Dialer } from '../../../../adapters/egress/port.ts';
import { scoreHere } from '../../../../adapters/reputation-worker/score-here.ts';
import { readEntry, type EntryOf } from '../../../../core/log-entry/entry.ts';
import { NEVER_HELD } from '../../../../core/reputation/held-tier.ts';
import type { PolicyInForce } from '../../../../core/policy/decision/policy-set.ts';
import { hangs } from '../../../support/a-runtime.ts';
import { aPolicy, aRule } from '../../../support/policies.ts';
import { noting, PolicyRuns, type RuntimeWithPolicies } from '../../../support/policy-runs.ts';
import { publishEntry, testReportEntry } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const ORB = 'acme.echo@1.0.0';
const DAY_MS = 86_400_000;
const AT_ONCE = 50;

function ofPlatform(name: string, when: string): PolicyInForce {
  const policy = aPolicy({ rules: [aRule('deny', when, { severity: 'high' })] }, name);
  return { ...policy, definition: { ...policy.definition, namespace: 'orb-system' } };
}

interface ForRuns {
  readonly dialer?: Dialer;
  /** Tenant that owns the Orb; its own runs do not count. */
  readonly owner?: string;
}

/** Runs it so often. @returns the statuses that came */
async function run({ execute, orbiset }: RuntimeWithPolicies, count: number): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => execute({ orbiset })));
    statuses.push(...answers.map(({ status }) => status));
  }
  return [...new Set(statuses)];
}

describe('policies of the platform and the score of a published Orb (policy.md §3.4)', function suite() {
  this.timeout(60_000);
  let fixture: SqliteFixture;
  let runs: PolicyRuns;
  let digest: string;
  before(async () => {
    fixture = await openSqliteFixture();
    runs = new PolicyRuns(fixture);
    const { catalog } = runs.create([]);
    digest = [...catalog.all()].find(({ name }) => name === ORB)?.compiled?.digest ?? '';
    const tested = { manifest_digest: digest, at: new Date(fixture.clock.now()).toISOString() };
    await fixture.ledger.appendEntries([
      publishEntry(ORB, digest),
      testReportEntry({ ...tested, tested_at: tested.at }),
    ]);
  });
  after(() => fixture.dispose());

  /** A process in which the Orb is published. */
  function withPolicies(
    policies: readonly PolicyInForce[],
    { dialer, owner = 'acme' }: ForRuns = {},
  ): RuntimeWithPolicies {
    const listed = { manifestDigest: digest, namespace: 'acme', status: 'active', isCertified: false } as const;
    const published = { version: () => listed, ownerOf: () => owner, isFresh: () => true };
    return runs.create(policies, dialer === undefined ? { published } : { published, dialer });
  }

  async function violations(): Promise<readonly EntryOf<'violation'>[]> {
    const entries: string[] = [];
    const size = await fixture.ledger.logSize();
    while (entries.length < size) entries.push(...(await fixture.ledger.entries(entries.length, size)));
    return entries.flatMap((text) => {
      const entry = readEntry(text);
      return entry?.kind === 'violation' ? [entry] : [];
    });
  }

  /** In hundredths of a point. */
  async function score(): Promise<number> {
    const version = { orbId: ORB, manifestDigest: digest, before: NEVER_HELD };
    const line = { versions: [version], at: fixture.clock.now(), logOrigin: 'orbs.example/log' };
    const { versions } = await scoreHere(fixture.ledger).score(line);
    const [scored] = versions;
    if (scored === undefined) throw new Error('the Orb has no score');
    return scored.judged.score.scoreBp;
  }

  it('leave the score alone when they deny a thousand runs for what callers send', async () => {
    await run(withPolicies([]), 100);
    const before = await score();
    expect(before).to.be.above(0);
    const denies = withPolicies([
      ofPlatform('callers', 'caller.kind == "api_key" && request.input_bytes > 0'),
      aPolicy({ rules: [aRule('deny', 'orb.score < 101')] }, 'of-the-tenant'),
    ]);
    expect(await run(denies, 1000)).to.deep.equal([403]);
    expect(await violations()).to.deep.equal([]);
    expect(await score()).to.equal(before);
  });

  it('leave the score alone when their time limit ends a hundred runs', async () => {
    const before = await score();
    const obligations = [{ type: 'timeoutMs', value: 20 } as const];
    const hasty = aPolicy({ rules: [aRule('require', 'true', { obligations: [...obligations] })] }, 'hasty');
    const late: Dialer = { ...noting([]), dial: async (request, _limits, _guard, signal) => hangs(request, signal) };
    expect(await run(withPolicies([hasty], { dialer: late, owner: 'globex' }), 100)).to.deep.equal([504]);
    expect(await score()).to.equal(before);
  });

  it('write one entry a rule, digest and day for what the Orb is, and the score follows', async () => {
    const before = await score();
    const denies = withPolicies([
      ofPlatform('certified', 'orb.tier_rank < 1'),
      ofPlatform('scored', 'orb.score < 101'),
      ofPlatform('callers', 'caller.kind == "api_key"'),
    ]);
    expect(await run(denies, 1000)).to.deep.equal([403]);
    const first = await violations();
    expect(first.map(({ rule }) => rule).toSorted()).to.deep.equal([
      'orb-system/certified/rule',
      'orb-system/scored/rule',
    ]);
    const afterOne = await score();
    expect(afterOne).to.be.below(before);
    await fixture.clock.advance(DAY_MS);
    expect(await run(denies, AT_ONCE)).to.deep.equal([403]);
    const all = await violations();
    expect(
      new Set(all.map(({ rule, manifest_digest, at }) => `${rule} ${manifest_digest} ${at.slice(0, 10)}`)).size,
    ).to.equal(4);
    expect(all).to.have.length(4);
    expect(await score()).to.be.below(afterOne);
  });
});
