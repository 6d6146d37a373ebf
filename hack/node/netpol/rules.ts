import type {
  V1ContainerPort,
  V1LabelSelector,
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1Pod,
} from '@kubernetes/client-node';

/** The objects that decide about packets. */
export interface NetworkState {
  readonly policies: readonly V1NetworkPolicy[];
  readonly pods: readonly V1Pod[];
  readonly namespaces: readonly V1Namespace[];
}

/** The peers of a rule: an nft expression ('' for all), and the pods when the peers are pods. */
interface Peers {
  readonly match: string;
  readonly pods: readonly V1Pod[];
}

interface Side {
  readonly chain: 'in' | 'out';
  readonly type: 'Ingress' | 'Egress';
  /** Position of the peer's address in a packet. */
  readonly other: 'saddr' | 'daddr';
}

type Labels = Readonly<Record<string, string>>;
type Requirement = NonNullable<V1LabelSelector['matchExpressions']>[number];

/** A rule of a policy, in either direction. */
interface Rule {
  readonly peers: readonly V1NetworkPolicyPeer[];
  readonly ports: readonly V1NetworkPolicyPort[];
}

const TABLE = 'ip node-network-policy';
const SIDES: readonly Side[] = [
  { chain: 'in', type: 'Ingress', other: 'saddr' },
  { chain: 'out', type: 'Egress', other: 'daddr' },
];
const FINISHED = ['Succeeded', 'Failed'];

function meets({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      throw new TypeError(`a selector has the unknown operator ${operator}`);
  }
}

const selects = ({ matchLabels = {}, matchExpressions = [] }: V1LabelSelector, labels: Labels = {}): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every((requirement) => meets(requirement, labels));

const addressOf = (pod: V1Pod): string => pod.status?.podIP ?? '';

// Pods in the node's own network have no address of their own; IPv6 is not used.
const isOnNetwork = (pod: V1Pod): boolean =>
  addressOf(pod).includes('.') && pod.spec?.hostNetwork !== true && !FINISHED.includes(pod.status?.phase ?? '');

const labelsOfNamespace = (state: NetworkState, name: string | undefined): Labels =>
  state.namespaces.find(({ metadata }) => metadata?.name === name)?.metadata?.labels ?? {};

function isPeer(pod: V1Pod, peer: V1NetworkPolicyPeer, own: string | undefined, state: NetworkState): boolean {
  const namespace = pod.metadata?.namespace;
  const inNamespace =
    peer.namespaceSelector === undefined
      ? namespace === own
      : selects(peer.namespaceSelector, labelsOfNamespace(state, namespace));
  return inNamespace && (peer.podSelector === undefined || selects(peer.podSelector, pod.metadata?.labels));
}

function peersOf(rule: Rule, { other }: Side, own: string | undefined, state: NetworkState): readonly Peers[] {
  if (rule.peers.length === 0) return [{ match: '', pods: state.pods }];
  return rule.peers.flatMap((peer): readonly Peers[] => {
    if (peer.ipBlock !== undefined) {
      const { cidr, except = [] } = peer.ipBlock;
      // No packet of this network has such an address.
      if (cidr.includes(':')) return [];
      const without = except.length === 0 ? '' : ` ip ${other} != { ${except.join(', ')} }`;
      return [{ match: `ip ${other} ${cidr}${without}`, pods: [] }];
    }
    const pods = state.pods.filter((pod) => isPeer(pod, peer, own, state));
    return pods.length === 0 ? [] : [{ match: `ip ${other} { ${pods.map(addressOf).join(', ')} }`, pods }];
  });
}

const portsOf = (pod: V1Pod): readonly V1ContainerPort[] =>
  (pod.spec?.containers ?? []).flatMap(({ ports = [] }) => ports);

