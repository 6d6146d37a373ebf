import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { join, resolve } from 'node:path';
import type { JsonObject, JsonValue } from '../../../core/json/json-value.ts';
import { at, objectsIn, openHelm, textAt, titleOf, type Helm } from '../../support/cluster/platform-chart.ts';

const FOLDER = resolve(import.meta.dirname, '../../../docs/network');
const VALUES = join(FOLDER, 'cilium-values.yaml');
const PART_OF = 'app.kubernetes.io/part-of';
const COMPONENT = 'app.kubernetes.io/component';

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] => {
  const found = at(value, ...path);
  return isList(found) ? found : [];
};

const labelsOfPods = (objects: readonly JsonObject[]): readonly JsonValue[] =>
  objects.flatMap((object) => {
    const spec = at(object, 'kind') === 'Pod' ? object : at(object, 'spec', 'template');
    return at(spec, 'spec', 'containers') === undefined ? [] : [at(spec, 'metadata', 'labels') ?? null];
  });

/** What the policies write: one name, and one component or a list of them. */
function selects(policy: JsonObject, labels: JsonValue): boolean {
  const selector = at(policy, 'spec', 'endpointSelector');
  const wanted = [
    ...listAt(selector, 'matchExpressions').flatMap((one) => listAt(one, 'values')),
    at(selector, 'matchLabels', COMPONENT),
  ].filter((value) => value !== undefined);
  return at(selector, 'matchLabels', PART_OF) === at(labels, PART_OF) && wanted.includes(at(labels, COMPONENT) ?? null);
}

function addTo(list: BlockList, cidr: string): void {
  const [address = '', bits] = cidr.split('/');
  list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
}

/** Whether one of the peers is a range with this address, less its exceptions. */
const reaches = (peers: readonly JsonValue[], address: string): boolean =>
  peers.some((peer) => {
    const [range, except] = [new BlockList(), new BlockList()];
    const cidr = textAt(peer, 'ipBlock', 'cidr');
    if (cidr === '') return false;
    addTo(range, cidr);
    for (const each of listAt(peer, 'ipBlock', 'except')) if (typeof each === 'string') addTo(except, each);
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    return range.check(address, family) && !except.check(address, family);
  });

describe('the policies for Cilium in docs/network', () => {
  const policies = objectsIn(readFileSync(join(FOLDER, 'cilium.yaml'), 'utf8'));
  let helm: Helm;
  before(async () => {
    helm = await openHelm();
  });
  after(() => helm.remove());

  const render = async (...args: readonly string[]): Promise<readonly JsonObject[]> =>
    objectsIn(await helm.render(['--set', 'example.enabled=true', ...args]));

  const componentsOf = (pods: readonly JsonValue[], name: string): ReadonlySet<string> => {
    const policy = policies.find((one) => textAt(one, 'metadata', 'name') === name) ?? {};
    return new Set(pods.filter((labels) => selects(policy, labels)).map((labels) => textAt(labels, COMPONENT)));
  };

  it('choose the pods of the chart that need them', async () => {
    const pods = labelsOfPods(await render());
    expect(componentsOf(pods, 'orb-kubernetes-api')).to.deep.equal(
      new Set(['api', 'operator', 'status-prober', 'ledger-init']),
    );
    expect(componentsOf(pods, 'orb-dns')).to.deep.equal(new Set(['api', 'operator', 'status-prober', 'test']));
    expect(componentsOf(pods, 'orb-providers')).to.deep.equal(new Set(['api']));
    expect(policies).to.have.length(3);
  });

  const outside = ['8.8.8.8', '1.1.1.1', '203.0.114.1', '2606:4700::1111', '3000::1'];
  const peersOf = async (...args: readonly string[]): Promise<readonly JsonValue[]> => {
    const policy = (await render(...args)).find((one) => titleOf(one) === 'NetworkPolicy orb-system/orb-api');
    return listAt(policy, 'spec', 'egress').flatMap((rule) => [...listAt(rule, 'to')]);
  };

  it('come with values that let the API reach nothing public by its address', async () => {
    const [usual, named] = [await peersOf(), await peersOf('-f', VALUES)];
    expect(outside.filter((address) => reaches(usual, address))).to.deep.equal(outside);
    expect(outside.filter((address) => reaches(named, address))).to.deep.equal([]);
  });

  it('come with values that let no pod ask name servers but under the eyes of Cilium', async () => {
    const objects = (await render('-f', VALUES)).filter((one) => at(one, 'kind') === 'NetworkPolicy');
    const peers = objects.flatMap((policy) =>
      listAt(policy, 'spec', 'egress')
        .filter((rule) => listAt(rule, 'ports').some((port) => at(port, 'port') === 53))
        .flatMap((rule) => [...listAt(rule, 'to')]),
    );
    // Those of operator, API, prober and helm test.
    expect(peers.map((peer) => textAt(peer, 'ipBlock', 'cidr'))).to.deep.equal(
      Array.from({ length: 4 }, () => '169.254.20.10/32'),
    );
  });
});
