import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import type { SwapRecord } from '../../core/failover/types.ts';
import { at } from '../chaos/rig/json.ts';
import { waitFor } from '../support/cluster.ts';
import { say } from '../support/e2e/node.ts';
import { rootKey } from './support/ledger-check.ts';
import { startLoad } from './support/load.ts';
import { SCRAPE, startPrometheusPod, type PrometheusPod } from './support/prometheus-pod.ts';
import { executionOf, loadOrb, TENANT } from './support/provider-pods.ts';
import { ensureRelease } from './support/release.ts';
import { setStage, type Stage } from './support/stage.ts';

const ORB = 'lookup';
const ORB_ID = `load.${ORB}@1.0.0`;
const RATE = 10;
const SLOW_MS = 1500;
// Half of the window of two minutes, so that there is something to compare with.
const WELL_MS = 60_000;
const SWAP_MS = 180_000;
const SETTLE_MS = 5000;
const COUNTED_MS = 60_000;

const lookupOrb = (): object =>
  loadOrb(ORB, {
    provider: 'alpha',
    effect: 'none',
    execution: executionOf('alpha', 'GET'),
    providers: { beta: { execution: executionOf('beta', 'GET') } },
    swap_config: {
      primary: 'alpha',
      fallbacks: ['beta'],
      strategy: 'latency',
      latency: { threshold_ms: 500, consecutive: 3, evaluation_interval: '15s' },
      dwell: { min: '15s', hold_down: '135s', multiplier: 1, jitter: 0, max_swaps_per_hour: 20 },
      probe: { interval: SCRAPE, max_per_hour: 3600, inputs: { id: 'probe' } },
    },
  });

describe('failover by the latency that Prometheus sees', function () {
  this.timeout(600_000);
  let stage: Stage;
  let prometheus: PrometheusPod;
  before(async () => {
    stage = await setStage({ providers: ['alpha', 'beta'] });
    prometheus = await startPrometheusPod();
    await ensureRelease({ ...stage.providers.values, prometheus: { url: prometheus.url, scrapeInterval: SCRAPE } });
    await stage.providers.tenant.apply(lookupOrb());
    await stage.providers.tenant.kubectl('wait', `orb/${ORB}`, '--for=condition=Ready', '--timeout=60s');
  });
  after(async () => {
    await prometheus.close();
    await stage.close();
  });

  const history = async (): Promise<readonly SwapRecord[]> =>
    readFailoverStatus(at((await stage.providers.tenant.get(`orb/${ORB}`))?.status, 'failover'))?.history ?? [];

  const swapped = async (): Promise<SwapRecord | undefined> => (await history()).find(({ to }) => to === 'beta');

  const counted = async (query: string): Promise<true | undefined> =>
    (await prometheus.count(query)) > 0 ? true : undefined;

  const checkReceipt = async (receiptId: string): Promise<void> => {
    const file = `${stage.api.folder}/swap.json`;
    const got = await stage.api.orb('receipts', 'get', receiptId, '--namespace', TENANT, '--bundle', file);
    expect(got.code, got.stderr).to.equal(0);
    const { stdout, stderr } = await stage.api.orb('verify', file, '--explain', '--root', await rootKey(stage.api));
    expect(`${stdout}${stderr}`).to.contain('follows from the evidence');
  };

  it('is scraped, and the rules of the chart compute', async () => {
    await prometheus.untilScraping();
    const load = startLoad(stage.api, ORB_ID, RATE);
    await delay(SETTLE_MS);
    await load.stop();
    const series = `orb:provider_latency_seconds:p95_2m{orb_id="${ORB_ID}"}`;
    expect(await waitFor(() => counted(series), COUNTED_MS), series).to.equal(true);
    // Pending too: their conditions have to last longer than this test.
    expect(await prometheus.count('ALERTS{severity="critical"}')).to.equal(0);
  });

  it('swaps the slow provider, and says so in status, Event and receipt', async () => {
    const [alpha] = stage.providers.all;
    const load = startLoad(stage.api, ORB_ID, RATE);
    await delay(WELL_MS);
    expect(new Set(load.runs.map(({ provider }) => provider))).to.deep.equal(new Set(['alpha']));
    await alpha?.take(SLOW_MS);
    const slow = Date.now();
    const swap = await waitFor(swapped, SWAP_MS);
    await delay(SETTLE_MS);
    const before = load.runs.length;
    await delay(SETTLE_MS);
    const { runs, failed } = await load.stop();
    expect(failed, 'failed runs').to.deep.equal([]);
    expect(swap?.reason).to.equal('latency');
    say(`      swapped ${(((swap?.at ?? Infinity) - slow) / 1000).toFixed(1)} s after the first slow answer`);
    expect(new Set(runs.slice(before).map(({ provider }) => provider))).to.deep.equal(new Set(['beta']));
    const { body } = await stage.api.get(
      `/providers/${encodeURIComponent(ORB_ID)}/status?namespace=${TENANT}`,
      AbortSignal.timeout(5000),
    );
    expect(['active_provider', 'state', 'reason'].map((name) => at(body, name))).to.deep.equal([
      'beta',
      'failed_over',
      'latency',
    ]);
    const events = await stage.providers.tenant.list('events.events.k8s.io');
    expect(events.filter((event) => at(event, 'reason') === 'ProviderChanged').length, 'Events').to.equal(1);
    await checkReceipt(swap?.receiptId ?? '');
  });
});