/** Numbers of a named port at the called pods. */
function numbersOf(name: string, protocol: string, called: readonly V1Pod[]): readonly string[] {
  const found = called
    .flatMap(portsOf)
    .filter((port) => port.name === name && (port.protocol ?? 'TCP') === protocol)
    .map(({ containerPort }) => String(containerPort));
  return [...new Set(found)];
}

function portMatches(rule: Rule, called: readonly V1Pod[]): readonly string[] {
  if (rule.ports.length === 0) return [''];
  return rule.ports.flatMap(({ port, endPort, protocol = 'TCP' }): readonly string[] => {
    const name = protocol.toLowerCase();
    if (port === undefined) return [`meta l4proto ${name}`];
    if (typeof port === 'number') return [`${name} dport { ${port}${endPort === undefined ? '' : `-${endPort}`} }`];
    const numbers = numbersOf(port, protocol, called);
    return numbers.length === 0 ? [] : [`${name} dport { ${numbers.join(', ')} }`];
  });
}

const rulesOf = ({ spec }: V1NetworkPolicy, { type }: Side): readonly Rule[] =>
  type === 'Ingress'
    ? (spec?.ingress ?? []).map(({ _from: peers = [], ports = [] }) => ({ peers, ports }))
    : (spec?.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }));

const typesOf = ({ spec }: V1NetworkPolicy): readonly string[] =>
  spec?.policyTypes ?? ['Ingress', ...(spec?.egress === undefined ? [] : ['Egress'])];

const concerns = (policy: V1NetworkPolicy, pod: V1Pod, { type }: Side): boolean =>
  policy.metadata?.namespace === pod.metadata?.namespace &&
  typesOf(policy).includes(type) &&
  selects(policy.spec?.podSelector ?? {}, pod.metadata?.labels);

/** Packets allowed on one side of a pod; undefined when no policy applies. */
function allowed(pod: V1Pod, side: Side, state: NetworkState): readonly string[] | undefined {
  const policies = state.policies.filter((policy) => concerns(policy, pod, side));
  if (policies.length === 0) return undefined;
  return policies.flatMap((policy) =>
    rulesOf(policy, side).flatMap((rule) =>
      peersOf(rule, side, policy.metadata?.namespace, state).flatMap(({ match, pods }) =>
        portMatches(rule, side.type === 'Ingress' ? [pod] : pods).map((port) => `    ${match} ${port} return`),
      ),
    ),
  );
}

const ESTABLISHED = '    ct state established,related accept\n';

const hook = (name: string, maps: readonly string[]): string =>
  `  chain ${name} { type filter hook ${name} priority -5; policy accept;\n${ESTABLISHED}${maps.join('')}  }\n`;

/**
 * NetworkPolicies (v1, IPv4) as one nftables table that replaces the previous table. Packets from the node itself, such
 * as probes, are never filtered; a new pod is open until its address is known.
 */
export function renderRules(given: NetworkState): string {
  const state = { ...given, pods: given.pods.filter(isOnNetwork) };
  const chains: string[] = [];
  const mapOf = (side: Side): string => {
    const jumps = state.pods.flatMap((pod) => {
      const rules = allowed(pod, side, state);
      if (rules === undefined) return [];
      const name = `${side.chain}_${addressOf(pod).replaceAll('.', '_')}`;
      chains.push(`  chain ${name} {\n${rules.join('\n')}\n    counter drop\n  }\n`);
      return [`${addressOf(pod)} : jump ${name}`];
    });
    const own = side.type === 'Ingress' ? 'daddr' : 'saddr';
    return jumps.length === 0 ? '' : `    ip ${own} vmap { ${jumps.toSorted().join(', ')} }\n`;
  };
  const [incoming = '', outgoing = ''] = SIDES.map(mapOf);
  const hooks = hook('forward', [outgoing, incoming]) + hook('input', [outgoing]);
  return `table ${TABLE}\ndelete table ${TABLE}\ntable ${TABLE} {\n${chains.toSorted().join('')}${hooks}}\n`;
}
