import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { at, objectAt, textAt } from '../../support/members.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { startStandalone, type Standalone } from '../../support/standalone.ts';

async function json(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json();
  if (!isJsonObject(body)) throw new TypeError('no object');
  return body;
}

const secret = (entry: string): Record<string, string> => ({ 'X-Key': `{{orbiset.secrets.${entry}}}` });

describe('a standalone whose primary provider is down', function standaloneFailover() {
  this.timeout(120_000);
  let provider: TestProvider;
  let standalone: Standalone;

  before(async () => {
    provider = await startProvider();
    const origin = `http://127.0.0.1:${provider.port}`;
    const backup = { type: 'http', method: 'POST', url: `${origin}/ok`, headers: secret('B'), body_template: '{}' };
    const orb = orbManifest('t.mail@1.0.0', {
      url: 'http://127.0.0.1:1/',
      execution: { headers: secret('A') },
      manifest: { providers: { backup: { execution: backup } }, swap_config: { fallbacks: ['backup'] } },
    });
    const hosts = ['127.0.0.1'];
    const vault = { A: { value: 'secret-of-the-primary', hosts }, B: { value: 'secret-of-the-backup', hosts } };
    standalone = await startStandalone({
      resources: { 'mail.json': orb, 'default.yaml': orbisetDocuments('default', vault) },
      flags: ['--egress-allow', origin, '--egress-allow', 'http://127.0.0.1:1'],
    });
  });

  after(async () => {
    await standalone.stop();
    await provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  const run = async (): Promise<JsonObject> =>
    json(await standalone.post('/orbisets/default/execute', { orb_id: 't.mail@1.0.0', inputs: { text: 'hi' } }));

  it('answers from the backup, with every attempt in a receipt that verifies', async () => {
    const answer = await run();
    expect(at(answer, 'status')).to.equal('completed');
    const receipt = await json(await standalone.get(`/receipts/${textAt(answer, 'receipt', 'receipt_id')}`));
    expect(at(receipt, 'verification', 'verdict')).to.equal('valid');
    const attempts = at(objectAt(receipt, 'record'), 'execution', 'attempts');
    if (!Array.isArray(attempts)) throw new TypeError('no attempts');
    expect(attempts.map((one) => (isJsonObject(one) ? [one['provider'], one['outcome']] : []))).to.deep.equal([
      ['main', 'error'],
      ['backup', 'success'],
    ]);
    expect(provider.seen.at(-1)?.headers['x-key']).to.equal('secret-of-the-backup');
  });

  it('calls the primary no more after five failures, and shows that in its metrics', async () => {
    for (let runs = 0; runs < 5; runs += 1) await run();
    const metrics = await (await fetch(standalone.ready.metrics_url)).text();
    const breakers = metrics.split('\n').filter((line) => line.startsWith('orb_provider_breaker_state{'));
    expect(breakers.map((line) => [/provider="([^"]+)"/.exec(line)?.[1], line.split(' ').at(-1)])).to.have.deep.members(
      [
        ['main', '2'],
        ['backup', '0'],
      ],
    );
    expect(metrics).to.match(/orb_provider_transport_errors_total\{[^}]*provider="main"[^}]*kind="connect"[^}]*\} 5/);
  });
});
