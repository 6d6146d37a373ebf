import { expect } from 'chai';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import type { OrbSignalSourceSpec } from '../../../crds/orbsignalsource.ts';
import { secret } from '../../support/cluster-objects.ts';
import { orbManifest } from '../../support/orbs.ts';
import { sourceObject } from '../../support/signal-sources.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { unlessOverloaded } from '../../support/unless-overloaded.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Texts that stand nowhere else; tokens of paths are letters and digits. */
const canary = (name: string): string => `canary0${name}0secret0value0of0a0test`;
const hex = (algorithm: 'md5' | 'sha256', text: string): string => createHash(algorithm).update(text).digest('hex');

interface Sender {
  readonly spec: Omit<OrbSignalSourceSpec, 'auth' | 'mode'> & { readonly auth?: Partial<OrbSignalSourceSpec['auth']> };
  /** What proves that a body comes from the sender. */
  readonly proof: (body: string) => { readonly headers?: Readonly<Record<string, string>>; readonly token?: string };
  /** Two bodies: one that is used, and one that becomes a dead letter. */
  readonly bodies?: readonly [good: string, bad: string];
  /** What may be shown nowhere beside the secret. */
  readonly hidden?: readonly string[];
}

const alerts = (orb: string): string =>
  JSON.stringify({
    alerts: [{ status: 'firing', labels: { alertname: 'a', orb_id: orb, severity: 'critical' }, fingerprint: orb }],
  });
const GOOD = 'orb.echo@1.0.0';
const form = (fields: Readonly<Record<string, string>>): string => new URLSearchParams(fields).toString();
const statusCake = (tag: string): string =>
  form({ Token: hex('md5', canary('md5')), Status: 'Down', Name: 'mailer', TestID: '1', Tags: `orb_id:${tag}` });
const MAPPING = {
  items: 'payload.alerts',
  fields: {
    status: 'item.status',
    title: 'item.labels.alertname',
    labels: 'item.labels',
    fingerprint: 'item.fingerprint',
    severity: "'critical'",
  },
};
const datadog = (orb: string): string => {
  const fields = { id: '1', alert_id: '1', aggreg_key: orb, transition: 'Triggered', alert_type: 'error', title: 'a' };
  return JSON.stringify({ orb_template: 'datadog/1', ...fields, tags: `orb_id:${orb}` });
};

const SENDERS: Readonly<Record<string, Sender>> = {
  bearer: {
    spec: { type: 'alertmanager' },
    proof: () => ({ headers: { authorization: `Bearer ${canary('bearer')}` } }),
  },
  basic: {
    spec: { type: 'alertmanager', auth: { scheme: 'basic' } },
    proof: () => ({ headers: { authorization: `Basic ${Buffer.from(canary('basic')).toString('base64')}` } }),
    hidden: [Buffer.from(canary('basic')).toString('base64')],
  },
  header: {
    spec: { type: 'datadog' },
    proof: () => ({ headers: { 'X-Orb-Token': canary('header') } }),
    bodies: [datadog(GOOD), datadog('no.such@1.0.0')],
  },
  // The name of its header tells nobody that it is a credential.
  named: {
    spec: { type: 'custom', mapping: MAPPING, auth: { scheme: 'header', signatureHeader: 'X-Hook-Pass' } },
    proof: () => ({ headers: { 'X-Hook-Pass': canary('named') } }),
  },
  path: {
    spec: { type: 'custom', mapping: MAPPING, auth: { scheme: 'urlToken' } },
    proof: () => ({ token: canary('path') }),
  },
  md5: {
    spec: { type: 'statuscake' },
    proof: () => ({ headers: { 'content-type': FORM_TYPE } }),
    bodies: [statusCake(GOOD), statusCake('no.such@1.0.0')],
    hidden: [hex('md5', canary('md5'))],
  },
  hmac: {
    spec: { type: 'grafana' },
    proof: (body) => ({
      headers: { 'X-Grafana-Alerting-Signature': createHmac('sha256', canary('hmac')).update(body).digest('hex') },
    }),
    hidden: [alerts(GOOD), alerts('no.such@1.0.0')].map((body) =>
      createHmac('sha256', canary('hmac')).update(body).digest('hex'),
    ),
  },
};
const NAMES = Object.keys(SENDERS);

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** All files of a folder in one. */
const bytesOf = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name))),
  );

