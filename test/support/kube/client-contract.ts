import { isJsonObject } from '../../../core/json/json-value.ts';
import { specOf, statusOf } from '../../../core/reconcile/read-object.ts';
import { expect } from 'chai';
import type { KubeObject, ObjectRef } from '../../../core/reconcile/kube-object.ts';
import { KINDS } from '../../../adapters/kube/kinds.ts';
import { KubeError, type AppliedObject, type KubeClient } from '../../../adapters/kube/port.ts';

interface Opened {
  readonly client: KubeClient;
  /** Exists, is empty and belongs to this suite. */
  readonly namespace: string;
  readonly close: () => Promise<void>;
}

const signal = new AbortController().signal;
const OTHER_UID = '00000000-0000-4000-8000-000000000000';

const SPEC = {
  orb_id: 'contract.orb@1.0.0',
  provider: 'one',
  inputs: {},
  outputs: {},
  execution: { type: 'http', method: 'GET', url: 'https://api.example.com/' },
};

const condition = (type: string): object => ({
  type,
  status: 'True',
  reason: 'Tested',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

const versionOf = ({ metadata }: KubeObject): string => metadata.resourceVersion ?? '';
const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? '';
/** `status reason` of a refusal, or `accepted`. */
const verdict = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof KubeError) return `${error.status} ${error.reason}`;
      throw error;
    },
  );

/**
 * The contract that writers rely on (operator.md A4, adapters/kube/port.ts), tested with Orbs. The object store of
 * standalone and a real API server must give the same answers.
 */
