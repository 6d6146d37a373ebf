import { expect } from 'chai';
import type { AcceptedTests, Published, PublishRequest } from '../../../../api-server/reputation/publish-request.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import type { OperatorProof } from '../../../../core/publication/owner.ts';
import { aReputation, type ReputationChange } from '../../../support/a-reputation.ts';
import { at } from '../../../support/members.ts';
import { anOrg } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { echoManifest, jsonOf } from '../../../support/suites.ts';

const accepted: AcceptedTests = {
  reportSha256: '1'.repeat(64),
  report: '{}',
  suites: null,
  statement: 'e30.e30.e30',
  testedAt: '2026-11-20T10:00:00.000Z',
};
const summary = { required: 2, passed: 2, provenance: 'receipted', suiteDigest: null } as const;

const AUDIT = { reportSha256: accepted.reportSha256, checked: 2, invalid: 1 };

const GOOD: ReputationChange = {
  checkTests: () => Promise.resolve({ findings: [], summary, audit: undefined, accepted }),
};

const BAD: ReputationChange = {
  checkTests: () => Promise.resolve({ findings: [], summary, audit: AUDIT, accepted: undefined }),
};

const CITING: ReputationChange = {
  checkTests: () => Promise.resolve({ findings: [], summary, audit: { ...AUDIT, invalid: 0 }, accepted }),
};

const LATER: ReputationChange = {
  checkTests: () =>
    Promise.resolve({
      findings: [],
      summary,
      audit: undefined,
      accepted: { ...accepted, reportSha256: '2'.repeat(64) },
    }),
};

const said = ([result]: readonly Published[]): readonly unknown[] =>
  result?.kind === 'refused' ? [result.stage, result.code] : [result?.kind];

