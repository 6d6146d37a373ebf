import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { judgeTiers } from '../../../../core/reputation/criteria.ts';
import { scoreReputation } from '../../../../core/reputation/formula.ts';
import { NEVER_HELD, type HeldTier } from '../../../../core/reputation/held-tier.ts';
import type { ReputationInput } from '../../../../core/reputation/input.ts';
import { profileOf, type Profile } from '../../../../core/reputation/profile.ts';
import { aCli, type CliResult, type TestCli } from '../../../support/cli-io.ts';
import { aServer, json, type Answering, type CliServer } from '../../../support/cli-server.ts';
import { R06 } from '../../../support/reputation-input.ts';

const AT = Date.parse('2026-11-20T00:03:11.000Z');

function profile(input: ReputationInput, held: HeldTier): Profile {
  const score = scoreReputation(input);
  const violation = { kind: 'violation', rule: 'no-http', severity: 'medium', receipt_id: null } as const;
  const about = { orb_id: 'acme.echo@1.2.0', manifest_digest: 'sha256:12', at: '2026-11-20T00:00:00.000Z' };
  return profileOf({
    subject: { orbId: 'acme.echo@1.2.0', manifestDigest: 'sha256:12', asOf: '2026-11-20', logWitnessed: null },
    evidence: { days: [], events: [{ index: 7, entry: { ...violation, ...about } }] },
    input,
    score,
    judgement: judgeTiers(input, score),
    held,
    history: [],
    at: AT,
    log: { origin: 'orbs.example/log', size: 700, rootBase64: 'cm9vdA==' },
  });
}

const GOLD: HeldTier = { ...NEVER_HELD, tier: 'gold', wasCertified: true, since: AT };

describe('orb reputation explain', () => {
  let cli: TestCli;
  let server: CliServer | undefined;
  const explain = async (answer: Answering, ...argv: readonly string[]): Promise<CliResult> => {
    server = await aServer(answer);
    return cli.run(['reputation', 'explain', 'acme.echo@1.2.0', '--server', server.url, ...argv]);
  };
  beforeEach(() => (cli = aCli()));
  afterEach(async () => {
    rmSync(cli.folder, { recursive: true });
    await server?.close();
    server = undefined;
  });

  it('prints each part of the score, what lowers it, and what the next tier lacks', async () => {
    const { exit, out } = await explain(json(200, profile(R06, GOLD)));
    expect(exit).to.equal(0);
    expect(server?.received[0]?.url).to.equal('/reputation/acme.echo%401.2.0');
    expect(out).to.equal(`orb    acme.echo@1.2.0
score  96 of 100, confidence high
tier   gold, stable, since 2026-11-20T00:03:11.000Z
from   700 entries of orbs.example/log, as of 2026-11-20

reliability  41.9 of 45  990 of 1000 effective runs succeeded; lower bound 98.2 %
latency      15 of 15    960 of 990 successful runs were within slo_ms; lower bound 95.7 %
tests        40 of 40    24 of 24 required tests passed 5 days ago, backed by receipts
violations   −15.0 %     entry 7, medium, 0 days old

platinum lacks:
  RUNS_EFFECTIVE_GE_5000: 1000, needs 5000
  RELIABILITY_GE_0_99: 0.98169, needs 0.99
  CALLERS_GE_50: 25, needs 50
  AGE_DAYS_GE_180: 60, needs 180
  TESTS_INDEPENDENT: receipted, needs independent
`);
  });

  it('says when the computed tier is another one, and which caps are active', async () => {
    const { out } = await explain(json(200, profile({ ...R06, tests: null }, { ...GOLD, status: 'at_risk' })));
    expect(out).to.include('gold, at risk').and.to.include('computed  uncertified by its criteria alone');
    expect(out).to.include('active caps: tests_not_current\n').and.to.include('bronze lacks:');
  });

  it('says since when a tier waits for its promotion', async () => {
    const held: HeldTier = { ...GOLD, tier: 'silver', reachedSince: { gold: AT } };
    const { out } = await explain(json(200, profile(R06, held)));
    expect(out).to.include('gold: every criterion holds since 2026-11-20T00:03:11.000Z; a promotion takes 72 hours');
  });

  it('prints the profile as it is for machines', async () => {
    const given = profile(R06, GOLD);
    expect(JSON.parse((await explain(json(200, given), '-o', 'json')).out)).to.deep.equal(given);
  });

  it('reports that an Orb is not published', async () => {
    const problem = { code: 'orb-not-published', title: 'The Orb is not published', status: 404 };
    const { exit, err } = await explain(json(404, problem, 'application/problem+json'));
    expect([exit, err.includes('orb-not-published')]).to.deep.equal([2, true]);
  });
});
