import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { readFailoverStatus } from '../../core/failover/status-codec.ts';
import type { SwapRecord } from '../../core/failover/types.ts';
import { at } from '../../hack/control-plane/json.ts';
import { say } from '../support/e2e/node.ts';
import { rootKey } from './support/ledger-check.ts';
import { startLoad } from './support/load.ts';
import { eventually } from './support/patience.ts';
import { SCRAPE, startPrometheusPod, type PrometheusPod } from './support/prometheus-pod.ts';
import { executionOf, loadOrb, TENANT } from './support/provider-pods.ts';
import { ensureRelease } from './support/release.ts';
import { setStage, type Stage } from './support/stage.ts';

const ORB = 'lookup';
const ORB_ID = `load.${ORB}@1.0.0`;
const RATE = 10;
// Far from what a machine without a free moment adds to answers of 20 ms.
const THRESHOLD_MS = 1000;
const SLOW_MS = 3000;
// Half of the window of two minutes, so that there is something to compare with.
const WELL_MS = 60_000;
const SWAP_MS = 360_000;
const SETTLE_MS = 5000;

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
      latency: { threshold_ms: THRESHOLD_MS, consecutive: 3, evaluation_interval: '15s' },
      dwell: { min: '15s', hold_down: '135s', multiplier: 1, jitter: 0, max_swaps_per_hour: 20 },
      probe: { interval: SCRAPE, max_per_hour: 3600, inputs: { id: 'probe' } },
    },
  });

describe('failover by the latency that Prometheus sees', function () {
  this.timeout(900_000);
  let stage: Stage;
  let prometheus: PrometheusPod;
  before(async () => {
    stage = await setStage({ providers: ['alpha', 'beta'] });
    prometheus = await startPrometheusPod();
    await ensureRelease({ ...stage.providers.values, prometheus: { url: prometheus.url, scrapeInterval: SCRAPE } });
    await stage.providers.tenant.apply(lookupOrb());
    await stage.providers.tenant.kubectl('wait', `orb/${ORB}`, '--for=condition=Ready', '--timeout=180s');
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
    expect(await eventually(() => counted(series)), series).to.equal(true);
    // Pending too: their conditions have to last longer than this test. One scrape that came late is over with the next.
    const quiet = async (): Promise<string | undefined> =>
      (await prometheus.count('ALERTS{severity="critical"}')) === 0 ? 'quiet' : undefined;
    expect(await eventually(quiet), 'critical alerts').to.equal('quiet');
    expect(await prometheus.count('ALERTS{severity="critical",alertstate="firing"}')).to.equal(0);
  });

  it('swaps the slow provider, and says so in status, Event and receipt', async () => {
    const [alpha] = stage.providers.all;
    const load = startLoad(stage.api, ORB_ID, RATE);
    await delay(WELL_MS);
    expect(new Set(load.runs.map(({ provider }) => provider))).to.deep.equal(new Set(['alpha']));
    await alpha?.take(SLOW_MS);
    const slow = Date.now();
    const swap = await eventually(swapped, SWAP_MS);
    await delay(SETTLE_MS);
    const settled = performance.now();
    await delay(SETTLE_MS);
    const { runs, failed } = await load.stop();
    expect(failed, 'failed runs').to.deep.equal([]);
    expect(swap?.reason).to.equal('latency');
    say(`      swapped ${(((swap?.at ?? Infinity) - slow) / 1000).toFixed(1)} s after the first slow answer`);
    const later = runs.filter(({ sentAt }) => sentAt > settled);
    expect(new Set(later.map(({ provider }) => provider))).to.deep.equal(new Set(['beta']));
    const { body } = await stage.api.get(`/providers/${encodeURIComponent(ORB_ID)}/status?namespace=${TENANT}`);
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
