// Run by `helm test`: the prober's page says what works, and a signed event becomes a signal of the canary's source.
import { createHmac, randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

const MEMBERS = {
  status: 'string',
  uptime_30d_pct: 'number',
  incidents: 'object',
  services: 'object',
  last_updated: 'string',
};
const SERVICES = ['runtime', 'reputation_ledger', 'observable_engine', 'ingestion'];
// Just after an install the first round is under way, and the source has no address yet.
const TRIES = 45;
const WAIT_MS = 2000;
const CALL_MS = 10_000;

const { ORB_SERVER, ORB_STATUS, ORB_NAMESPACE, ORB_CHECKS_INGESTION } = process.env;
const text = (file) => readFileSync(file, 'utf8').trim();
const caOf = (file) => (existsSync(file) ? { ca: readFileSync(file) } : {});
const API = { base: ORB_SERVER, ...caOf('/etc/orb/tls/ca.crt') };
const PROBER = { base: ORB_STATUS, ...caOf('/etc/orb/canary-ca/ca.crt') };
const asCaller = { authorization: `Bearer ${text('/var/run/secrets/orb/token')}` };

const call = ({ base, ...trust }, path, { method = 'GET', headers = {}, body } = {}) =>
  new Promise((resolve, reject) => {
    const url = new URL(path, base);
    const send = url.protocol === 'https:' ? requestTls : requestPlain;
    const options = { ...trust, method, headers, signal: AbortSignal.timeout(CALL_MS) };
    send(url, options, async (answer) => {
      try {
        const said = Buffer.concat(await Array.fromAsync(answer)).toString('utf8');
        resolve({ status: answer.statusCode, said, body: JSON.parse(said) });
      } catch (error) {
        reject(error);
      }
    })
      .on('error', reject)
      .end(body);
  });

async function until(what, ask, wanted) {
  for (let left = TRIES; ; left -= 1) {
    const found = await ask().catch((error) => ({ status: 0, said: error.message, body: {} }));
    if (wanted(found)) return found;
    if (left === 0) throw new Error(`${what}: ${found.status} ${found.said}`);
    await delay(WAIT_MS);
  }
}

const isPage = ({ status, body }) =>
  status === 200 &&
  Object.entries(MEMBERS).every(([name, type]) => typeof body[name] === type) &&
  Array.isArray(body.incidents) &&
  SERVICES.every((service) => typeof body.services[service] === 'string');

const hasPath = ({ body }) => typeof body.url_path === 'string';

const page = await until('GET /status', () => call(PROBER, '/status'), isPage);
process.stdout.write(`status ${page.body.status}, ${JSON.stringify(page.body.services)}\n`);

if (ORB_CHECKS_INGESTION === 'true') {
  const readSource = () => call(API, `/signal-sources/${ORB_NAMESPACE}/orb-canary`, { headers: asCaller });
  const { url_path: path } = (await until('the source orb-canary', readSource, hasPath)).body;
  const id = `msg_${randomUUID()}`;
  const seconds = String(Math.floor(Date.now() / 1000));
  const data = { status: 'info', severity: 'info', title: 'helm test', key: id };
  const body = JSON.stringify({ type: 'orb.test', timestamp: new Date().toISOString(), data });
  const key = Buffer.from(text('/etc/orb/canary/secret').replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${signature}`,
  };
  const post = () => call(API, path, { method: 'POST', headers, body });
  const { delivery_id: delivery } = (await until('the signed event', post, ({ status }) => status === 202)).body;
  const readSignals = () => call(API, `/signals?delivery_id=${delivery}`, { headers: asCaller });
  const { items } = (await until('its signal', readSignals, ({ body: { items: found } }) => found?.length === 1)).body;
  process.stdout.write(`${delivery} became ${items[0].signal_id}\n`);
}
