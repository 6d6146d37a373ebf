import { createHmac } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { loadKeys } from '../../../adapters/keys/load-keys.ts';
import { hmacSha256 } from '../../../adapters/keys/primitives.ts';
import { sourceIdOf } from '../../../core/ingestion/source/source-id.ts';
import type { SourceAuth } from '../../../crds/orbsignalsource.ts';
import { unlessOverloaded } from '../../support/unless-overloaded.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { sampleBody } from '../../unit/core/ingestion/samples.ts';
import { SIGNED } from '../../unit/core/ingestion/verification/signed-cases.ts';

type Headers = Readonly<Record<string, string>>;

/** A vendor as a test sends for it. */
interface Vendor {
  readonly type: string;
  readonly secrets: readonly string[];
  readonly auth?: Omit<SourceAuth, 'secretRefs'>;
  /** Headers that prove the sender of these bytes. */
  readonly prove: (body: string) => Headers;
  readonly body: string;
  readonly pathToken?: string;
  readonly mediaType?: string;
}

const MINUTE_MS = 60_000;
/** What two rounds of deliveries and a restart between them may take on a busy machine. */
const RESTART_MS = 25_000;
const PATH_TOKEN = 'B7sx0q6GvBCDEFa1234567';
/** What may stand nowhere but in a request. */
const CANARIES = [PATH_TOKEN, 'am-token-0001', 'dd-token-0001', 'grafana-secret-0001', 'orb:mixpanel-pass'];
const WHSEC = 'whsec_b3JiLXN0YW5kYXJkLXdlYmhvb2tzLXNlY3JldC0zMmI=';

/** The headers of a sample as its vendor signed them. */
function signedHeaders(name: string): () => Headers {
  const [, found] = SIGNED.find(([title]) => title === name) ?? [];
  if (found === undefined) throw new Error(`no case ${name}`);
  return () => Object.fromEntries(found.headers);
}

const seconds = (): string => String(Math.floor(Date.now() / 1000));
const bearer = (token: string) => (): Headers => ({ authorization: `Bearer ${token}` });

function standardHeaders(body: string): Headers {
  const [id, at] = ['msg_2mU7Zt3kQd1yRz', seconds()];
  const key = Buffer.from(WHSEC.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
}

function slackHeaders(body: string): Headers {
  const at = seconds();
  const signature = createHmac('sha256', 'slack-signing-secret').update(`v0:${at}:${body}`).digest('hex');
  return { 'x-slack-request-timestamp': at, 'x-slack-signature': `v0=${signature}` };
}

const signed = (type: string, name: string, ...secrets: readonly string[]): Vendor => ({
  type,
  secrets,
  prove: signedHeaders(name),
  body: sampleBody(type),
});

const VENDORS: Readonly<Record<string, Vendor>> = {
  alertmanager: {
    type: 'alertmanager',
    secrets: ['am-token-0001'],
    prove: bearer('am-token-0001'),
    body: sampleBody('alertmanager'),
  },
  grafana: signed('grafana', 'Grafana', 'grafana-secret-0001'),
  pagerduty: signed('pagerduty', 'PagerDuty', 'pagerduty-secret-0002', 'pagerduty-secret-0001'),
  sentry: signed('sentry', 'Sentry', 'sentry-client-secret-0001'),
  segment: signed('segment', 'Segment', 'another-secret', 'segment-shared-secret-0001'),
  standard: {
    type: 'standardWebhooks',
    secrets: [WHSEC],
    prove: standardHeaders,
    body: sampleBody('standardWebhooks'),
  },
  datadog: {
    type: 'datadog',
    secrets: ['dd-token-0001'],
    prove: () => ({ 'x-orb-token': 'dd-token-0001' }),
    body: sampleBody('datadog'),
  },
  newrelic: {
    type: 'newrelic',
    secrets: ['nr-token-0001'],
    prove: bearer('nr-token-0001'),
    body: sampleBody('newrelic'),
  },
  statuscake: {
    type: 'statuscake',
    secrets: ['acmestatuscake-api-key-0001'],
    prove: () => ({}),
    body: sampleBody('statuscake'),
    mediaType: 'application/x-www-form-urlencoded',
  },
  pingdom: {
    type: 'pingdom',
    secrets: [PATH_TOKEN],
    prove: () => ({}),
    body: sampleBody('pingdom'),
    pathToken: PATH_TOKEN,
  },
  mixpanel: {
    type: 'mixpanel',
    secrets: ['orb:mixpanel-pass'],
    prove: () => ({ authorization: `Basic ${Buffer.from('orb:mixpanel-pass').toString('base64')}` }),
    body: '{"action":"members","parameters":{"mixpanel_cohort_id":"7","members":[]}}',
  },
  slack: {
    type: 'custom',
    secrets: ['slack-signing-secret'],
    auth: {
      scheme: 'hmac',
      signatureHeader: 'X-Slack-Signature',
      timestampHeader: 'X-Slack-Request-Timestamp',
      hmac: { alg: 'sha256', encoding: 'hex', prefix: 'v0=', signedContent: 'v0:{timestamp}:{body}' },
    },
    prove: slackHeaders,
    body: '{"type":"event_callback","event":{"text":"mailer is down"}}',
  },
  github: {
    type: 'custom',
    secrets: ["It's a Secret to Everybody"],
    auth: {
      scheme: 'hmac',
      signatureHeader: 'X-Hub-Signature-256',
      hmac: { alg: 'sha256', encoding: 'hex', prefix: 'sha256=' },
    },
    prove: signedHeaders('GitHub documentation'),
    body: 'Hello, World!',
  },
};

/** A source with its Secret, as files of `--resources`. */
function resourcesOf(): Readonly<Record<string, string>> {
  const files = Object.entries(VENDORS).flatMap(([name, { type, secrets, auth }]) => {
    const keys = secrets.map((value, at) => [`key-${at}`, value] as const);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: `hook-${name}`, namespace: 'acme' },
      stringData: Object.fromEntries(keys),
    };
    const secretRefs = keys.map(([key]) => ({ name: secret.metadata.name, key }));
    const mapping = { fields: { status: "'info'", title: "'a title'" } };
    const source = {
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'OrbSignalSource',
      metadata: { name, namespace: 'acme' },
      spec: { type, mode: 'Active', auth: { ...auth, secretRefs }, ...(type === 'custom' ? { mapping } : {}) },
    };
    return [
      [`secret-${name}.json`, JSON.stringify(secret)],
      [`source-${name}.json`, JSON.stringify(source)],
    ] as const;
  });
  return Object.fromEntries(files);
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

