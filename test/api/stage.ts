import { randomBytes } from 'node:crypto';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createApiKey } from '../../adapters/api-keys/files.ts';
import { SCOPES } from '../../core/api-key/scopes.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { secret } from '../support/cluster-objects.ts';
import { policyObject } from '../support/policies.ts';
import { sourceObject } from '../support/signal-sources.ts';
import type { Standalone } from '../support/standalone.ts';
import { lastAnswer } from '../support/wait-for.ts';
import { EXECUTE, POLICY } from './bodies.ts';

const TOKEN = 'am-token-of-the-fuzz';
const ORB = 'example.echo@1.0.0';

/** Files of a platform that has something of everything. */
export function writeStage(resources: string): void {
  cpSync(join(import.meta.dirname, '../../manifests'), resources, { recursive: true });
  const auth = { secretRefs: [{ name: 'hook', key: 'token' }] };
  const objects = [
    sourceObject('am', { type: 'alertmanager', mode: 'Active', auth }),
    secret('hook', { token: TOKEN }),
    policyObject('limits', { mode: 'Audit', rules: [{ name: 'all', effect: 'deny', when: 'orb.score < 1' }] }),
  ];
  writeFileSync(join(resources, 'stage.yaml'), objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}

/** A caller may write policies 60 times a minute. With so many callers in turns, no request is refused for that. */
const CALLERS = 64;

/** Keys with every scope. */
export async function everyScope(data: string): Promise<readonly string[]> {
  const newKey = { tenants: ['default'], scopes: SCOPES, rate: '0', createdBy: 'npm run test:api' };
  const keys: string[] = [];
  while (keys.length < CALLERS) {
    const { text } = await createApiKey(join(data, 'api-keys'), newKey, { now: Date.now(), random: randomBytes });
    keys.push(text);
  }
  return keys;
}

const alert = (orb: string): string =>
  JSON.stringify({
    alerts: [{ status: 'firing', labels: { alertname: 'a', severity: 'critical', orb_id: orb }, fingerprint: orb }],
  });

const textAt = (value: unknown, name: string): string => {
  const found = isJsonObject(value) ? value[name] : undefined;
  return typeof found === 'string' ? found : '';
};

/** Policies that callers may change: one in a file belongs to the file. Without them every replacement would be refused. */
async function createPolicies({ ready: { url } }: Standalone, key: string): Promise<void> {
  for (const name of ['first', 'second']) {
    const create = async (): Promise<number> => {
      const { status } = await fetch(`${url}/policies?namespace=default`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ ...POLICY, metadata: { name } }),
      });
      return status;
    };
    // The platform reads new keys within a moment.
    const status = await lastAnswer(create, (answer) => answer !== 401);
    if (status !== 201) throw new Error(`the policy ${name} is not created: ${status}`);
  }
}

/**
 * Makes receipts, signals and policies.
 * @returns values of parameters that name what is there, by the names of the parameters
 */
export async function play(platform: Standalone, key: string): Promise<Readonly<Record<string, readonly string[]>>> {
  await createPolicies(platform, key);
  const read = async (path: string): Promise<unknown> => (await platform.get(path)).json();
  const first = async (path: string): Promise<JsonObject> => {
    const body = await read(path);
    const items: readonly unknown[] = isJsonObject(body) && Array.isArray(body['items']) ? body['items'] : [];
    const [item] = items;
    return isJsonObject(item) ? item : {};
  };
  const run: unknown = await (
    await platform.post('/orbisets/default/execute', { orb_id: ORB, inputs: { text: 'a' } })
  ).json();
  const path = textAt(await read('/signal-sources/default/am'), 'url_path');
  for (const orb of [ORB, 'no.such@1.0.0'])
    await (
      await fetch(`${platform.ready.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
        body: alert(orb),
      })
    ).text();
  const [incident, letter] = await lastAnswer(
    async () => Promise.all([first('/incidents'), first('/dead-letters')]),
    (found) => found.every((item) => Object.keys(item).length > 0),
  );
  const receipt = textAt(isJsonObject(run) ? run['receipt'] : undefined, 'receipt_id') || textAt(run, 'receipt_id');
  return {
    orb_id: [ORB, 'example.lookup@1.0.0', 'no.such@1.0.0'],
    receipt_id: [receipt],
    incident_id: [textAt(incident, 'incident_id')],
    delivery_id: [textAt(letter, 'delivery_id')],
    signal_id: [textAt(await first('/signals'), 'signal_id')],
    source_id: [path.slice(path.lastIndexOf('/') + 1)],
    namespace: ['default'],
    name: ['am', 'limits', 'first', 'second'],
    vendor: ['datadog', 'github'],
    id: ['default'],
    org: ['example'],
    level: ['0'],
    n: ['0', '1'],
    first: ['000', '0.p', '000.p'],
    source: ['default/am'],
    'If-Match': ['*'],
  };
}

/** Most requests take a value that names something. */
const SHARE = 0.7;

/** Executions are what most callers send: this many times more of them. */
const EXECUTIONS = 50;

/**
 * The configuration of schemathesis for such values.
 * @param cases of each operation and kind at the most
 */
export function configurationOf(values: Readonly<Record<string, readonly string[]>>, cases: number): string {
  const known = Object.entries(values);
  for (const [name, texts] of known) if (texts.includes('')) throw new Error(`the stage has no ${name}`);
  const dictionaries = known.map(([name, texts]) => `[dictionaries.${name}]\nvalues = ${JSON.stringify(texts)}\n`);
  const bindings = known.map(([name]) => `"${name}" = { dictionary = "${name}", probability = ${SHARE} }`);
  const executions = `[[operations]]\ninclude-name = "${EXECUTE}"\ngeneration.max-examples = ${cases * EXECUTIONS}\n`;
  const amount = `generation.max-examples = ${cases}\n`;
  return [amount, ...dictionaries, `[parameters]\n${bindings.join('\n')}\n`, executions].join('\n');
}