describe('Publisher', () => {
  let fixture: SqliteFixture;
  beforeEach(async () => (fixture = await openSqliteFixture()));
  afterEach(() => fixture.dispose());

  async function publish(
    request: Partial<PublishRequest> = {},
    change: ReputationChange = {},
    times = 1,
  ): Promise<readonly Published[]> {
    const { ledger, clock } = fixture;
    const { publisher, listings } = aReputation(ledger, clock, { ...GOOD, ...change });
    await listings.refresh();
    const asked = {
      tenant: 'acme',
      manifest: echoManifest(),
      testResults: {},
      testSuites: [],
      dryRun: false,
      ...request,
    };
    return Promise.all(Array.from({ length: times }, () => publisher.publish(asked)));
  }
  const kinds = async (): Promise<readonly string[]> =>
    (await fixture.ledger.entries(0, 99)).map((text) => readEntry(text)?.kind ?? 'none');
  const refusals: readonly [why: string, request: Partial<PublishRequest>, stage: string, code: string][] = [
    ['no manifest at all', { manifest: 3 }, 'schema', 'validation-failed'],
    ['an unknown member', { manifest: echoManifest({ colour: 'red' }) }, 'schema', 'validation-failed'],
    [
      'an unknown capability',
      { manifest: echoManifest({ capabilities: ['no.such'] }) },
      'ontology',
      'validation-failed',
    ],
    [
      'build metadata in the version',
      { manifest: echoManifest({ orb_id: 'acme.echo@1.0.0+b1' }) },
      'version',
      'version-build-metadata',
    ],
  ];
  for (const [why, request, stage, code] of refusals) {
    it(`refuses ${why} with ${code}, and writes nothing`, async () => {
      const results = await publish(request);
      expect(said(results)).to.deep.equal([stage, code]);
      expect(await kinds()).to.deep.equal([]);
      const [result] = results;
      const report = jsonOf(result?.kind === 'refused' ? result.report : {});
      expect(at(report, 'valid')).to.equal(false);
    });
  }

  it('checks a manifest in pieces, each at a turn of the tenant that publishes', async () => {
    const tenants: string[] = [];
    await publish({}, { longTurn: async (tenant) => void tenants.push(tenant) });
    expect(tenants.length).to.be.at.least(2);
    expect(new Set(tenants)).to.deep.equal(new Set(['acme']));
  });

  it('names every stage in the report, those after the failed one as not run', async () => {
    const [result] = await publish({ manifest: echoManifest({ capabilities: ['no.such'] }) });
    const report = jsonOf(result?.kind === 'refused' ? result.report : {});
    expect(at(report, 'stages')).to.deep.equal([
      { id: 'schema', status: 'passed' },
      { id: 'ontology', status: 'failed' },
      ...['namespace', 'version', 'tests', 'verification', 'listing'].map((id) => ({ id, status: 'not_run' })),
    ]);
    expect(at(report, 'findings', '0', 'pointer')).to.match(/^\/manifest\/capabilities\/0/);
  });

  it('refuses the organisation of another tenant: namespace-not-owned', async () => {
    const operator = { orgs: new Map([['acme', 'globex']]), firstComes: false };
    expect(said(await publish({}, { operator }))).to.deep.equal(['namespace', 'namespace-not-owned']);
  });

  it('refuses an organisation that nobody proved: namespace-unverified', async () => {
    const operator = { orgs: new Map<string, string>(), firstComes: false };
    expect(said(await publish({}, { operator }))).to.deep.equal(['namespace', 'namespace-unverified']);
  });

  it('writes nothing of tests that are not good but the audit of the receipts that they cite', async () => {
    await fixture.ledger.putOrg(anOrg(), null, []);
    expect(said(await publish({}, BAD))).to.deep.equal(['tests', 'validation-failed']);
    expect(await kinds()).to.deep.equal(['audit']);
    expect(said(await publish({ dryRun: true }, BAD))).to.deep.equal(['tests', 'validation-failed']);
    expect(await kinds()).to.deep.equal(['audit']);
  });

  it('audits a refused report once, however often and at once it is sent', async () => {
    await fixture.ledger.putOrg(anOrg(), null, []);
    await publish({}, BAD, 5);
    await publish({}, BAD);
    expect(await kinds()).to.deep.equal(['audit']);
    const other = { ...AUDIT, reportSha256: '2'.repeat(64) };
    await publish(
      {},
      { checkTests: () => Promise.resolve({ findings: [], summary, audit: other, accepted: undefined }) },
    );
    expect(await kinds()).to.deep.equal(['audit', 'audit']);
  });

  const unowned: readonly (readonly [why: string, operator: OperatorProof])[] = [
    ['nobody owns', { orgs: new Map(), firstComes: true }],
    [
      'the operator names for the tenant, and that it does not own yet',
      { orgs: new Map([['acme', 'acme']]), firstComes: false },
    ],
  ];
  for (const [why, operator] of unowned)
    it(`leaves no audit of a refused report under an organisation that ${why}`, async () => {
      expect(said(await publish({}, { ...BAD, operator }))).to.deep.equal(['tests', 'validation-failed']);
      expect(await kinds()).to.deep.equal([]);
      expect(await fixture.ledger.org('acme')).to.equal(undefined);
    });

  it('audits good reports that are sent at once, one time', async () => {
    await publish({}, CITING, 5);
    await publish({}, CITING);
    expect(await kinds()).to.deep.equal(['audit', 'org', 'publish', 'test_report']);
  });

  it('writes nothing in a dry run', async () => {
    expect(said(await publish({ dryRun: true }))).to.deep.equal(['checked']);
    expect(await kinds()).to.deep.equal([]);
  });

  it('publishes with the claim of the organisation, once for ten requests at the same time', async () => {
    const results = await publish({}, {}, 10);
    expect(results.map(({ kind }) => kind)).to.deep.equal(results.map(() => 'listed'));
    expect(results.filter((result) => result.kind === 'listed' && result.isNew)).to.have.length(1);
    expect(await kinds()).to.deep.equal(['org', 'publish', 'test_report']);
    expect(await fixture.ledger.publications(0)).to.have.length(1);
  });

  it('writes one more test report for a new and good one, and nothing for the same again', async () => {
    await publish();
    await publish();
    expect(await kinds()).to.deep.equal(['org', 'publish', 'test_report']);
    await publish({}, LATER);
    expect(await kinds()).to.deep.equal(['org', 'publish', 'test_report', 'test_report']);
  });
});
