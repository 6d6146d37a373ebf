import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../../adapters/api-keys/files.ts';
import { openProcessLog } from '../../../adapters/telemetry/process-log.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import type { ProberSettings } from '../../../api-server/status-prober/settings.ts';
import { startProber, type RunningProber } from '../../../api-server/status-prober/start.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { freePort } from '../../../hack/control-plane/free-port.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const WAIT_MS = 30_000;
const LOOPBACK = { host: '127.0.0.1', port: 0 };
const NAMESPACE = 'orb-system';

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const objectsOf = (value: unknown): readonly JsonObject[] => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map(objectOf);
};
const servicesOf = (page: JsonObject): JsonObject => objectOf(page['services']);

const read = async (url: string, path = '/status'): Promise<JsonObject> =>
  objectOf(await (await fetch(`${url}${path}`)).json());
const isOut = (page: JsonObject): boolean => servicesOf(page)['runtime'] === 'major_outage';
const isBack = (page: JsonObject): boolean => servicesOf(page)['runtime'] === 'operational';

const until = (url: () => string, wanted: (page: JsonObject) => boolean): Promise<JsonObject> =>
  lastAnswer(async () => read(url()).catch(() => ({})), wanted, WAIT_MS);

/** Seconds in which runs failed, on the days of an answer. */
const outageOf = (page: JsonObject): number =>
  objectsOf(page['days'])
    .map((day) => Number(objectOf(objectOf(day['services'])['runtime'])['major_s']))
    .reduce((sum, seconds) => sum + seconds, 0);

/** Rounds that meet the stop or the start of the API, with the time in which their checks wait. */
const ROUNDS_S = 5;
/** The last round holds on for a while; less of it stays when no other one follows. */
const HELD_S = 4;

/** What the chart makes for the prober. */
const canary = (port: number): string => `apiVersion: orbs.dev/v1alpha1
kind: Orbiset
metadata: { name: orb-canary, namespace: ${NAMESPACE} }
spec: {}
---
apiVersion: orbs.dev/v1alpha1
kind: Orb
metadata: { name: orbs.canary-1.0.0, namespace: ${NAMESPACE} }
spec:
  orb_id: orbs.canary@1.0.0
  provider: prober
  inputs: { text: { type: string, required: true } }
  outputs: { text: { type: string, from: /body/text } }
  execution:
    type: http
    method: POST
    url: http://127.0.0.1:${port}/v1/echo
    headers: { Content-Type: application/json }
    body_template: '{"text":"{{inputs.text}}"}'
    idempotent: true
`;

describe('the prober of the status', () => {
  const folder = temporaryFolder();
  let api: Standalone;
  let prober: RunningProber;
  let settings: ProberSettings;
  const log = openProcessLog('error');

  const atProber = (): string => prober.url;
  const atApi = (): string => api.ready.url;
  before(async () => {
    const providerPort = await freePort();
    api = await startStandalone({
      data: folder,
      resources: { 'canary.yaml': canary(providerPort) },
      flags: ['--egress-allow', `http://127.0.0.1:${providerPort}`],
    });
    const scopes = ['orbs:execute', 'receipts:read', 'reputation:read', 'status:report'] as const;
    const newKey = { tenants: [NAMESPACE], scopes, createdBy: 'a test' };
    const { text } = await createApiKey(join(api.data, 'api-keys'), newKey, { now: Date.now(), random: randomBytes });
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, text);
    settings = {
      api: api.ready.url,
      apiMetrics: new URL(api.ready.metrics_url).origin,
      apiCa: undefined,
      tokenFile,
      operatorMetrics: undefined,
      namespace: NAMESPACE,
      intervalMs: 1500,
      deadlineMs: 400,
      journal: join(folder, 'journal'),
      sourceSecretFile: undefined,
      controls: { dnsName: undefined, kubeApi: undefined, prometheus: undefined },
      listen: LOOPBACK,
      providerListen: { ...LOOPBACK, port: providerPort },
      metricsListen: LOOPBACK,
      tls: undefined,
      isBehindTlsProxy: false,
      identity: 'orb-status-prober-1',
      readyFile: undefined,
      logLevel: 'error',
    };
    prober = await startProber(settings, { clock: systemClock, log });
  });
  after(async () => {
    api.child.kill('SIGCONT');
    await prober.stop();
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('shows the same as the API, which learns it from the prober', async () => {
    for (const place of [atProber, atApi]) {
      const page = await until(place, isBack);
      expect(servicesOf(page)).to.deep.equal({
        runtime: 'operational',
        reputation_ledger: 'operational',
        observable_engine: 'operational',
        ingestion: 'unknown',
      });
    }
    expect(prober.missing()).to.deep.equal([]);
  });

  it('answers while the API is away, shows what is out, and tells the outage with its times later', async () => {
    const stoppedAt = Date.now();
    api.child.kill('SIGSTOP');
    const out = await until(atProber, (page) => isOut(page) && objectsOf(page['incidents']).length >= 2);
    expect(servicesOf(out)).to.deep.include({ runtime: 'major_outage', reputation_ledger: 'major_outage' });
    // There was no run that could have been measured, and no swap loop is looked at.
    await until(atProber, (page) => servicesOf(page)['observable_engine'] !== 'major_outage');
    const waiting = await lastAnswer(
      async () => (await fetch(prober.metricsUrl)).text(),
      (text) => /^orb_status_rounds_waiting [1-9]/m.test(text),
      WAIT_MS,
    );
    expect(waiting).to.match(
      /^orb_status_probe_failures_total\{service="runtime",check="execute",code="timeout"\} [1-9]/m,
    );
    api.child.kill('SIGCONT');
    const continuedAt = Date.now();
    await until(atApi, isBack);
    const headers = { authorization: `Bearer ${api.ready.api_key}` };
    expect((await fetch(`${atApi()}/status/intervals`, { headers })).status, 'a key without the scope').to.equal(403);
    const days = await lastAnswer(
      () => read(atApi(), '/status/days?days=2'),
      (page) => objectsOf(page['incidents']).length >= 2,
      WAIT_MS,
    );
    const outage = outageOf(days);
    expect(outage).to.be.within(
      (continuedAt - stoppedAt) / 1000 - ROUNDS_S,
      (continuedAt - stoppedAt) / 1000 + ROUNDS_S,
    );
  });

  it('knows the history of the API after a restart, and tells what an earlier process could not', async () => {
    api.child.kill('SIGSTOP');
    await until(atProber, isOut);
    const before = await read(prober.url, '/status/days?days=2');
    await prober.stop();
    prober = await startProber(settings, { clock: systemClock, log });
    await until(atProber, isOut);
    api.child.kill('SIGCONT');
    await until(atProber, isBack);
    for (const place of [atProber, atApi]) {
      const page = await lastAnswer(
        () => read(place(), '/status/days?days=2'),
        (days) => outageOf(days) >= outageOf(before) - HELD_S,
        WAIT_MS,
      );
      expect(outageOf(page)).to.be.at.least(outageOf(before) - HELD_S);
    }
  });
});
