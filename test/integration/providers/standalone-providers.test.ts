import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { checkAnswer } from '../../support/openapi-check.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';

const MAILER = 't.mailer@1.0.0';

describe('providers of standalone over HTTP (failover.md §9)', function suite() {
  this.timeout(60_000);
  let provider: TestProvider;
  let standalone: Standalone;
  let openapi: JsonObject;
  let resources: Record<string, string>;
  const folder = temporaryFolder();

  const url = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
  const manifest = (description: string): string => {
    return orbManifest(MAILER, {
      url: url('/ok'),
      manifest: {
        description,
        swap_config: { fallbacks: ['backup'] },
        providers: { backup: { execution: { type: 'http', method: 'POST', url: url('/accepted') } } },
      },
    });
  };
  const start = async (): Promise<void> => {
    const flags = ['--egress-allow', `http://127.0.0.1:${provider.port}`];
    standalone = await startStandalone({ data: folder, resources, flags });
    const described: unknown = await (await standalone.get('/openapi.json')).json();
    if (!isJsonObject(described)) throw new TypeError('no OpenAPI document');
    openapi = described;
  };
  const call = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${standalone.ready.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${standalone.ready.api_key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = {
      status: response.status,
      headers: response.headers,
      body: new Uint8Array(await response.arrayBuffer()),
    };
    const value = checkAnswer(openapi, method, path, answer);
    return { ...answer, json: isJsonObject(value) ? value : {} };
  };
  const status = async (): Promise<JsonObject> => (await call('GET', `/providers/${MAILER}/status`)).json;
  const executed = async (): Promise<unknown> => {
    await call('POST', '/orbisets/default/execute', { orb_id: MAILER, inputs: { text: 'hi' } });
    return provider.seen.at(-1)?.url;
  };

  before(async () => {
    provider = await startProvider();
    resources = {
      'mailer.json': manifest('An Orb of the tests.'),
      'orbiset-default.yaml': orbisetDocuments('default', {}),
    };
    await start();
  });
  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  it('sends runs to the provider that was swapped to, from the answer on', async () => {
    expect(await executed()).to.equal('/ok');
    const made = await call('POST', `/providers/${encodeURIComponent(MAILER)}/swap`, {
      provider: 'backup',
      expires_in: '2h',
    });
    expect([made.status, made.json['status']]).to.deep.equal([200, 'completed']);
    expect(await executed()).to.equal('/accepted');
    expect(await status()).to.deep.include({ state: 'pinned', active_provider: 'backup' });
  });

  it('keeps the pin over a new version of the file, and over a restart', async () => {
    const { pin } = await status();
    writeFileSync(join(standalone.resources, 'mailer.json'), manifest('Another text.'));
    resources['mailer.json'] = manifest('Another text.');
    await standalone.stop('SIGKILL');
    await start();
    expect((await status())['pin']).to.deep.equal(pin);
    expect(await executed()).to.equal('/accepted');
  });

  it('gives the stored answer to the same Idempotency-Key after a restart', async () => {
    const body = { provider: 'main', expires_in: '3h' };
    const first = await call('POST', `/providers/${MAILER}/swap`, body, { 'idempotency-key': 'k' });
    await standalone.stop('SIGKILL');
    await start();
    const again = await call('POST', `/providers/${MAILER}/swap`, body, { 'idempotency-key': 'k' });
    expect(again.json).to.deep.equal(first.json);
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
  });

  it('moves nothing when the pin is removed: the rules go on from there', async () => {
    await call('POST', `/providers/${MAILER}/swap`, { provider: 'backup', expires_in: '2h' });
    const removed = await call('DELETE', `/providers/${MAILER}/pin`);
    expect(removed.json).to.deep.include({ pin: null, active_provider: 'backup' });
    expect(await executed()).to.equal('/accepted');
    expect(await status()).to.deep.include({ state: 'failed_over', pin: null, reason: 'manual' });
  });
});