describe('secrets of senders', function suite() {
  this.timeout(60_000);
  const data = temporaryFolder();
  let standalone: Standalone;

  before(async () => {
    const sources = NAMES.map((name) => {
      const { auth, ...spec } = SENDERS[name]?.spec ?? { type: 'custom' };
      const secretRefs = [{ name: `hook-${name}`, key: 'current' }];
      return [
        sourceObject(name, { ...spec, mode: 'Active', auth: { ...auth, secretRefs } }),
        secret(`hook-${name}`, { current: canary(name) }),
      ];
    });
    standalone = await startStandalone({
      data,
      resources: {
        'sources.yaml': sources
          .flat()
          .map((object) => JSON.stringify(object))
          .join('\n---\n'),
        'echo.json': orbManifest(GOOD, { url: 'https://echo.example/' }),
      },
      flags: ['--log-level', 'debug'],
    });
  });
  after(async () => {
    await standalone.stop();
    rmSync(data, { recursive: true });
  });

  const texts: string[] = [];
  const read = async (path: string): Promise<JsonObject> => {
    const answer = await standalone.get(path);
    const text = await answer.text();
    expect(answer.status, `${path}: ${text}`).to.equal(200);
    texts.push(text);
    return objectOf(JSON.parse(text));
  };
  const urlOf = async (name: string): Promise<string> => {
    const { url_path: path } = await read(`/signal-sources/default/${name}`);
    return `${standalone.ready.url}${typeof path === 'string' ? path : ''}`;
  };
  const send = async (url: string, init: RequestInit): Promise<number> => {
    const answer = await unlessOverloaded(() => fetch(url, init));
    texts.push(await answer.text(), JSON.stringify([...answer.headers]));
    return answer.status;
  };
  /** With what surrounds a delivery: proxies and pages repeat where it came from. */
  const post = async (name: string, body: string): Promise<number> => {
    const { headers = {}, token } = SENDERS[name]?.proof(body) ?? {};
    const url = `${await urlOf(name)}${token === undefined ? '' : `/${token}`}`;
    const around = { referer: url, cookie: `session=${canary(name)}`, 'x-api-key': canary(name) };
    return send(url, { method: 'POST', body, headers: { 'content-type': JSON_TYPE, ...around, ...headers } });
  };

  const dryRun = async (name: string): Promise<void> => {
    const body = SENDERS[name]?.bodies?.[1] ?? alerts(GOOD);
    const headers = { 'content-type': JSON_TYPE, ...SENDERS[name]?.proof(body).headers };
    const answer = await standalone.post(`/signal-sources/default/${name}/dry-run`, { headers, body, verify: true });
    texts.push(await answer.text());
  };

  it('verify deliveries that are used, and deliveries that become dead letters', async () => {
    for (const name of NAMES) {
      const [good, bad] = SENDERS[name]?.bodies ?? [alerts(GOOD), alerts('no.such@1.0.0')];
      expect([name, await post(name, good), await post(name, bad)]).to.deep.equal([name, 202, 202]);
    }
    const { items } = await lastAnswer(
      () => read('/dead-letters'),
      (page) => listOf(page['items']).length >= NAMES.length,
    );
    expect(listOf(items).length).to.equal(NAMES.length);
    expect(listOf((await read('/signals'))['items']).length).to.equal(NAMES.length);
    expect(listOf((await read('/incidents'))['items']).length).to.be.greaterThan(0);
  });

  it('are refused in wrong places', async () => {
    for (const name of NAMES) {
      const url = await urlOf(name);
      const [value, headers] = [canary(name), { 'content-type': JSON_TYPE }] as const;
      const wrong = [
        await send(`${url}x/${value}`, { method: 'POST', body: '{}', headers }),
        await send(`${url}?token=${value}`, { method: 'POST', body: '{}', headers }),
        await send(url, { method: 'POST', body: value, headers: { ...headers, authorization: `Basic ${value}` } }),
        await send(`${url}/${value}%zz`, { method: 'POST', body: '{}', headers }),
        await send(`${url}/${value}/more`, { method: 'PATCH', headers }),
        await send(`${standalone.ready.url}/signals?source=${value}`, {
          headers: { authorization: `Bearer ${value}` },
        }),
      ];
      expect(
        wrong.every((status) => status >= 400 && status < 500),
        wrong.join(),
      ).to.equal(true);
    }
  });

  it('stand in no log, metric, signal, incident, dead letter or file', async () => {
    for (const path of ['/signals', '/incidents', '/dead-letters', '/signal-sources']) {
      const { items } = await read(`${path}?limit=200`);
      for (const item of listOf(items)) {
        const { signal_id: signal, incident_id: incident, delivery_id: delivery } = objectOf(item);
        const id = path === '/dead-letters' ? delivery : (signal ?? incident);
        if (typeof id === 'string') await read(`${path}/${id}`);
      }
    }
    for (const name of NAMES) await dryRun(name);
    texts.push(await (await fetch(standalone.ready.metrics_url)).text());
    expect(texts.join('\n'))
      .to.include('"firing"')
      .and.to.include('no_entity')
      .and.to.include('orb_ingest_requests_total');
    expect(await standalone.stop()).to.equal(0);
    const shown = `${texts.join('\n')}\n${standalone.output()}`;
    const ledger = bytesOf(join(standalone.data, 'ledger'));
    const hidden = NAMES.flatMap((name) => [canary(name), ...(SENDERS[name]?.hidden ?? [])]);
    expect(hidden.filter((text) => shown.includes(text))).to.deep.equal([]);
    expect(hidden.filter((text) => ledger.includes(text))).to.deep.equal([]);
  });
});
