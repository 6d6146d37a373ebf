import { expect } from 'chai';
import { Registry } from 'prom-client';
import {
  createReputationCounters,
  observeReputation,
  type ReputationSources,
} from '../../../../adapters/telemetry/reputation-metrics.ts';
import { named, readText, type Sample } from '../../../support/exposition.ts';

describe('metrics of reputation', () => {
  let registry: Registry;
  const read = async (): Promise<readonly Sample[]> => readText(`${await registry.metrics()}\n`);
  /** Samples that are not 0, as `label label` and value. */
  const counted = async (name: string): Promise<readonly (readonly [string, number])[]> =>
    named(await read(), name)
      .filter(({ value }) => value !== 0)
      .map(({ labels, value }) => [Object.values(labels).join(' '), value] as const);
  const observe = (some: Partial<ReputationSources> = {}): void =>
    observeReputation(registry, {
      publications: () => [],
      oldestEvaluation: () => undefined,
      nextCertificateExpiry: async () => undefined,
      backlog: () => 0,
      orgs: () => [],
      isConsistent: () => true,
      ...some,
    });
  /** Values of the two times, and of the backlog. */
  const values = async (): Promise<readonly (readonly number[])[]> => {
    const samples = await read();
    return [
      'orb_reputation_oldest_evaluation_timestamp_seconds',
      'orb_certificate_next_expiry_timestamp_seconds',
      'orb_publication_backlog',
    ].map((name) => named(samples, name).map(({ value }) => value));
  };
  beforeEach(() => (registry = new Registry()));

  it('count requests to publish by outcome and stage, and exist with 0 from the start', async () => {
    const { published } = createReputationCounters(registry);
    expect(named(await read(), 'orb_publish_total').length).to.equal(11);
    expect(await counted('orb_publish_total')).to.deep.equal([]);
    published('listed', 'listing');
    published('refused', 'tests');
    published('refused', 'tests');
    expect(await counted('orb_publish_total')).to.have.deep.members([
      ['refused tests', 2],
      ['listed listing', 1],
    ]);
  });

  it('count evaluations by result, and exist with 0 from the start', async () => {
    const { evaluated } = createReputationCounters(registry);
    expect(named(await read(), 'orb_reputation_evaluations_total').map(({ labels }) => labels['result'])).to.deep.equal(
      ['done', 'unknown', 'conflict', 'fenced', 'failed'],
    );
    evaluated('fenced');
    expect(await counted('orb_reputation_evaluations_total')).to.deep.equal([['fenced', 1]]);
  });

  it('have publications by status and tier, as they are at each scrape', async () => {
    let publications: ReturnType<ReputationSources['publications']> = [
      { status: 'active', tier: 'gold' },
      { status: 'active', tier: 'gold' },
      { status: 'yanked', tier: 'uncertified' },
    ];
    observe({ publications: () => publications });
    expect(named(await read(), 'orb_publications')).to.have.length(20);
    expect(await counted('orb_publications')).to.have.deep.members([
      ['active gold', 2],
      ['yanked uncertified', 1],
    ]);
    publications = [{ status: 'deprecated', tier: 'gold' }];
    expect(await counted('orb_publications')).to.deep.equal([['deprecated gold', 1]]);
  });

  it('have organisations by the result of their verification', async () => {
    observe({ orgs: () => [{ state: 'verified' }, { state: 'verified' }, { state: 'unverified' }] });
    expect(await counted('orb_org_verification')).to.have.deep.members([
      ['verified', 2],
      ['unverified', 1],
    ]);
    expect(named(await read(), 'orb_org_verification')).to.have.length(3);
  });

  it('have times in seconds, and no value while there is no time', async () => {
    const times = { oldest: 1_795_168_800_500, expiry: 1_795_773_600_000 };
    let isThere = true;
    observe({
      oldestEvaluation: () => (isThere ? times.oldest : undefined),
      nextCertificateExpiry: async () => (isThere ? times.expiry : undefined),
      backlog: () => 3,
    });
    expect(await values()).to.deep.equal([[1_795_168_800.5], [1_795_773_600], [3]]);
    isThere = false;
    expect(await values()).to.deep.equal([[], [], [3]]);
  });

  it('have no expiry while the ledger is away, and all others', async () => {
    observe({ nextCertificateExpiry: () => Promise.reject(new Error('away')), backlog: () => 1 });
    const samples = await read();
    expect(named(samples, 'orb_certificate_next_expiry_timestamp_seconds')).to.deep.equal([]);
    expect(named(samples, 'orb_publication_backlog').map(({ value }) => value)).to.deep.equal([1]);
  });
});
