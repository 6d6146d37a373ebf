import { expect } from 'chai';
import { at } from '../../hack/control-plane/json.ts';
import { ECHO, ensureExample, EXAMPLE } from './support/example.ts';
import { installPlugin, type Plugin } from './support/plugin.ts';
import { patiently } from './support/patience.ts';
import { platformKubectl, removeRelease, testRelease } from './support/release.ts';

const HOST = 'orbs.example.com';
const BEHIND = { ingress: { enabled: true, hosts: [HOST], tls: [{ secretName: 'orbs-tls', hosts: [HOST] }] } };

const read = (object: string, path: string): Promise<string> =>
  platformKubectl('get', object, '-o', `jsonpath={${path}}`);

describe('an API behind an Ingress, where TLS ends', () => {
  let plugin: Plugin;

  before(async () => {
    await removeRelease();
    await ensureExample(BEHIND);
    plugin = await installPlugin();
  });
  after(async () => {
    await plugin.remove();
    await removeRelease();
  });

  it('speaks plain HTTP at the port that the Ingress names, and makes no certificate', async () => {
    const backend = await read('ingress/orb-api', '.spec.rules[0].http.paths[0].backend.service.port.name');
    const named = `.spec.ports[?(@.name=="${backend}")].port`;
    const address = `${await read('service/orb-api', '.spec.clusterIP')}:${await read('service/orb-api', named)}`;
    const answer = await patiently(() =>
      fetch(`http://${address}/health`, { headers: { 'x-forwarded-proto': 'https' } }),
    );
    expect([answer.status, at(await answer.json(), 'status')]).to.deep.equal([200, 'ok']);
    expect(await platformKubectl('get', 'secrets', '-o', 'name'))
      .to.include('orb-platform-keys')
      .and.not.match(/tls/);
  });

  it('passes helm test', async () => {
    expect(await testRelease())
      .to.match(/orb-test-echo/)
      .and.not.include('Failed');
  });

  it('is found by kubectl orb through the port-forward', async () => {
    const key = await plugin.key(EXAMPLE, 'orbs:execute', 'receipts:read');
    const said = await plugin.ok(['run', ECHO, 'text=over plain HTTP', '-n', EXAMPLE], { ORB_API_KEY: key });
    expect(said).to.include('over plain HTTP');
  });
});