export function kubeClientContract(name: string, open: () => Promise<Opened>): void {
  describe(`KubeClient: ${name}`, () => {
    let client: KubeClient;
    let namespace: string;
    let close: Opened['close'];
    let count = 0;
    let ref: ObjectRef;

    before(async function () {
      this.timeout(120_000);
      ({ client, namespace, close } = await open());
    });
    after(() => close());
    beforeEach(() => {
      count += 1;
      ref = { namespace, name: `orb-${count}` };
    });

    const body = (metadata: object = {}, spec: unknown = SPEC): AppliedObject => ({
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'Orb',
      metadata: { ...ref, ...metadata },
      spec,
    });
    const apply = (object: AppliedObject, fieldManager = 'one'): Promise<KubeObject> =>
      client.apply(KINDS.orb, object, { fieldManager }, signal);
    const applyStatus = (status: object, metadata: object = {}, fieldManager = 'one'): Promise<KubeObject> => {
      const object = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { ...ref, ...metadata }, status };
      return client.apply(KINDS.orb, object, { fieldManager, subresource: 'status' }, signal);
    };
    const remove = (uid: string, resourceVersion: string): Promise<void> =>
      client.delete(KINDS.orb, ref, { uid, resourceVersion }, signal);
    const live = async (): Promise<KubeObject | undefined> => client.get(KINDS.orb, ref, signal);

    it('gives nothing for an object that is not there', async () => {
      expect(await live()).to.equal(undefined);
    });

    it('makes a missing object by an apply, but not one with a uid', async () => {
      expect(await verdict(apply(body({ uid: OTHER_UID })))).to.equal('409 Conflict');
      const made = await apply(body());
      expect(made.metadata.generation).to.equal(1);
      expect((await live())?.spec).to.deep.equal(SPEC);
    });

    it('refuses an apply that names another uid or an old resourceVersion', async () => {
      const made = await apply(body());
      expect(await verdict(apply(body({ uid: OTHER_UID })))).to.equal('422 Invalid');
      await apply(body({ uid: uidOf(made) }, { ...SPEC, description: 'new' }));
      expect(await verdict(apply(body({ resourceVersion: versionOf(made) })))).to.equal('409 Conflict');
    });

    it('changes nothing when an apply changes nothing', async () => {
      await apply(body());
      // The second apply may store defaults of the schema in the status.
      const made = await apply(body());
      expect(versionOf(await apply(body()))).to.equal(versionOf(made));
    });

    it('moves the generation with the spec only', async () => {
      await apply(body());
      expect((await apply(body({ labels: { a: 'b' } }))).metadata.generation).to.equal(1);
      expect((await applyStatus({ observedGeneration: 1 })).metadata.generation).to.equal(1);
      expect((await apply(body({}, { ...SPEC, description: 'new' }))).metadata.generation).to.equal(2);
    });

    it('removes a field that its manager leaves out, unless another one applied it too', async () => {
      const described = { ...SPEC, description: 'said by both' };
      await apply(body({ labels: { own: '1' } }, described));
      await apply(body({}, described), 'two');
      const less = await apply(body());
      expect(less.spec).to.deep.equal(described);
      expect(less.metadata.labels).to.equal(undefined);
      expect((await apply(body(), 'two')).spec).to.deep.equal(SPEC);
    });

    it('changes no value of another manager without force, and names that manager', async () => {
      await apply(body({}, { ...SPEC, description: 'of one' }));
      const wanted = body({}, { ...SPEC, description: 'of two' });
      const by = { fieldManager: 'two', force: false };
      const refusal: unknown = await client
        .apply(KINDS.orb, wanted, by, signal)
        .then(String, (error: unknown) => error);
      expect(refusal).to.deep.include({ status: 409, causes: ['FieldManagerConflict'], managers: ['one'] });
      expect((await live())?.spec).to.deep.include({ description: 'of one' });
      expect((await apply(wanted, 'two')).spec).to.deep.include({ description: 'of two' });
    });

    it('keeps finalizers of other managers', async () => {
      await apply(body());
      const finalizer = (list: readonly string[], manager: string): Promise<KubeObject> =>
        apply({ ...body({ finalizers: list }), spec: SPEC }, manager);
      await finalizer(['example.com/a'], 'a');
      const both = await finalizer(['example.com/b'], 'b');
      expect([...(both.metadata.finalizers ?? [])].toSorted()).to.deep.equal(['example.com/a', 'example.com/b']);
      expect((await finalizer([], 'a')).metadata.finalizers).to.deep.equal(['example.com/b']);
      expect((await finalizer([], 'b')).metadata.finalizers).to.equal(undefined);
    });

    it('has no status to write for a missing object', async () => {
      expect(await verdict(applyStatus({ observedGeneration: 1 }))).to.equal('404 NotFound');
    });

    it('ignores the uid of a status, and refuses an old resourceVersion', async () => {
      const made = await apply(body());
      expect(await verdict(applyStatus({ observedGeneration: 1 }, { uid: OTHER_UID }))).to.equal('accepted');
      const stale = applyStatus({ observedGeneration: 2 }, { resourceVersion: versionOf(made) });
      expect(await verdict(stale)).to.equal('409 Conflict');
    });

    it('holds conditions of two managers in one list', async () => {
      await apply(body());
      await applyStatus({ observedGeneration: 1, conditions: [condition('Ready'), condition('Stalled')] });
      await applyStatus({ conditions: [condition('PinValid')] }, {}, 'two');
      const object = await applyStatus({ conditions: [condition('Ready')] });
      expect(statusOf(object)['conditions']).to.deep.equal([condition('Ready'), condition('PinValid')]);
      expect(statusOf(object)['observedGeneration'] ?? 0, 'its default, or nothing').to.equal(0);
    });

    it('creates once', async () => {
      expect(await verdict(client.create(KINDS.orb, body(), signal))).to.equal('accepted');
      expect(await verdict(client.create(KINDS.orb, body(), signal))).to.equal('409 AlreadyExists');
    });

    it('makes up a name', async () => {
      const object = { ...body(), metadata: { namespace, generateName: 'made-up-' } };
      const made = await client.create(KINDS.orb, object, signal);
      expect(made.metadata.name).to.match(/^made-up-./);
      expect(await client.get(KINDS.orb, made.metadata, signal)).to.not.equal(undefined);
    });

    it('updates what has not changed since it was read', async () => {
      expect(await verdict(client.update(KINDS.orb, body({ resourceVersion: '1' }), signal))).to.equal('404 NotFound');
      const made = await apply(body());
      const at = { resourceVersion: versionOf(made) };
      const changed = await client.update(KINDS.orb, body(at, { ...SPEC, description: 'new' }), signal);
      expect(changed.spec).to.deep.equal({ ...SPEC, description: 'new' });
      expect(await verdict(client.update(KINDS.orb, body(at), signal))).to.equal('409 Conflict');
    });

    it('patches by merging, and of a status only the status', async () => {
      await apply(body({ labels: { a: '1', b: '2' } }));
      const patch = (patched: object, subresource?: 'status'): Promise<KubeObject> => {
        const options = { type: 'merge', body: patched, fieldManager: 'one' } as const;
        return client.patch(KINDS.orb, ref, subresource === undefined ? options : { ...options, subresource }, signal);
      };
      expect((await patch({ metadata: { labels: { a: null, c: '3' } } })).metadata.labels).to.deep.equal({
        b: '2',
        c: '3',
      });
      const both = await patch({ spec: { description: 'no' }, status: { observedGeneration: 1 } }, 'status');
      expect([both.spec, both.status]).to.deep.equal([SPEC, { observedGeneration: 1 }]);
      ref = { namespace, name: 'missing' };
      expect(await verdict(patch({ spec: {} }))).to.equal('404 NotFound');
    });

    const jsonPatch = (operations: readonly object[], fieldManager = 'one'): Promise<KubeObject> =>
      client.patch(KINDS.orb, ref, { type: 'json', body: operations, fieldManager }, signal);

    it('patches by operations, and an item before the one that stands there', async () => {
      const made = await apply(body({ labels: { 'a/b': '1' } }));
      const patched = await jsonPatch([
        { op: 'test', path: '/metadata/uid', value: uidOf(made) },
        { op: 'test', path: '/metadata/resourceVersion', value: versionOf(made) },
        { op: 'add', path: '/spec/description', value: 'new' },
        { op: 'replace', path: '/spec/provider', value: 'two' },
        { op: 'replace', path: '/metadata/labels/a~1b', value: '2' },
        { op: 'add', path: '/metadata/finalizers', value: ['example.com/b'] },
        { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/a' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
        { op: 'remove', path: '/metadata/finalizers/1' },
        { op: 'test', path: '/metadata/finalizers', value: ['example.com/a', 'example.com/c'] },
      ]);
      expect(patched.spec).to.deep.equal({ ...SPEC, description: 'new', provider: 'two' });
      const finalizers = ['example.com/a', 'example.com/c'];
      expect(patched.metadata).to.deep.include({ generation: 2, labels: { 'a/b': '2' }, finalizers });
      const less = await jsonPatch([
        { op: 'remove', path: '/spec/description' },
        { op: 'remove', path: '/metadata/finalizers' },
      ]);
      expect(less.spec).to.deep.equal({ ...SPEC, provider: 'two' });
      expect(less.metadata.finalizers).to.equal(undefined);
    });

    const failing: readonly (readonly [why: string, operation: object])[] = [
      ['tests a value that is another', { op: 'test', path: '/spec/provider', value: 'two' }],
      ['tests another uid', { op: 'test', path: '/metadata/uid', value: OTHER_UID }],
      ['removes what is not there', { op: 'remove', path: '/spec/pin' }],
      ['replaces what is not there', { op: 'replace', path: '/spec/pin', value: {} }],
      ['adds below what is not there', { op: 'add', path: '/spec/pin/reason', value: 'x' }],
    ];
    for (const [why, operation] of failing) {
      it(`changes nothing by a patch that ${why}`, async () => {
        const made = await apply(body());
        const added = { op: 'add', path: '/spec/description', value: 'new' };
        expect(await verdict(jsonPatch([added, operation]))).to.equal('422 Invalid');
        expect((await live())?.spec).to.deep.equal(made.spec);
      });
    }

    it('patches no missing object, and of another version none', async () => {
      expect(await verdict(jsonPatch([]))).to.equal('404 NotFound');
      const made = await apply(body());
      await apply(body({ labels: { a: '1' } }));
      const stale = [{ op: 'test', path: '/metadata/resourceVersion', value: versionOf(made) }];
      expect(await verdict(jsonPatch(stale))).to.equal('422 Invalid');
    });

    it('takes what a patch changes from who applied it', async () => {
      await apply(body({}, { ...SPEC, description: 'of one' }));
      await jsonPatch([{ op: 'replace', path: '/spec/description', value: 'of two' }], 'two');
      expect((await apply(body())).spec).to.deep.equal({ ...SPEC, description: 'of two' });
      const options = { fieldManager: 'one', force: false };
      const wanted = body({}, { ...SPEC, description: 'of one' });
      const refusal: unknown = await client
        .apply(KINDS.orb, wanted, options, signal)
        .then(String, (error: unknown) => error);
      expect(refusal).to.deep.include({ status: 409, causes: ['FieldManagerConflict'], managers: ['two'] });
    });

    it('makes another version of an object that has one more owner, and no other generation', async () => {
      await apply(body());
      const made = await apply(body());
      const shared = await apply(body(), 'two');
      expect(shared.metadata.generation).to.equal(1);
      expect(versionOf(shared)).to.not.equal(versionOf(made));
    });

    it('says which members of a pin somebody wrote', async () => {
      const pin = { provider: 'one', mode: 'soft', expires_at: '2026-01-01T00:00:00Z', reason: 'of one' };
      await apply(body({}, { ...SPEC, pin }));
      const { reason: _, ...api } = { ...pin, mode: 'hard' };
      const both = await apply(body({}, { pin: api }), 'two');
      expect(specOf(both)['pin']).to.deep.equal({ ...pin, ...api });
      const owned = (both.metadata.managedFields ?? []).flatMap((entry) => {
        const { manager, operation, fieldsV1 } = isJsonObject(entry) ? entry : {};
        const fields = isJsonObject(fieldsV1) && isJsonObject(fieldsV1['f:spec']) ? fieldsV1['f:spec']['f:pin'] : {};
        return isJsonObject(fields) ? [[manager, operation, Object.keys(fields).toSorted()]] : [];
      });
      expect(owned).to.have.deep.members([
        ['one', 'Apply', ['f:expires_at', 'f:provider', 'f:reason']],
        ['two', 'Apply', ['f:expires_at', 'f:mode', 'f:provider']],
      ]);
    });

    it('deletes only what is meant, and does not mind what is gone', async () => {
      const made = await apply(body());
      expect(await verdict(remove(OTHER_UID, versionOf(made)))).to.equal('409 Conflict');
      const changed = await apply(body({ labels: { a: '1' } }));
      expect(await verdict(remove(uidOf(made), versionOf(made)))).to.equal('409 Conflict');
      expect(await verdict(remove(uidOf(made), versionOf(changed)))).to.equal('accepted');
      expect(await live()).to.equal(undefined);
      expect(await verdict(remove(uidOf(made), versionOf(changed)))).to.equal('accepted');
    });

    it('lists by name and by label', async () => {
      await apply(body({ labels: { suite: 'list', part: 'a' } }));
      const first = ref;
      ref = { namespace, name: `${ref.name}-b` };
      await apply(body({ labels: { suite: 'list', part: 'b' } }));
      const names = async (query: object): Promise<readonly string[]> =>
        (await client.list(KINDS.orb, { namespace, ...query }, signal)).items.map(({ metadata }) => metadata.name);
      expect(await names({ fieldSelector: `metadata.name=${first.name}` })).to.deep.equal([first.name]);
      expect(await names({ labelSelector: 'suite=list' })).to.deep.equal([first.name, ref.name]);
      expect(await names({ labelSelector: 'suite=list,part=b' })).to.deep.equal([ref.name]);
      expect(await names({ labelSelector: 'nothing' })).to.deep.equal([]);
    });
  });
}
