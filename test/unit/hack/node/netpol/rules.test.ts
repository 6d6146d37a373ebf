import type { V1NetworkPolicy, V1NetworkPolicySpec, V1Pod } from '@kubernetes/client-node';
import { expect } from 'chai';
import { renderRules } from '../../../../../hack/node/netpol/rules.ts';

type Labels = Readonly<Record<string, string>>;

const pod = (name: string, address: string, labels: Labels, some: Partial<V1Pod['status']> = {}): V1Pod => ({
  metadata: { name, namespace: name.startsWith('far') ? 'far' : 'near', labels: { ...labels } },
  spec: { containers: [{ name: 'main', ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }] }] },
  status: { podIP: address, phase: 'Running', ...some },
});

const namespaces = [
  { metadata: { name: 'near', labels: { place: 'near' } } },
  { metadata: { name: 'far', labels: { place: 'far' } } },
];
const server = pod('server', '10.244.0.2', { app: 'server' });
const friend = pod('friend', '10.244.0.3', { role: 'friend' });
const far = pod('far-friend', '10.244.0.4', { role: 'friend' });
const pods = [server, friend, far];

const policy = (spec: V1NetworkPolicySpec): V1NetworkPolicy => ({ metadata: { namespace: 'near' }, spec });
const ofServer = { podSelector: { matchLabels: { app: 'server' } } };

/** Lines of the server's chain, without blanks at their ends. */
function chain(name: string, spec: V1NetworkPolicySpec): readonly string[] | undefined {
  const rules = renderRules({ policies: [policy(spec)], pods, namespaces });
  const body = new RegExp(`chain ${name} \\{\\n([^}]*(?:\\{[^}]*\\}[^}]*)*?)\\n {2}\\}`).exec(rules)?.[1];
  return body
    ?.split('\n')
    .map((line) => line.trim().replaceAll(/ +/g, ' '))
    .filter((line) => line !== '');
}
const IN = 'in_10_244_0_2';
const OUT = 'out_10_244_0_2';

const ingress: readonly (readonly [string, NonNullable<V1NetworkPolicySpec['ingress']>, readonly string[]])[] = [
  ['nobody without a rule', [], []],
  ['everybody by an empty rule', [{}], ['return']],
  [
    'a pod of its own namespace',
    [{ _from: [{ podSelector: { matchLabels: { role: 'friend' } } }] }],
    ['ip saddr { 10.244.0.3 } return'],
  ],
  [
    'all pods of a namespace',
    [{ _from: [{ namespaceSelector: { matchLabels: { place: 'far' } } }] }],
    ['ip saddr { 10.244.0.4 } return'],
  ],
  [
    'pods of all namespaces',
    [{ _from: [{ namespaceSelector: {}, podSelector: { matchLabels: { role: 'friend' } } }] }],
    ['ip saddr { 10.244.0.3, 10.244.0.4 } return'],
  ],
  ['nobody by a selector that selects none', [{ _from: [{ podSelector: { matchLabels: { role: 'foe' } } }] }], []],
  [
    'a block without a part of it',
    [{ _from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }],
    ['ip saddr 10.0.0.0/8 ip saddr != { 10.1.0.0/16 } return'],
  ],
  ['nobody by a block of IPv6', [{ _from: [{ ipBlock: { cidr: '2000::/3', except: ['2002::/16'] } }] }], []],
  ['a port by its name', [{ ports: [{ port: 'http' }] }], ['tcp dport { 8080 } return']],
  ['no port by a name that is not there', [{ ports: [{ port: 'https' }] }], []],
  [
    'a range of ports',
    [{ ports: [{ port: 1000, endPort: 2000, protocol: 'UDP' }] }],
    ['udp dport { 1000-2000 } return'],
  ],
  ['a whole protocol', [{ ports: [{ protocol: 'UDP' }] }], ['meta l4proto udp return']],
];

const selectors: readonly (readonly [string, string, readonly string[] | undefined, boolean])[] = [
  ['In', 'app', ['server', 'client'], true],
  ['In', 'app', ['client'], false],
  ['NotIn', 'app', ['server'], false],
  ['NotIn', 'role', ['server'], true],
  ['Exists', 'app', undefined, true],
  ['Exists', 'role', undefined, false],
  ['DoesNotExist', 'app', undefined, false],
  ['DoesNotExist', 'role', undefined, true],
];

describe('rules of NetworkPolicies', () => {
  for (const [whom, rules, expected] of ingress) {
    it(`lets in ${whom}`, () => {
      expect(chain(IN, { ...ofServer, ingress: rules })).to.deep.equal([...expected, 'counter drop']);
    });
  }

  for (const [operator, key, values, selected] of selectors) {
    it(`${selected ? 'selects' : 'leaves'} by ${operator} ${key} ${(values ?? []).join()}`, () => {
      const expression = { key, operator, ...(values === undefined ? {} : { values: [...values] }) };
      const found = chain(IN, { podSelector: { matchExpressions: [expression] } });
      expect(found).to.deep.equal(selected ? ['counter drop'] : undefined);
    });
  }

  it('lets out by the port names of the pods that are called', () => {
    const egress = [{ to: [{ namespaceSelector: { matchLabels: { place: 'far' } } }], ports: [{ port: 'http' }] }];
    const expected = ['ip daddr { 10.244.0.4 } tcp dport { 8080 } return', 'counter drop'];
    expect(chain(OUT, { ...ofServer, egress })).to.deep.equal(expected);
  });

  it('concerns the ways that a policy names, else ingress, and egress when it has such rules', () => {
    expect(chain(OUT, { ...ofServer })).to.equal(undefined);
    expect(chain(OUT, { ...ofServer, egress: [] })).to.deep.equal(['counter drop']);
    expect(chain(IN, { ...ofServer, policyTypes: ['Egress'] })).to.equal(undefined);
  });

  it('passes over pods that are finished, of the network of the node, or without address', () => {
    const finished = pod('done', '10.244.0.2', { app: 'server' }, { phase: 'Succeeded' });
    const ofNode = pod('agent', '10.244.0.2', { app: 'server' });
    ofNode.spec = { containers: [], hostNetwork: true };
    const absent = pod('new', '', { app: 'server' });
    const rules = renderRules({ policies: [policy(ofServer)], pods: [finished, ofNode, absent], namespaces });
    expect(rules).not.to.contain('drop');
  });

  it('sends packets of both ways to their chains, and replaces the table in one go', () => {
    const rules = renderRules({ policies: [policy({ ...ofServer, egress: [] })], pods, namespaces });
    expect(rules).to.contain('ip daddr vmap { 10.244.0.2 : jump in_10_244_0_2 }');
    expect(rules.match(/ip saddr vmap \{ 10\.244\.0\.2 : jump out_10_244_0_2 \}/g)).to.have.lengthOf(2);
    expect(rules.startsWith('table ip node-network-policy\ndelete table ip node-network-policy\n')).to.equal(true);
  });
});
