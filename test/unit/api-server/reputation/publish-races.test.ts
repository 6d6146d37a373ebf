import { expect } from 'chai';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CheckTests, PublishRequest } from '../../../../api-server/reputation/publish-request.ts';
import { Publisher } from '../../../../api-server/reputation/publish.ts';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { readEntry } from '../../../../core/log-entry/entry.ts';
import { aReputation } from '../../../support/a-reputation.ts';
import { anOrg, aPublication, aVersion, digestOfLetter, statusEntry } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';
import { compiled, echoManifest } from '../../../support/suites.ts';

const ORB = 'acme.echo@1.0.0';
const OWN_DIGEST = compiled(echoManifest()).digest;
const summary = { required: 2, passed: 2, provenance: 'receipted', suiteDigest: null } as const;
const accepted = (digit: string) => ({
  reportSha256: digit.repeat(64),
  report: '{}',
  suites: null,
  statement: 'e30.e30.e30',
  testedAt: '2026-11-20T10:00:00.000Z',
});
const asked: PublishRequest = {
  tenant: 'acme',
  manifest: echoManifest(),
  testResults: {},
  testSuites: [],
  dryRun: false,
};
const yank = (ledger: Ledger): Promise<unknown> =>
  ledger.setOrbStatus({
    orbId: ORB,
    from: 'active',
    to: 'yanked',
    reason: '',
    entries: [statusEntry('yanked')],
    revoke: null,
  });

type Race = (ledger: Ledger) => Promise<unknown>;
const putOrg =
  (change: Parameters<typeof anOrg>[0], expected: string | null): Race =>
  (ledger) =>
    ledger.putOrg(anOrg({ json: 'changed', ...change }), expected, []);

const never = async (): Promise<void> => undefined;

describe('a publication that is overtaken while its tests are checked', () => {
  let fixture: SqliteFixture;
  /** Calls that say that versions are due. */
  let changed: number;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    changed = 0;
  });
  afterEach(() => fixture.dispose());

  const kinds = async (): Promise<readonly string[]> =>
    (await fixture.ledger.entries(0, 99)).map((text) => readEntry(text)?.kind ?? 'none');

  /** @param meanwhile happens after the pipeline has looked, once */
  async function publish(meanwhile: () => Promise<unknown>, report = accepted('9')): Promise<readonly unknown[]> {
    const { ledger, clock } = fixture;
    const { listings } = aReputation(ledger, clock);
    await listings.refresh();
    let isOver = false;
    const checkTests: CheckTests = async () => {
      if (!isOver) await meanwhile();
      isOver = true;
      return { findings: [], summary, audit: undefined, accepted: report };
    };
    const publisher = new Publisher({
      ledger,
      listings,
      clock,
      allowedOrigins: [],
      operator: { orgs: new Map(), firstComes: true },
      checkTests,
      counters: { published: () => undefined },
      longTurn: nextTurn,
      changed: () => void (changed += 1),
    });
    const result = await publisher.publish(asked);
    return result.kind === 'refused' ? [result.stage, result.code] : [result.kind];
  }

  const ofOwner: readonly (readonly [why: string, race: Race, said: readonly string[]])[] = [
    ['its organisation is suspended', putOrg({ state: 'suspended' }, '{}'), ['namespace', 'namespace-unverified']],
    ['the proof is lost', putOrg({ state: 'unverified' }, '{}'), ['namespace', 'namespace-unverified']],
    ['another tenant owns it', putOrg({ namespace: 'globex' }, '{}'), ['namespace', 'namespace-not-owned']],
    [
      'another request publishes other bytes',
      (ledger) => ledger.publish(aVersion('1.0.0', { manifestDigest: digestOfLetter('f') })),
      ['version', 'version-immutable'],
    ],
  ];
  for (const [why, race, said] of ofOwner)
    it(`writes nothing when ${why}: ${said.join(' ')}`, async () => {
      await fixture.ledger.putOrg(anOrg(), null, []);
      let before: readonly string[] = [];
      const meanwhile = async (): Promise<void> => {
        await race(fixture.ledger);
        before = await kinds();
      };
      expect(await publish(meanwhile)).to.deep.equal(said);
      expect(await kinds()).to.deep.equal(before);
      expect(changed).to.equal(0);
    });

  const ofClaim: readonly (readonly [why: string, race: Race, said: readonly string[]])[] = [
    ['another tenant has claimed it', putOrg({ namespace: 'globex' }, null), ['namespace', 'namespace-not-owned']],
    ['its own tenant lost the proof', putOrg({ state: 'unverified' }, null), ['namespace', 'namespace-unverified']],
  ];
  for (const [why, race, said] of ofClaim)
    it(`claims no organisation when ${why}: ${said.join(' ')}`, async () => {
      expect(await publish(() => race(fixture.ledger))).to.deep.equal(said);
      expect(await kinds()).to.deep.equal([]);
      expect((await fixture.ledger.org('acme'))?.json).to.equal('changed');
    });

  it('is listed without a claim when its own tenant has proven the organisation', async () => {
    expect(await publish(() => fixture.ledger.putOrg(anOrg(), null, []))).to.deep.equal(['listed']);
    expect(await kinds()).to.deep.equal(['publish', 'test_report']);
  });

  const ofReport: readonly (readonly [why: string, race: Race, said: readonly string[]])[] = [
    ['the version is yanked', yank, ['version', 'version-tombstoned']],
    ['its organisation is suspended', putOrg({ state: 'suspended' }, '{}'), ['namespace', 'namespace-unverified']],
  ];
  for (const [why, race, said] of ofReport)
    it(`adds no report when ${why}: ${said.join(' ')}`, async () => {
      await fixture.ledger.publish(aPublication({ manifestDigest: OWN_DIGEST }));
      await publish(never, accepted('8'));
      changed = 0;
      expect(await publish(() => race(fixture.ledger))).to.deep.equal(said);
      expect((await kinds()).filter((kind) => kind === 'test_report')).to.have.length(2);
      expect(changed).to.equal(0);
    });

  it('has the ledger read once for what is due when it lists a version or takes a new report, however long the line', async () => {
    for (const version of ['1.1.0', '1.2.0', '2.0.0']) await fixture.ledger.publish(aVersion(version));
    await publish(never);
    expect(changed).to.equal(1);
    await publish(never);
    expect(changed).to.equal(1);
    await publish(never, accepted('7'));
    expect(changed).to.equal(2);
  });
});
