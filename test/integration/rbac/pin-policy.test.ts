import { expect } from 'chai';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { exampleManifest, exampleOrb } from './an-orb.ts';
import { APPLY, ask, askOk, JSON_PATCH, makeNamespace, MERGE, untilInForce, type Ask, type Reply } from './request.ts';

const NAMESPACE = 'rbac-pin';
const ORBS = `/apis/orbs.dev/v1alpha1/namespaces/${NAMESPACE}/orbs`;
const ORB = `${ORBS}/echo`;
const FORCED = `${ORB}?fieldManager=orb-api-pin&force=true`;
const PIN = { provider: 'echo', mode: 'soft', expires_at: '2030-01-31T12:00:00Z', reason: 'trial' };
// Everything that RBAC alone would refuse is allowed for a while, so that only the policy is left to say no.
const WIDE = 'rbac-test-wide-api';
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: '3a3c2a7e-0000-4000-8000-000000000000' };

/** All of an Orb but what the server keeps for itself. */
function contentOf(orb: JsonObject): JsonObject {
  const { metadata, spec } = orb;
  if (!isJsonObject(metadata) || !isJsonObject(spec)) throw new TypeError('an Orb has metadata and spec');
  const kept = Object.entries(metadata).filter(
    ([name]) => !['managedFields', 'resourceVersion', 'generation'].includes(name),
  );
  return { ...orb, metadata: Object.fromEntries(kept) };
}

