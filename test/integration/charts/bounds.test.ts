import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { at, objectsIn, openHelm, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] => {
  const found = at(value, ...path);
  return isList(found) ? found : [];
};
const containerOf = (object: JsonObject): JsonValue | undefined =>
  listAt(object, 'spec', 'template', 'spec', 'containers')[0];
const argsOf = (object: JsonObject): readonly string[] => listAt(containerOf(object), 'args').map(String);
const find = (objects: readonly JsonObject[], title: string): JsonObject =>
  objects.find((object) => titleOf(object) === title) ?? {};

describe('bounds in the chart orb-platform', () => {
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const render = async (...args: readonly string[]): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(args));

  it('are there by default, and the probes of the API are apart from its callers', async () => {
    const objects = await render();
    const api = find(objects, 'Deployment orb-system/orb-api');
    const args = argsOf(api);
    expect(args).to.include.members(['--max-connections=8192', '--max-connections-per-address=1024']);
    expect(args).to.include.members(['--max-body-bytes-per-key=16777216', '--max-unread-bytes=67108864']);
    expect(args.some((arg) => /^--probes-listen=.+:8081$/.test(arg))).to.equal(true);
    const ports = listAt(containerOf(api), 'ports').map((port) => at(port, 'name') ?? null);
    expect(ports).to.deep.equal(['https', 'metrics', 'probes']);
    const ingress = JSON.stringify(at(find(objects, 'NetworkPolicy orb-system/orb-api'), 'spec', 'ingress') ?? null);
    expect(ingress).to.contain('8443').and.to.not.contain('8081').and.to.not.contain('probes');
  });

  it('are all passed to the API', async () => {
    const bounds = {
      connections: 0,
      connectionsPerAddress: 20,
      pipelinedRequests: 3,
      unreadBytes: 4,
      bodyBytes: 1_048_576,
      bodyBytesPerAddress: 1_048_577,
      bodyBytesPerKey: 1_048_578,
      headerBytes: 1028,
      headers: 99,
      headersTimeout: '5m',
      requestTimeout: '10m',
      keepAlive: '1h',
    };
    const given = Object.entries(bounds).map(([name, value]) => `api.bounds.${name}=${value}`);
    const objects = await render('--set', given.join(','));
    expect(argsOf(find(objects, 'Deployment orb-system/orb-api'))).to.include.members([
      '--max-connections=0',
      '--max-connections-per-address=20',
      '--max-pipelined-requests=3',
      '--max-unread-bytes=4',
      '--max-body-bytes=1048576',
      '--max-body-bytes-per-address=1048577',
      '--max-body-bytes-per-key=1048578',
      '--max-header-bytes=1028',
      '--max-headers=99',
      '--headers-timeout=5m',
      '--request-timeout=10m',
      '--keep-alive=1h',
    ]);
  });
});
