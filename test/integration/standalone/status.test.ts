import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const WAIT_MS = 20_000;
const SERVICES = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});

describe('the status of standalone', () => {
  let data: string;
  let running: Standalone;
  const start = async (): Promise<void> => {
    running = await startStandalone({ data, flags: ['--status-interval=10s'] });
  };
  const page = async (): Promise<JsonObject> => objectOf(await (await fetch(`${running.ready.url}/status`)).json());
  const measured = (isEnough: (body: JsonObject) => boolean): Promise<JsonObject> =>
    lastAnswer(page, isEnough, WAIT_MS);

  before(async () => {
    data = temporaryFolder();
    await start();
  });
  after(async () => {
    await running.stop();
    rmSync(data, { recursive: true, force: true });
  });

  it('is measured by its own runs, for a client that knows the specification alone', async () => {
    const body = await measured((found) => typeof found['uptime_30d_pct'] === 'number');
    expect(body['status']).to.equal('operational');
    expect(body['uptime_30d_pct']).to.equal(100);
    expect(body['incidents']).to.deep.equal([]);
    expect(objectOf(body['services'])).to.deep.equal(Object.fromEntries(SERVICES.map((name) => [name, 'operational'])));
    expect(body['last_updated']).to.match(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
  });

  it('runs the canary in the namespace of the platform, where the person at this machine sees nothing of it', async () => {
    const receipts = objectOf(await (await running.get('/receipts')).json());
    expect(receipts['items']).to.deep.equal([]);
    const metrics = await (await fetch(running.ready.metrics_url)).text();
    expect(metrics).to.match(/^orb_status_service_state\{service="runtime",state="operational"\} 1$/m);
    expect(metrics).to.match(/orb_namespace="orb-system",orb_id="orbs\.canary@1\.0\.0"/);
    expect(metrics).to.match(/^orb_status_rounds_waiting 0$/m);
  });

  it('goes on after a restart: the time before is known, the time between is not', async () => {
    const before = await page();
    expect(await running.stop()).to.equal(0);
    await start();
    const after = await measured(({ last_updated: at }) => textOf(at) > textOf(before['last_updated']));
    expect(after['uptime_30d_pct']).to.equal(100);
    const days = objectOf(await (await fetch(`${running.ready.url}/status/days?days=1`)).json());
    const list: readonly unknown[] = Array.isArray(days['days']) ? days['days'] : [];
    const [today] = list;
    const { up_s: up, unknown_s: unknown } = objectOf(objectOf(objectOf(today)['services'])['runtime']);
    expect(Number(up)).to.be.greaterThan(0);
    expect(Number(unknown)).to.be.greaterThan(0);
  });
});
