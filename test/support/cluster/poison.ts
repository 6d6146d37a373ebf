import type { JsonValue } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';

const KINDS = [
  ['Orb', 'orbs'],
  ['Orbiset', 'orbisets'],
  ['OrbPublication', 'orbpublications'],
] as const;

type Members = Readonly<Record<string, unknown>>;

/** One malformed shape of an object: its metadata besides name and namespace, and its other members. */
interface Shape {
  readonly metadata?: Members;
  readonly members: Members;
}

const ID = 'acme.echo@1.0.0';
const DEEP: JsonValue = Array.from({ length: 60 }).reduce<JsonValue>((inner) => ({ a: [inner] }), 'deep');

/** Every kind of JSON value in place of an object, and objects with members of wrong types. */
const SPECS: Readonly<Record<string, JsonValue>> = {
  'spec-null': null,
  'spec-number': 7,
  'spec-text': 'x',
  'spec-true': true,
  'spec-list': [1, {}],
  'spec-empty': {},
  'orb-id-number': { orb_id: 7, provider: 'main' },
  'members-of-other-types': { orb_id: {}, provider: [], inputs: 'x', outputs: 1, execution: false, pin: 'other' },
  'good-id': { orb_id: ID, execution: [], swap_config: 'x', providers: [null] },
  'vault-text': { vault: 'all', orbs: {}, suspended: 'yes', limits: [] },
  'vault-odd': { vault: { secrets: [null, 7, { name: {} }, { name: '../x', allowedHosts: 'all' }] }, orbs: [1, {}] },
  'manifest-odd': { manifest: [], test_results: 'x', test_suites: {} },
  'manifest-id': { manifest: { orb_id: ID }, suspended: 1 },
  'names-of-prototypes': { constructor: 'x', ['__proto__']: { orb_id: ID }, toString: 7, orb_id: ID },
  large: Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`m${index}`, 'x'.repeat(50)])),
  deep: { orb_id: ID, inputs: DEEP, execution: DEEP, vault: DEEP, manifest: DEEP },
};

const STATUSES: Readonly<Record<string, JsonValue>> = {
  'status-number': 7,
  'status-text': 'ready',
  'status-list': [],
  'conditions-text': { conditions: 'Ready', observedGeneration: 'one' },
  'conditions-odd': {
    conditions: [null, 'x', { type: 'Ready' }, { type: {}, status: [] }],
    failover: 7,
    validDigest: {},
  },
  'status-odd': {
    observedGeneration: -1,
    lastHandledReconcileAt: 7,
    vault: 'x',
    failover: [],
    validDigest: 'sha256:x',
  },
};

const METADATA: Readonly<Record<string, Members>> = {
  'labels-number': { labels: 7 },
  'labels-list': { labels: ['a'], annotations: 'x' },
  'annotations-odd': { annotations: { 'orbs.dev/reconcile-at': '\u0000 {{', 'orbs.dev/loaded-by': '../..' } },
  'generation-negative': { generation: -5 },
  'generation-none': { generation: undefined },
  'uid-none': { uid: undefined },
  'time-odd': { creationTimestamp: 'yesterday' },
  'owners-odd': { ownerReferences: 'x', finalizers: [1], managedFields: 'x' },
};

const SHAPES: Readonly<Record<string, Shape>> = {
  'spec-none': { members: {} },
  ...Object.fromEntries(Object.entries(SPECS).map(([name, spec]) => [name, { members: { spec } }])),
  ...Object.fromEntries(Object.entries(STATUSES).map(([name, status]) => [name, { members: { spec: {}, status } }])),
  ...Object.fromEntries(
    Object.entries(METADATA).map(([name, metadata]) => [name, { metadata, members: { spec: { orb_id: ID } } }]),
  ),
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * Stores malformed objects of every kind directly in etcd. The API server would never accept them, but they may exist
 * from a time before the schema. All of them can be listed.
 * @returns `Orb/spec-null` and so on, one name for each
 */
export async function storePoison(plane: ControlPlane, namespace: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const [kind, plural] of KINDS) {
    for (const [name, { metadata, members }] of Object.entries(SHAPES)) {
      const own = { uid: crypto.randomUUID(), creationTimestamp: '2026-01-01T00:00:00Z', generation: 1, ...metadata };
      const object = { apiVersion: 'orbs.dev/v1alpha1', kind, metadata: { name, namespace, ...own }, ...members };
      const entry = {
        key: base64(`/registry/orbs.dev/${plural}/${namespace}/${name}`),
        value: base64(JSON.stringify(object)),
      };
      const answer = await fetch(`${plane.etcdUrl}/v3/kv/put`, { method: 'POST', body: JSON.stringify(entry) });
      if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`);
      names.push(`${kind}/${name}`);
    }
  }
  return names;
}