describe('orb-api-pin-only', () => {
  let plane: ControlPlane;
  let cleanUp: () => Promise<void>;
  let standing: JsonObject;
  const read = (): Promise<JsonObject> => askOk(plane, { method: 'GET', path: ORB });
  const asApi = (what: Omit<Ask, 'as' | 'path'> & { readonly path?: string }): Promise<Reply> =>
    ask(plane, { path: ORB, ...what, as: 'api' });

  before(async () => {
    plane = await sharedControlPlane();
    cleanUp = await makeNamespace(plane, NAMESPACE);
    // One that exists, or the garbage collector removes the Orb.
    const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
    const made = await askOk(plane, {
      method: 'POST',
      path,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: OWNER.name } },
    });
    const { uid } = isJsonObject(made['metadata']) ? made['metadata'] : {};
    const metadata = {
      labels: { team: 'mail' },
      annotations: { note: 'one' },
      finalizers: ['example.com/keep'],
      ownerReferences: [{ ...OWNER, uid: uid ?? '' }],
    };
    await askOk(plane, { method: 'POST', path: ORBS, body: exampleOrb('echo', metadata) });
    const body = { metadata: { labels: { extra: '1' } } };
    const refused = { as: 'api', method: 'PATCH', path: `${ORB}?dryRun=All`, type: MERGE, body } as const;
    await untilInForce(plane, 'orb-api-pin-only', refused);
  });
  after(async () => {
    await askOk(plane, { method: 'PATCH', path: ORB, type: MERGE, body: { metadata: { finalizers: null } } });
    await cleanUp();
  });
  beforeEach(async () => {
    standing = contentOf(await read());
  });

  async function checkRefused({ status, message }: Reply): Promise<void> {
    expect(status, message).to.equal(403);
    // Replace and create are RBAC's to refuse; all else is the policy's.
    expect(message).to.match(
      /ValidatingAdmissionPolicy 'orb-api-pin-only'|cannot (create|update|delete|deletecollection|patch) resource/,
    );
    expect(contentOf(await read())).to.deep.equal(standing);
  }

  const manifest = exampleManifest();
  const merges: readonly (readonly [string, JsonValue])[] = [
    ['spec.orb_id, changed', { orb_id: 'example.echo@2.0.0' }],
    ['spec.description, removed', { description: null }],
    ['spec.description, changed', { description: 'Another text.' }],
    ['spec.provider, changed', { provider: 'other' }],
    ['spec.execution.url, changed', { execution: { url: 'https://evil.example/collect' } }],
    ['spec.execution.headers, one added', { execution: { headers: { 'X-Extra': '1' } } }],
    ['spec.inputs, one added', { inputs: { more: { type: 'string' } } }],
    ['spec.outputs, one removed', { outputs: { words: null } }],
    ['spec.swap_config, added', { swap_config: { primary: 'echo' } }],
    ['spec.effect, added', { effect: 'irreversible' }],
    ['spec.description beside a pin', { description: 'Another text.', pin: PIN }],
  ];
  for (const [what, spec] of merges)
    it(`refuses a merge patch of ${what}`, async () => {
      await checkRefused(await asApi({ method: 'PATCH', type: MERGE, body: { spec } }));
    });

  const metadata: readonly (readonly [string, JsonValue])[] = [
    ['a label, added', { labels: { extra: '1' } }],
    ['a label, changed', { labels: { team: 'other' } }],
    ['a label, removed', { labels: { team: null } }],
    ['all labels, removed', { labels: null }],
    ['an annotation, added', { annotations: { extra: '1' } }],
    ['an annotation, changed', { annotations: { note: 'two' } }],
    ['an annotation, removed', { annotations: { note: null } }],
    ['finalizers, removed', { finalizers: null }],
    ['finalizers, one added', { finalizers: ['example.com/keep', 'example.com/more'] }],
    ['ownerReferences, removed', { ownerReferences: null }],
    ['ownerReferences, changed', { ownerReferences: [{ ...OWNER, name: 'y' }] }],
  ];
  for (const [what, changes] of metadata) {
    it(`refuses a merge patch of ${what}`, async () => {
      await checkRefused(await asApi({ method: 'PATCH', type: MERGE, body: { metadata: changes } }));
    });
    it(`refuses a merge patch of ${what}, beside a pin`, async () => {
      const body = { metadata: changes, spec: { pin: PIN } };
      await checkRefused(await asApi({ method: 'PATCH', type: MERGE, body }));
    });
  }

  it('refuses a JSON Patch of the manifest and of metadata', async () => {
    const patches = [
      [{ op: 'replace', path: '/spec/execution/url', value: 'https://evil.example/collect' }],
      [{ op: 'remove', path: '/spec/description' }],
      [{ op: 'add', path: '/metadata/labels/extra', value: '1' }],
      [
        { op: 'add', path: '/spec/pin', value: PIN },
        { op: 'remove', path: '/metadata/finalizers' },
      ],
    ];
    for (const body of patches) await checkRefused(await asApi({ method: 'PATCH', type: JSON_PATCH, body }));
  });

  it('refuses an apply of the manifest, of labels and of a finalizer', async () => {
    const base = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb' };
    const applied = [
      { ...base, metadata: { name: 'echo' }, spec: { description: 'Another text.', pin: PIN } },
      { ...base, metadata: { name: 'echo', labels: { extra: '1' } }, spec: { pin: PIN } },
      { ...base, metadata: { name: 'echo', finalizers: ['example.com/more'] } },
    ];
    for (const body of applied) await checkRefused(await asApi({ method: 'PATCH', path: FORCED, type: APPLY, body }));
  });

  it('refuses to make an Orb, by apply and by create, to replace and to delete one', async () => {
    const orb = exampleOrb('other');
    const replies = [
      await asApi({ method: 'PATCH', path: FORCED.replace('/echo?', '/other?'), type: APPLY, body: orb }),
      await asApi({ method: 'POST', path: ORBS, body: orb }),
      await asApi({ method: 'PUT', body: { ...standing, spec: { ...manifest, pin: PIN } } }),
      await asApi({ method: 'DELETE' }),
      await asApi({ method: 'DELETE', path: ORBS }),
    ];
    for (const reply of replies) await checkRefused(reply);
    expect((await ask(plane, { as: 'admin', method: 'GET', path: `${ORBS}/other` })).status).to.equal(404);
  });

  it('refuses to write the status of an Orb', async () => {
    const body = { status: { validDigest: `sha256:${'0'.repeat(64)}` } };
    await checkRefused(await asApi({ method: 'PATCH', path: `${ORB}/status`, type: MERGE, body }));
  });

  describe('when RBAC would allow the API everything', () => {
    const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/rolebindings`;
    before(() =>
      askOk(plane, {
        method: 'POST',
        path: bindings,
        body: {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'RoleBinding',
          metadata: { name: WIDE },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
          subjects: [{ kind: 'ServiceAccount', name: 'orb-api', namespace: 'orb-system' }],
        },
      }),
    );
    after(() => askOk(plane, { method: 'DELETE', path: `${bindings}/${WIDE}` }));

    it('still refuses to create, replace and delete an Orb, and to write its status', async () => {
      const orb = exampleOrb('other');
      const status = { status: { validDigest: `sha256:${'0'.repeat(64)}` } };
      const changed = { ...(await read()), spec: { ...manifest, description: 'A third text.' } };
      const replies = [
        await asApi({ method: 'PATCH', path: FORCED.replace('/echo?', '/other?'), type: APPLY, body: orb }),
        await asApi({ method: 'POST', path: ORBS, body: orb }),
        await asApi({ method: 'PUT', body: changed }),
        await asApi({ method: 'DELETE' }),
        await asApi({ method: 'DELETE', path: ORBS }),
        await asApi({ method: 'PATCH', path: `${ORB}/status`, type: MERGE, body: status }),
      ];
      for (const reply of replies) {
        await checkRefused(reply);
        expect(reply.message).to.match(/ValidatingAdmissionPolicy 'orb-api-pin-only'/);
      }
    });
  });

  const pins: readonly (readonly [string, Pick<Ask, 'method' | 'type' | 'body'>])[] = [
    [
      'apply',
      {
        method: 'PATCH',
        type: APPLY,
        body: { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'echo' }, spec: { pin: PIN } },
      },
    ],
    ['merge patch', { method: 'PATCH', type: MERGE, body: { spec: { pin: { ...PIN, reason: 'longer trial' } } } }],
    [
      'JSON Patch',
      { method: 'PATCH', type: JSON_PATCH, body: [{ op: 'replace', path: '/spec/pin/mode', value: 'hard' }] },
    ],
  ];
  for (const [how, what] of pins)
    it(`lets the API set and change a pin by ${how}`, async () => {
      const reply = await asApi({ ...what, path: what.type === APPLY ? FORCED : ORB });
      expect(reply.status, reply.message).to.equal(200);
      const changed = contentOf(await read());
      expect(changed['metadata']).to.deep.equal(standing['metadata']);
      expect(changed['spec']).to.not.deep.equal(standing['spec']);
    });

  it('lets the API remove a pin', async () => {
    const reply = await asApi({ method: 'PATCH', type: MERGE, body: { spec: { pin: null } } });
    expect(reply.status, reply.message).to.equal(200);
    expect((await read())['spec']).to.deep.equal(manifest);
  });

  it('lets everybody else change an Orb', async () => {
    const body = { metadata: { labels: { extra: '1' } }, spec: { description: 'Another text.' } };
    expect((await ask(plane, { as: 'admin', method: 'PATCH', path: ORB, type: MERGE, body })).status).to.equal(200);
  });
});
