import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { startAlertmanager, type RunningAlertmanager } from '../../../hack/prometheus/alertmanager.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { secret } from '../../support/cluster-objects.ts';
import { orbManifest } from '../../support/orbs.ts';
import { sourceObject } from '../../support/signal-sources.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const ORB = 'acme.mailer@1.2.0';
const TOKEN = 'am-token-0001';

const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: unknown) => isJsonObject(item)) : [];

describe('a real Alertmanager that sends to the platform', function suite() {
  this.timeout(90_000);
  const data = temporaryFolder();
  let standalone: Standalone;
  let alertmanager: RunningAlertmanager | undefined;

  const read = async (path: string): Promise<readonly JsonObject[]> => {
    const body: unknown = await (await standalone.get(path)).json();
    return isJsonObject(body) ? objectsOf(body['items']) : [];
  };
  /** Tells Alertmanager of the alert, as Prometheus does. */
  const tell = async (times: Readonly<Record<string, string>>): Promise<void> => {
    const labels = { alertname: 'OrbHighErrorRate', severity: 'critical', orb_id: ORB };
    const alert = {
      labels,
      annotations: { summary: 'error rate 12 %' },
      generatorURL: 'https://prom.example/x',
      ...times,
    };
    const answer = await fetch(`${alertmanager?.url ?? ''}/api/v2/alerts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([alert]),
    });
    expect(answer.status, await answer.text()).to.equal(200);
  };
  const startsAt = new Date(Date.now() - 60_000).toISOString();

  before(async () => {
    standalone = await startStandalone({
      data,
      resources: {
        'mailer.json': orbManifest(ORB, { url: 'https://api.sendgrid.example/send' }),
        'source.json': JSON.stringify(
          sourceObject('am', {
            type: 'alertmanager',
            mode: 'Active',
            auth: { secretRefs: [{ name: 'hook', key: 'token' }] },
            effects: { quietPeriod: '1s' },
          }),
        ),
        'secret.json': JSON.stringify(secret('hook', { token: TOKEN })),
      },
    });
    const source: unknown = await (await standalone.get('/signal-sources/default/am')).json();
    const path = isJsonObject(source) && typeof source['url_path'] === 'string' ? source['url_path'] : '';
    alertmanager = await startAlertmanager({ url: `${standalone.ready.url}${path}`, bearer: TOKEN });
  });
  after(async () => {
    await alertmanager?.stop();
    await standalone.stop();
    rmSync(data, { recursive: true });
  });

  it('opens an incident when it fires, which its Orb shows', async () => {
    await tell({ startsAt });
    const [incident, ...more] = await lastAnswer(
      () => read('/incidents'),
      (items) => items.length > 0,
    );
    expect(more, alertmanager?.tail()).to.deep.equal([]);
    expect(incident).to.include({ status: 'open', severity: 'critical', orb_id: ORB, title: 'error rate 12 %' });
    expect(incident?.['sources']).to.deep.equal(['default/am']);
    const status: unknown = await (await standalone.get(`/providers/${ORB}/status`)).json();
    const shown = isJsonObject(status) ? objectsOf(status['incidents']) : [];
    expect(shown.map(({ incident_id: id }) => id)).to.deep.equal([incident?.['incident_id']]);
  });

  it('ends the same incident when it resolves, and leaves no dead letter', async () => {
    const [open] = await read('/incidents');
    await tell({ startsAt, endsAt: new Date(Date.now() - 1000).toISOString() });
    const items = await lastAnswer(
      () => read('/incidents'),
      (found) => found[0]?.['status'] === 'resolved',
    );
    expect(items.map(({ incident_id: id, status }) => [id, status])).to.deep.equal([
      [open?.['incident_id'], 'resolved'],
    ]);
    const signals = await read('/signals');
    const statuses = signals.map(
      ({ event }) => isJsonObject(event) && isJsonObject(event['data']) && event['data']['status'],
    );
    expect(statuses).to.deep.equal(['resolved', 'firing']);
    expect(await read('/dead-letters')).to.deep.equal([]);
  });
});
