import { DRAFTS_HERE } from '../../support/drafts.ts';
import { anIntake } from '../../support/an-intake.ts';
import { SourceIndex } from '../../../api-server/ingestion/source-index.ts';
import { someReplays } from '../../support/replays.ts';
import { aStatus } from '../../support/a-status.ts';
import { evaluateOnce } from '../../support/evaluate-once.ts';
import { expect } from 'chai';
import { Agent, request } from 'undici';
import { serviceRoutes } from '../../../api-server/services/services.ts';
import type { AuthResult } from '../../../api-server/http/authorise.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { listAt } from '../../../core/json/members.ts';
import { aCaller, startApp, type TestApp } from '../../support/api-app.ts';
import { aReputation } from '../../support/a-reputation.ts';
import { createTestRuntime } from '../../support/a-runtime.ts';
import { at, objectAt } from '../../support/members.ts';
import { aPublication, orgEntry, ORB, publishEntry, testReportEntry } from '../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../support/sqlite-ledger.ts';
import { jsonOf } from '../../support/suites.ts';
import { vectorKeys } from '../../support/vector-receipts.ts';
import vectors from '../../vectors/reputation.json' with { type: 'json' };

const RUNS = 1000;
const AT_ONCE = 32;
const DAY_MS = 86_400_000;

/** 1000 of 1000 runs of one caller, after 60 days, with 24 of 24 tests of 5 days ago. */
const oneCaller = vectors.cases.find(({ id }) => id === 'R07');
/** The same without runs. */
const noRuns = vectors.cases.find(({ id }) => id === 'R01');

const unused = (): Promise<never> => Promise.reject(new Error('no route asks for it'));

/** The tenant is the key. */
const authenticate = (header = ''): AuthResult => ({
  kind: 'ok',
  caller: aCaller({
    tenants: [header.replace('Bearer ', '')],
    scopes: new Set(['orbs:execute', 'reputation:read']),
  }),
});

/** The members of a profile that the vectors have. */
const scored = (profile: JsonValue): Readonly<Record<string, unknown>> => ({
  score: at(profile, 'reputation_score'),
  score_bp: at(profile, 'score_bp'),
  tier: at(profile, 'computed_tier'),
  confidence: at(profile, 'confidence'),
  n_eff: at(profile, 'evidence', 'n_eff'),
  s_eff: at(profile, 'evidence', 's_eff'),
  l_eff: at(profile, 'evidence', 'l_eff'),
  callers: at(profile, 'evidence', 'callers'),
  caps: at(profile, 'caps'),
  next_tier: at(profile, 'next_tier', 'tier'),
  missing: listAt(objectAt(profile, 'next_tier'), 'missing').map((criterion) => at(criterion, 'id')),
});

const expected = (vector: typeof oneCaller): Readonly<Record<string, unknown>> => {
  if (vector === undefined) throw new Error('no such vector');
  const { score, score_bp, tier, confidence, n_eff, s_eff, l_eff, callers, caps, next_tier, missing } = vector.expected;
  return { score, score_bp, tier, confidence, n_eff, s_eff, l_eff, callers, caps, next_tier, missing };
};

describe('the runs of one tenant (trust.md §5.4)', function runs() {
  this.timeout(120_000);
  const agent = new Agent({ connections: AT_ONCE });
  let fixture: SqliteFixture;
  let app: TestApp;
  let evaluate: () => Promise<JsonValue>;

  before(async () => {
    fixture = await openSqliteFixture();
    const { ledger, clock } = fixture;
    const reputation = aReputation(ledger, clock);
    const { runtime, catalog, addOrbiset } = createTestRuntime({
      ledger,
      clock,
      parts: { published: reputation.listings },
    });
    addOrbiset('team', { orbs: ['acme.echo'] }, 'globex');
    const [orb] = [...catalog.all()];
    const digest = orb?.compiled?.digest;
    if (digest === undefined) throw new Error('no Orb');
    const daysAgo = (days: number): string => new Date(clock.now() - days * DAY_MS).toISOString();
    const [published, tested] = [daysAgo(60), daysAgo(5)];
    await ledger.publish(
      aPublication({
        manifestDigest: digest,
        publishedAt: Date.parse(published),
        entries: [
          orgEntry('verified'),
          publishEntry(ORB, digest).replace(/"at":"[^"]+"/, `"at":"${published}"`),
          testReportEntry({ manifest_digest: digest, required: 24, passed: 24, tested_at: tested, at: tested }),
        ],
      }),
    );
    await reputation.open();
    evaluate = async () => {
      await clock.advance(1000); // a version has no two certificates of one second
      expect(await evaluateOnce(reputation.evaluator, clock, [ORB])).to.deep.equal(['done']);
      return jsonOf((await app.call('GET', `/reputation/${ORB}`, { key: 'acme' })).value);
    };
    const routes = serviceRoutes({
      version: '1.0.0',
      clock,
      ledger,
      keys: vectorKeys,
      runtime,
      reputation,
      drafts: DRAFTS_HERE,
      sources: new SourceIndex(),
      intake: anIntake().intake,
      replays: someReplays(runtime),
      status: aStatus({ ledger, clock }),
      missing: () => [],
      policyObjects: { read: unused, list: unused, create: unused, replace: unused, remove: unused },
      pins: { set: unused, remove: unused },
      lastEvaluation: unused,
    });
    app = await startApp(routes, { authenticate, clock });
  });
  after(async () => {
    await agent.close();
    await app.close();
    await fixture.dispose();
  });

  async function runOnce(tenant: string, orbiset: string): Promise<void> {
    const { statusCode, body } = await request(`http://127.0.0.1:${app.port}/orbisets/${orbiset}/execute`, {
      dispatcher: agent,
      method: 'POST',
      headers: { authorization: `Bearer ${tenant}`, 'content-type': 'application/json' },
      body: JSON.stringify({ orb_id: ORB, inputs: { text: 'hi' } }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
  }
  async function runMany(tenant: string, orbiset: string): Promise<void> {
    let left = RUNS;
    const caller = async (): Promise<void> => {
      for (; left > 0; await runOnce(tenant, orbiset)) left -= 1;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, caller));
  }

  it('that publishes move nothing, however many they are', async () => {
    const before = await evaluate();
    // It is older than the Orb of the vector.
    const missing = noRuns?.expected.missing.filter((criterion) => criterion !== 'AGE_DAYS_GE_14');
    expect(scored(before)).to.deep.equal({ ...expected(noRuns), missing });
    await runMany('acme', 'support');
    const after = await evaluate();
    expect(scored(after)).to.deep.equal(scored(before));
    expect(at(after, 'evidence', 'excluded', 'self')).to.equal(RUNS);
  });

  it('that is another one count as 50, and do not reach silver', async () => {
    await runMany('globex', 'team');
    const after = await evaluate();
    expect(scored(after)).to.deep.equal(expected(oneCaller));
    expect(at(after, 'certification_tier')).to.equal('bronze');
    expect(at(after, 'evidence', 'excluded', 'self')).to.equal(RUNS);
  });
});
