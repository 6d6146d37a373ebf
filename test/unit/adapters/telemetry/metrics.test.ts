import { expect } from 'chai';
import { createMetrics, type Metrics, type MetricSources } from '../../../../adapters/telemetry/metrics.ts';
import { createProcessMetrics } from '../../../../adapters/telemetry/process-metrics.ts';
import { named, readText, type Sample } from '../../../support/exposition.ts';

const BUCKETS = '0.005 0.01 0.025 0.05 0.075 0.1 0.25 0.5 0.75 1 2.5 5 7.5 10 15 30 60 120 +Inf'.split(' ');
const OUTCOMES = ['blocked', 'cancelled', 'client_error', 'error', 'rate_limited', 'success', 'timeout'];
const MINUTE = 60_000;

/** Metrics of Node that a process shows. */
async function namesOfNode(hasLag: boolean): Promise<readonly string[]> {
  const text = await createProcessMetrics('1.2.3', { hasLag }).registry.metrics();
  return [...text.matchAll(/^# TYPE (nodejs_\S+)/gm)].map(([, name = '']) => name);
}

interface Setup {
  readonly metrics: Metrics;
  readonly read: () => Promise<readonly Sample[]>;
  readonly advance: (ms: number) => void;
}

function setUp(some: Partial<MetricSources> = {}): Setup {
  let now = 1_795_168_800_000;
  const sources: MetricSources = {
    runsInFlight: () => 2,
    ledgerLoad: () => ({ queuedRows: 3, oldestMs: 1500 }),
    ledgerCommits: () => ({ groups: 4, rows: 50 }),
    logSize: () => Promise.resolve(7),
    tenants: () => Promise.resolve([{ tenant: 'acme', rows: 4, bytes: 5000 }]),
    apiKeys: () => [{ keyId: 'Ab3dEf6h', expiresAt: 1_800_000_000_000 }],
    egressExceptions: () => 1,
    logConsistent: () => true,
    logHeadSize: () => 7,
    leftOutLines: () => 21,
    ...some,
  };
  const metrics = createMetrics({
    clock: { now: () => now, monotonic: () => performance.now() },
    version: '1.2.3',
    sources,
  });
  const read = async (): Promise<readonly Sample[]> => {
    let text = '';
    for await (const slice of metrics.slices()) text += slice;
    return readText(text);
  };
  return { metrics, read, advance: (ms) => void (now += ms) };
}

const ofOrbs = (samples: readonly Sample[]): readonly Sample[] => samples.filter(({ labels }) => 'orb_id' in labels);

describe('createMetrics', () => {
  it('has the buckets of failover.md §2, cumulative, with sum and count', async () => {
    const { metrics, read } = setUp();
    const provider = metrics.provider('acme', 'acme.x@1.0.0', 'sendgrid');
    for (const seconds of [0.004, 0.005, 0.0051, 120, 121]) provider.attempt('success', seconds);
    const samples = await read();
    const buckets = named(samples, 'orb_provider_request_duration_seconds_bucket');
    expect(buckets.map(({ labels }) => labels['le'])).to.deep.equal(BUCKETS);
    expect(buckets.map(({ value }) => value)).to.deep.equal([2, 3, ...Array.from({ length: 15 }, () => 3), 4, 5]);
    expect(buckets[0]?.labels).to.deep.equal({
      orb_namespace: 'acme',
      orb_id: 'acme.x@1.0.0',
      provider: 'sendgrid',
      source: 'traffic',
      le: '0.005',
    });
    expect(named(samples, 'orb_provider_request_duration_seconds_count').map(({ value }) => value)).to.deep.equal([5]);
    expect(named(samples, 'orb_provider_request_duration_seconds_sum')[0]?.value).to.be.closeTo(241.0141, 1e-9);
  });

  it('counts every attempt, and times only success and timeout', async () => {
    const { metrics, read } = setUp();
    const provider = metrics.provider('acme', 'acme.x@1.0.0', 'sendgrid');
    for (const outcome of [
      'success',
      'error',
      'timeout',
      'rate_limited',
      'client_error',
      'cancelled',
      'blocked',
      'error',
    ] as const) {
      provider.attempt(outcome, 1);
    }
    provider.transportError('tls');
    const samples = await read();
    const counts = named(samples, 'orb_provider_requests_total').map(({ labels, value }) => [
      labels['outcome'],
      labels['source'],
      value,
    ]);
    expect(counts).to.have.deep.members(OUTCOMES.map((outcome) => [outcome, 'traffic', outcome === 'error' ? 2 : 1]));
    expect(named(samples, 'orb_provider_request_duration_seconds_count')[0]?.value).to.equal(2);
    const transport = named(samples, 'orb_provider_transport_errors_total').map(({ labels, value }) => [
      labels['kind'],
      value,
    ]);
    expect(transport).to.deep.equal([
      ['dns', 0],
      ['connect', 0],
      ['tls', 1],
    ]);
  });

  it('has every child of an Orb with swap_config at 0 before its first attempt, and none of another', async () => {
    const { metrics, read } = setUp();
    metrics.setOrb({ namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a', 'b'], swaps: true });
    metrics.setOrb({ namespace: 'acme', orbId: 'acme.y@1.0.0', providers: ['a'], swaps: false });
    const samples = ofOrbs(await read());
    expect(samples.every(({ value }) => value === 0)).to.equal(true);
    const children = named(samples, 'orb_provider_requests_total').map(({ labels }) =>
      [labels['orb_id'], labels['provider'], labels['outcome']].join(' '),
    );
    expect(children.toSorted()).to.deep.equal(
      ['a', 'b'].flatMap((provider) => OUTCOMES.map((outcome) => `acme.x@1.0.0 ${provider} ${outcome}`)),
    );
  });

  it('keeps the children of a gone Orb or provider for 10 minutes, and not longer', async () => {
    const { metrics, read, advance } = setUp();
    const orb = { namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a', 'b'], swaps: true };
    metrics.setOrb(orb);
    metrics.redactions('acme', orb.orbId, 2);
    metrics.setOrb({ ...orb, providers: ['a'] });
    const providers = async (): Promise<readonly unknown[]> =>
      [...new Set(ofOrbs(await read()).map(({ labels }) => labels['provider'] ?? 'redactions'))].toSorted();
    advance(10 * MINUTE - 1);
    expect(await providers()).to.deep.equal(['a', 'b', 'redactions']);
    advance(1);
    expect(await providers()).to.deep.equal(['a', 'redactions']);
    metrics.removeOrb('acme', orb.orbId);
    advance(10 * MINUTE - 1);
    expect(await providers()).to.deep.equal(['a', 'redactions']);
    advance(1);
    expect(await providers()).to.deep.equal([]);
  });

  it('keeps the counts of an Orb that comes back in time', async () => {
    const { metrics, read, advance } = setUp();
    const orb = { namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a'], swaps: true };
    metrics.setOrb(orb);
    metrics.provider('acme', orb.orbId, 'a').attempt('success', 1);
    metrics.removeOrb('acme', orb.orbId);
    advance(9 * MINUTE);
    metrics.setOrb(orb);
    advance(9 * MINUTE);
    expect(named(await read(), 'orb_provider_request_duration_seconds_count').map(({ value }) => value)).to.deep.equal([
      1,
    ]);
  });

  it('gives an Orb that goes a second time its 10 minutes again', async () => {
    const { metrics, read, advance } = setUp();
    const orb = { namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a'], swaps: true };
    for (let round = 0; round < 2; round += 1) {
      metrics.setOrb(orb);
      metrics.removeOrb('acme', orb.orbId);
      advance(9 * MINUTE);
    }
    expect(ofOrbs(await read())).to.not.have.length(0);
    advance(MINUTE);
    expect(ofOrbs(await read())).to.have.length(0);
  });

  it('forgets in time what a run counted for an Orb that was gone already', async () => {
    const { metrics, read, advance } = setUp();
    metrics.provider('acme', 'acme.gone@1.0.0', 'a').attempt('success', 1);
    expect(ofOrbs(await read())).to.not.have.length(0);
    advance(10 * MINUTE);
    expect(ofOrbs(await read())).to.have.length(0);
  });

  it('escapes label values', async () => {
    const { metrics, read } = setUp();
    metrics.provider('acme', 'acme.x@1.0.0', 'a"b\\c\nd').attempt('success', 1);
    expect(named(await read(), 'orb_provider_requests_total')[0]?.labels['provider']).to.equal(String.raw`a\"b\\c\nd`);
  });

  it('counts runs with every outcome from the start, requests, redactions, and reads the rest', async () => {
    const { metrics, read } = setUp();
    metrics.run('success', 0.2);
    metrics.http('/orbisets/{id}/execute', 200);
    metrics.http('/orbisets/{id}/execute', 200);
    metrics.redactions('acme', 'acme.x@1.0.0', 3);
    const samples = await read();
    const value = (name: string): number | undefined => named(samples, name)[0]?.value;
    const runs: Record<string, number> = {};
    for (const sample of named(samples, 'orb_runs_total')) runs[sample.labels['outcome'] ?? ''] = sample.value;
    expect(runs).to.deep.equal({
      success: 1,
      orb_error: 0,
      timeout: 0,
      policy_denied: 0,
      caller_error: 0,
      platform_error: 0,
    });
    expect(named(samples, 'orb_http_requests_total')).to.deep.equal([
      { name: 'orb_http_requests_total', labels: { route: '/orbisets/{id}/execute', status: '200' }, value: 2 },
    ]);
    expect(named(samples, 'orb_redactions_total')).to.deep.equal([
      { name: 'orb_redactions_total', labels: { orb_namespace: 'acme', orb_id: 'acme.x@1.0.0' }, value: 3 },
    ]);
    expect(named(samples, 'orb_api_key_expiry_timestamp_seconds')).to.deep.equal([
      { name: 'orb_api_key_expiry_timestamp_seconds', labels: { keyid: 'Ab3dEf6h' }, value: 1_800_000_000 },
    ]);
    expect(
      [
        'orb_run_duration_seconds_count',
        'orb_runs_in_flight',
        'orb_ledger_queued_rows',
        'orb_ledger_oldest_row_seconds',
        'orb_ledger_commits_total',
        'orb_ledger_committed_rows_total',
        'orb_log_size',
        'orb_ledger_tenant_bytes',
        'orb_ledger_tenant_rows',
        'orb_egress_exceptions',
        'orb_build_info',
      ].map(value),
    ).to.deep.equal([1, 2, 3, 1.5, 4, 50, 7, 5000, 4, 1, 1]);
    expect(value('process_resident_memory_bytes')).to.be.above(0);
  });

  it('counts the time in which the event loop runs code', async () => {
    let busyMs = 30;
    const { registry } = createProcessMetrics('1.2.3', { busyMs: () => busyMs });
    const seen = async (): Promise<string | undefined> =>
      /^orb_event_loop_busy_seconds_total (.*)$/m.exec(await registry.metrics())?.[1];
    const first = await seen();
    busyMs = 1500;
    expect([first, await seen()]).to.deep.equal(['0.03', '1.5']);
    const { read } = setUp();
    expect(named(await read(), 'orb_event_loop_busy_seconds_total')[0]?.value).to.be.above(0);
  });

  it('of an idle process are without the lag of the event loop, whose timer would wake it 100 times a second', async () => {
    const [all, without] = [await namesOfNode(true), await namesOfNode(false)];
    const lag = all.filter((name) => name.startsWith('nodejs_eventloop_lag_'));
    expect(lag).to.have.length(8);
    expect(without).to.deep.equal(all.filter((name) => !lag.includes(name)));
  });

  it('can be read while the ledger is away, and when a key is gone', async () => {
    let keys = [{ keyId: 'Ab3dEf6h', expiresAt: 1 }];
    const { read } = setUp({ logSize: () => Promise.reject(new Error('away')), apiKeys: () => keys });
    expect(named(await read(), 'orb_api_key_expiry_timestamp_seconds')).to.have.length(1);
    keys = [];
    expect(named(await read(), 'orb_api_key_expiry_timestamp_seconds')).to.have.length(0);
  });

  it('reads the largest tenants once for a scrape, and again for the next one', async () => {
    let reads = 0;
    const tenants = (): ReturnType<MetricSources['tenants']> => {
      reads += 1;
      return reads === 2
        ? Promise.reject(new Error('away'))
        : Promise.resolve([{ tenant: 'acme', rows: reads, bytes: 10 * reads }]);
    };
    const { metrics, read } = setUp({ tenants });
    const values = async (): Promise<unknown> => {
      const samples = await read();
      return [reads, ...['rows', 'bytes'].map((what) => named(samples, `orb_ledger_tenant_${what}`)[0]?.value)];
    };
    expect(await values()).to.deep.equal([1, 1, 10]);
    expect(await values()).to.deep.equal([2, 1, 10]);
    expect(await values()).to.deep.equal([3, 3, 30]);
    await metrics.registry.metrics();
    expect(reads).to.equal(4);
  });

  it('has no label that collides with those of a scrape target', async () => {
    const { metrics, read } = setUp();
    metrics.setOrb({ namespace: 'acme', orbId: 'acme.x@1.0.0', providers: ['a'], swaps: true });
    const names = new Set((await read()).flatMap(({ labels }) => Object.keys(labels)));
    expect(['namespace', 'pod', 'instance', 'job'].filter((name) => names.has(name))).to.deep.equal([]);
  });

  it('lets others have a turn while it prints many Orbs', async () => {
    const { metrics } = setUp();
    for (let orb = 0; orb < 1000; orb += 1) {
      metrics.setOrb({ namespace: 'acme', orbId: `acme.orb-${orb}@1.0.0`, providers: ['a', 'b'], swaps: true });
    }
    let turns = 0;
    let slices = 0;
    const tick = (): void => {
      turns += 1;
      timer = setImmediate(tick);
    };
    let timer = setImmediate(tick);
    for await (const slice of metrics.slices()) slices += slice.length > 0 ? 1 : 0;
    clearImmediate(timer);
    expect(slices).to.be.above(3);
    expect(turns).to.be.at.least(slices - 2);
  });
});
