import { expect } from 'chai';
import { readDashboards } from '../../../hack/dashboard/dashboards.ts';
import { linesOf } from '../../../hack/dashboard/panel-lines.ts';
import { queryRange, type Span } from '../../../hack/dashboard/prometheus-query.ts';
import { auditRuns } from '../../failover-run/audit.ts';
import { startLoad, untilServed, type Load } from '../../failover-run/load.ts';
import { publishOrbs } from '../../failover-run/publish.ts';
import { startWebhooks, type Webhooks } from '../../failover-run/webhooks.ts';
import { startWorld, untilReady, type World } from '../../failover-run/world.ts';
import { lastAnswer } from '../../support/wait-for.ts';

/** What this Prometheus can't have seen: it scrapes no kubelet and no prober. */
const EMPTY = [
  'ledger: Volume',
  'status: Since the last round',
  'status: Failed checks',
  'status: Uptime',
  'status: Time of a check',
  'status: Repeated checks',
  'status: Age of the last round',
  'status: Rounds waiting',
];
const WAIT_MS = 120_000;
const PAST_S = 60;

const lately = (): Span => {
  const to = Math.floor(Date.now() / 1000);
  return { from: to - PAST_S, to, step: 5 };
};

describe('dashboards over a real Prometheus', function suite() {
  this.timeout(300_000);
  let world: World;
  let load: Load;
  let webhooks: Webhooks;

  /** Panels without a single series. @throws Error a query was refused */
  async function emptyPanels(): Promise<readonly string[]> {
    const source = { url: world.prometheusUrl, rateInterval: '30s', nameOf: (instance: string) => instance };
    const empty: string[] = [];
    for (const { name, panels } of readDashboards())
      for (const panel of panels.filter(({ type }) => type !== 'row'))
        if ((await linesOf(panel, source, lately())).length === 0) empty.push(`${name}: ${panel.title}`);
    return empty;
  }

  before(async () => {
    world = await startWorld();
    await world.runOperator('query');
    await untilReady(world);
    const target = { url: world.api.url, apiKey: world.apiKey };
    await untilServed(target);
    await publishOrbs(world);
    await auditRuns(world);
    webhooks = await startWebhooks(world);
    load = startLoad(target, 5);
  });

  after(async () => {
    await load?.stop();
    await webhooks?.stop();
    await world?.close(false);
  });

  it('have a series in every panel, once the platform is at work', async () => {
    const empty = await lastAnswer(emptyPanels, ({ length }) => length <= EMPTY.length, WAIT_MS, 1000);
    expect(empty).to.deep.equal(EMPTY);
  });

  it('would show a query that Prometheus refuses', async () => {
    const refused = await queryRange(world.prometheusUrl, 'sum(', lately()).catch(String);
    expect(refused).to.include('parse error');
  });
});