/**
 * Waits for the next minute when this one is nearly over: a body that names no time is a repeat only within the minute
 * (ingestion.md §7).
 */
async function leaveTimeInMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < RESTART_MS) await delay(left);
}

describe('webhooks of vendors, over HTTP', function suite() {
  this.timeout(120_000);
  const folder = temporaryFolder();
  let standalone: Standalone;
  let ingestIdKey: Uint8Array;

  const start = async (...flags: readonly string[]): Promise<void> => {
    standalone = await startStandalone({
      data: folder,
      resources: resourcesOf(),
      flags: ['--log-level', 'debug', '--trusted-proxy', '127.0.0.0/8', ...flags],
    });
    ({ ingestIdKey } = await loadKeys(join(standalone.data, 'keys')));
  };
  before(() => start());
  after(async () => {
    await standalone.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Each sends from an address of its own, so that the rate of a client holds none of them back. */
  let client = 0;
  async function send(
    name: string,
    { type, body, prove, pathToken, mediaType = 'application/json' }: Vendor,
  ): Promise<Answered> {
    client += 1;
    const id = sourceIdOf(ingestIdKey, { namespace: 'acme', name, pathEpoch: 1 }, hmacSha256);
    const token = pathToken === undefined ? '' : `/${pathToken}`;
    const headers = {
      ...prove(body),
      'content-type': mediaType,
      'x-forwarded-for': `10.0.0.1, 203.0.113.${client % 250}`,
    };
    const method = type === 'grafana' ? 'PUT' : 'POST';
    const url = `${standalone.ready.url}/ingest/${id}${token}`;
    const answer = await unlessOverloaded(() => fetch(url, { method, headers, body }));
    return { status: answer.status, text: await answer.text() };
  }

  async function sendAll(): Promise<ReadonlyMap<string, Answered>> {
    const answers = new Map<string, Answered>();
    for (const [name, vendor] of Object.entries(VENDORS)) answers.set(name, await send(name, vendor));
    return answers;
  }

  for (const [name, vendor] of Object.entries(VENDORS)) {
    it(`takes the delivery of ${name}`, async () => {
      const { status, text } = await send(name, vendor);
      if (name === 'mixpanel') expect([status, text]).to.deep.equal([200, '{"action":"members","status":"success"}']);
      else expect([status, text]).to.satisfy(([code, said]: [number, string]) => code === 202 && /dlv_/.test(said));
    });

    it(`refuses what is not from ${name}`, async () => {
      const stranger = vendor.mediaType === undefined ? { 'x-orb-token': 'x', authorization: 'Bearer x' } : {};
      const forged: Vendor = { ...vendor, prove: () => stranger, body: `Token=00&${vendor.body}` };
      const wrong = { ...forged, ...(vendor.pathToken === undefined ? {} : { pathToken: `${vendor.pathToken}x` }) };
      expect((await send(name, wrong)).status).to.equal(401);
    });
  }

  it('knows what it took also after it was killed', async () => {
    await leaveTimeInMinute();
    const before = await sendAll();
    await standalone.stop('SIGKILL');
    await start('--services=ingestion');
    for (const [name, { status, text }] of await sendAll()) {
      const first = (before.get(name)?.text ?? '').replace('"duplicate":false', '"duplicate":true');
      expect([status, text], name).to.deep.equal([200, first]);
    }
  });

  it('has no other routes where only this service is chosen', async () => {
    const described = JSON.stringify(await (await standalone.get('/openapi.json')).json());
    expect(described).to.include('"/ingest/{source_id}"').and.include('"/health"');
    expect(described).to.not.include('"/orbisets/{id}/execute"').and.not.include('"/policies"');
    expect((await standalone.get('/receipts')).status).to.equal(404);
  });

  it('shows no secret and no token of a path in log and metrics', async () => {
    const metrics = await (await fetch(standalone.ready.metrics_url)).text();
    await standalone.stop();
    const shown = standalone.output() + metrics;
    expect(shown).to.include('/ingest/{source_id}/{token}');
    expect(metrics).to.match(/orb_ingest_requests_total\{type="pingdom",code="200"\} 1/);
    for (const canary of CANARIES) expect(shown, canary).to.not.include(canary);
  });
});
