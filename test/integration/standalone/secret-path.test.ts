import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { listenOnLoopback } from '../../../adapters/process/listen.ts';
import { orbisetDocuments, orbManifest } from '../../support/orbs.ts';
import { codeOf, startStandalone, type Standalone } from '../../support/standalone.ts';

const HOOK = 'T01234567/B01234567/a-value-with-slashes';
const OUTPUTS = { url: { type: 'string', from: '/body/url' }, part: { type: 'string', from: '/body/part' } };

describe('a secret as the rest of a path', function () {
  this.timeout(120_000);
  const seen: string[] = [];
  // It answers with what it got, and with one segment alone.
  const provider = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url: request.url, part: (request.url ?? '').split('/').at(-1) }));
  });
  let standalone: Standalone;

  before(async () => {
    const origin = `http://127.0.0.1:${await listenOnLoopback(provider)}`;
    const hosts = ['127.0.0.1'];
    const orb = (name: string, entry: string): string =>
      orbManifest(`t.${name}@1.0.0`, { url: `${origin}/hook/{{orbiset.secrets.${entry}:path}}`, outputs: OUTPUTS });
    standalone = await startStandalone({
      resources: {
        'hook.json': orb('hook', 'HOOK'),
        'climbing.json': orb('climbing', 'CLIMBING'),
        'default.yaml': orbisetDocuments('default', {
          HOOK: { value: HOOK, hosts },
          CLIMBING: { value: 'a-segment/../../admin', hosts },
        }),
      },
      flags: ['--egress-allow', origin],
    });
  });
  after(async () => {
    await standalone.stop();
    provider.close();
    rmSync(dirname(standalone.data), { recursive: true });
  });

  const run = async (name: string): Promise<{ readonly status: number; readonly body: unknown }> => {
    const answer = await standalone.post('/orbisets/default/execute', {
      orb_id: `t.${name}@1.0.0`,
      inputs: { text: 'x' },
    });
    const body: unknown = await answer.json();
    return { status: answer.status, body };
  };

  it('arrives with its slashes, and answers show neither the value nor a segment of it', async () => {
    const { status, body } = await run('hook');
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(seen).to.deep.equal([`/hook/${HOOK}`]);
    expect(body).to.have.deep.property('outputs', { url: '/hook/[redacted:HOOK]', part: '[redacted:HOOK]' });
    expect(standalone.output()).not.to.include('a-value-with-slashes');
  });

  it('is not sent when it would climb, and the entry is named', async () => {
    const before = seen.length;
    const { status, body } = await run('climbing');
    expect([status, codeOf(body)]).to.deep.equal([409, 'secret-not-header-safe']);
    expect(JSON.stringify(body)).to.include('CLIMBING').and.not.to.include('admin');
    expect(seen).to.have.lengthOf(before);
  });
});
