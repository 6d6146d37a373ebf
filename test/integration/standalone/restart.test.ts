import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeVaultFile } from '../../../adapters/vault-file/vault-file.ts';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { at } from '../../support/members.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';
import { stateRows } from '../../support/state-rows.ts';
import { untilTrue } from '../../support/wait-for.ts';

const SETTLED_MS = 2000;
const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

describe('a restart over the same files', function suite() {
  this.timeout(60_000);
  let provider: TestProvider;
  let standalone: Standalone;

  const flags = (): readonly string[] => ['--egress-allow', `http://127.0.0.1:${provider.port}`];
  const orb = (name: string, pin?: object, secret?: string): string => {
    const url = `http://127.0.0.1:${provider.port}/ok`;
    const execution = { type: 'http', method: 'POST', url, body_template: '{}' };
    const swaps = { swap_config: { primary: 'main', fallbacks: ['other'] }, providers: { other: { execution } } };
    const options = { url, manifest: swaps, ...(secret === undefined ? {} : { secret }) };
    const manifest: unknown = JSON.parse(orbManifest(`t.${name}@1.0.0`, options));
    const spec = { ...(isJsonObject(manifest) ? manifest : {}), ...(pin === undefined ? {} : { pin }) };
    return JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name }, spec });
  };
  const statusOf = async (name: string): Promise<JsonObject> => {
    const status: unknown = await (await standalone.get(`/providers/t.${name}@1.0.0/status`)).json();
    return isJsonObject(status) ? status : {};
  };

  before(async () => {
    provider = await startProvider();
    const secrets = { TOKEN: { value: 'a secret', hosts: ['127.0.0.1'] } };
    standalone = await startStandalone({
      resources: {
        'broken.json': '{ "orb_id": ',
        'pinned.json': orb('pinned', { provider: 'other', expires_at: inHours(5) }),
        'removed.json': orb('removed', { provider: 'other', expires_at: inHours(5) }),
        'swapped.json': orb('swapped', undefined, 'TOKEN'),
        'invalid.json': orbManifest('t.invalid@1.0.0', { url: 'ftp://127.0.0.1/' }),
        'orbisets.yaml': `${orbisetDocuments('default', secrets)}\n---\n${orbisetDocuments('second', {
          ...secrets,
          NEWLINE: { value: 'a secret\n', hosts: ['127.0.0.1'] },
        })}`,
      },
      flags: flags(),
    });
    await writeVaultFile(join(standalone.data, 'vault/default.second.yaml'), [
      { name: 'MORE', value: Buffer.from('of the vault'), hosts: ['127.0.0.1'] },
    ]);
    const swapped = await standalone.post('/providers/t.swapped@1.0.0/swap', { provider: 'other', reason: 'a test' });
    expect(swapped.status).to.equal(200);
    const { url, api_key: apiKey } = standalone.ready;
    const headers = { authorization: `Bearer ${apiKey}` };
    const removed = await fetch(`${url}/providers/t.removed@1.0.0/pin`, { method: 'DELETE', headers });
    expect(removed.status).to.be.oneOf([200, 204]);
    // The first evaluation comes at most 15 s after the start.
    const isSettled = (): boolean =>
      [...stateRows(standalone.data)].every(
        ([key, json]) => !/^object Orb .*(pinned|removed|swapped)$/.test(key) || json.includes('MetricsAvailable'),
      );
    await untilTrue('every Orb is evaluated', isSettled);
    await delay(SETTLED_MS);
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('shows each family of metrics once, those of controllers and of the API', async () => {
    const text = await (await fetch(standalone.ready.metrics_url)).text();
    const families = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, family]) => family);
    expect(families.filter((family, index) => families.indexOf(family) !== index)).to.deep.equal([]);
    expect(families).to.include.members(['orb_runs_total', 'orb_reconcile_oldest_pending_seconds']);
    expect(families).to.include.members(['orb_swap_tick_duration_seconds', 'orb_http_requests_total']);
  });

  it('writes no row: with Secrets, vault files, pins, swaps, and files that are broken', async () => {
    const seen = await Promise.all(['pinned', 'removed', 'swapped'].map(statusOf));
    expect(await standalone.stop()).to.equal(0);
    const rows = stateRows(standalone.data);
    expect([...rows.keys()]).to.include.members(['object Orb default/pinned', 'object Orbiset default/second']);
    expect([...rows.values()].join('\n')).not.to.match(/a secret|of the vault/);
    standalone = await startStandalone({ data: dirname(standalone.data), resources: {}, flags: flags() });
    const now = await Promise.all(['pinned', 'removed', 'swapped'].map(statusOf));
    expect(now.map((status) => at(status, 'swaps'))).to.deep.equal(seen.map((status) => at(status, 'swaps')));
    expect(now.map((status) => at(status, 'active_provider'))).to.deep.equal(['other', 'other', 'other']);
    await delay(SETTLED_MS);
    expect(await standalone.stop()).to.equal(0);
    // Each holds its resourceVersion, so a write and its return would show as well.
    const after = stateRows(standalone.data);
    expect([...after].filter(([key, json]) => rows.get(key) !== json)).to.deep.equal([]);
    expect(after.size).to.equal(rows.size);
  });
});
