import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerError } from '../../../../adapters/ledger/port.ts';
import type { CheckTests } from '../../../../api-server/reputation/publish-request.ts';
import type { JsonValue } from '../../../../core/json/json-value.ts';
import { readJson } from '../../../../core/manifest/read-json.ts';
import { aMarketplace, type Marketplace } from '../../../support/a-marketplace.ts';
import { parse } from 'yaml';

const checkTests: CheckTests = async () => ({
  findings: [],
  audit: undefined,
  summary: { required: 1, passed: 1, provenance: 'self_reported', suiteDigest: null },
  accepted: {
    reportSha256: '7'.repeat(64),
    report: '{}',
    suites: null,
    statement: 'e30.e30.e30',
    testedAt: '2026-11-20T09:00:00.000Z',
  },
});

const ECHO = readFileSync(join(import.meta.dirname, '../../../../manifests/echo.yaml'), 'utf8');

/** A manifest that can be published, if its id can. */
function manifestOf(orbId: string): JsonValue {
  const read = readJson(Buffer.from(JSON.stringify(parse(ECHO.replace(/^orb_id: .*$/m, `orb_id: ${orbId}`)))));
  return read.ok ? read.value : null;
}

describe('what Reputation counts', () => {
  let market: Marketplace;
  let counted: string[];
  beforeEach(async () => {
    counted = [];
    const counters = {
      published: (...parts: readonly string[]) => void counted.push(parts.join(' ')),
      evaluated: () => undefined,
    };
    market = await aMarketplace({ checkTests, counters });
  });
  afterEach(() => market.close());

  const publish = async (orbId: string, change: { tenant?: string; dryRun?: boolean } = {}): Promise<void> => {
    const request = { tenant: 'acme', dryRun: false, testResults: {}, testSuites: [], ...change };
    await market.reputation.publisher.publish({ ...request, manifest: manifestOf(orbId) }).catch(() => undefined);
  };

  it('counts each request to publish once, by what became of it', async () => {
    await publish('acme.new@1.0.0', { dryRun: true });
    await publish('acme.new@1.0.0');
    await publish('acme.new@1.0.0');
    await publish('acme.new@1.0.0', { tenant: 'globex' });
    await publish('acme.echo@1.0.0');
    await publish('no id');
    expect(counted).to.deep.equal([
      'checked listing',
      'listed listing',
      'known listing',
      'refused namespace',
      'refused version',
      'refused schema',
    ]);
  });

  it('counts a request that the ledger did not take', async () => {
    market.ledger.close().catch(() => undefined);
    const request = { tenant: 'acme', dryRun: false, testResults: {}, testSuites: [] };
    const error: unknown = await market.reputation.publisher
      .publish({ ...request, manifest: manifestOf('acme.new@1.0.0') })
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(LedgerError);
    expect(counted).to.deep.equal(['failed listing']);
  });

  it('tells the metrics what is published', async () => {
    const { publications, orgs, backlog, oldestEvaluation, nextCertificateExpiry } = market.reputation.metricSources();
    expect([...publications()]).to.deep.equal([{ status: 'active', tier: 'uncertified' }]);
    expect([...orgs()].map(({ state }) => state)).to.deep.equal(['verified']);
    expect([backlog(), oldestEvaluation()]).to.deep.equal([1, market.clock.now()]);
    expect(await nextCertificateExpiry()).to.equal(undefined);
  });
});
