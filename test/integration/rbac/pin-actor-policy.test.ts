import { expect } from 'chai';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { failoverPinIn } from '../../../core/orb/plan-pin.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import type { UserName } from '../../../hack/control-plane/users.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { exampleManifest, exampleOrb } from './an-orb.ts';
import { APPLY, ask, askOk, JSON_PATCH, MERGE, untilInForce, type Reply } from './request.ts';

const NAMESPACE = 'tenant-a';
const ORBS = `/apis/orbs.dev/v1alpha1/namespaces/${NAMESPACE}/orbs`;
const ORB = `${ORBS}/pinned`;
const API = 'orb-api-pin';
const ACTOR = 'key:k7Qp2xZa';
const PIN = { provider: 'echo', mode: 'soft', expires_at: '2030-01-31T12:00:00Z', reason: 'trial' };
const LATER = '2030-02-28T12:00:00Z';
const base = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'pinned' } };

const isKubeObject = (value: JsonObject): value is JsonObject & KubeObject => isJsonObject(value['metadata']);

const pinOf = ({ spec }: JsonObject): unknown => (isJsonObject(spec) ? spec['pin'] : undefined);

function checkOk({ status, message }: Reply): void {
  expect(status, message).to.be.within(200, 201);
}

describe('orb-pin-actor', () => {
  let plane: ControlPlane;
  const read = (): Promise<JsonObject> => askOk(plane, { method: 'GET', path: ORB });
  const applied = (as: UserName, manager: string, spec: JsonObject): Promise<Reply> => {
    const path = `${ORB}?fieldManager=${manager}&force=true`;
    return ask(plane, { as, method: 'PATCH', path, type: APPLY, body: { ...base, spec } });
  };
  const patched = (type: string, body: JsonValue, manager = 'kubectl-edit'): Promise<Reply> =>
    ask(plane, { as: 'tenant-a', method: 'PATCH', path: `${ORB}?fieldManager=${manager}`, type, body });
  const made = (spec: JsonObject, query = ''): Promise<Reply> =>
    ask(plane, { as: 'tenant-a', method: 'POST', path: `${ORBS}${query}`, body: { ...exampleOrb('made'), spec } });

  /** Whom the operator names. */
  async function actor(): Promise<string | null | undefined> {
    const orb = await read();
    if (!isKubeObject(orb)) throw new TypeError('no object');
    return failoverPinIn(orb)?.actor;
  }

  async function checkRefused(why: RegExp, send: () => Promise<Reply>): Promise<void> {
    const before = await read();
    const { status, message } = await send();
    expect(status, message).to.equal(403);
    expect(message).to.include("ValidatingAdmissionPolicy 'orb-pin-actor'").and.to.match(why);
    expect(await read()).to.deep.equal(before);
  }
  const ALONE = /spec\.pin\.actor is written by the Orb API alone.*Leave actor out/;
  const NAME = /field manager orb-api-pin is the Orb API's own/;

  before(async () => {
    plane = await sharedControlPlane();
    await askOk(plane, { method: 'POST', path: ORBS, body: exampleOrb('pinned') });
    const body = { spec: { pin: { ...PIN, actor: ACTOR } } };
    const refused = { as: 'tenant-a', method: 'PATCH', path: `${ORB}?dryRun=All`, type: MERGE, body } as const;
    await untilInForce(plane, 'orb-pin-actor', refused);
  });
  after(() => askOk(plane, { method: 'DELETE', path: ORB }));
  beforeEach(() => askOk(plane, { method: 'PATCH', path: ORB, type: MERGE, body: { spec: { pin: null } } }));
  const pinByApi = async (): Promise<void> => checkOk(await applied('api', API, { pin: { ...PIN, actor: ACTOR } }));

  describe('of an Orb without a pin', () => {
    const named = { ...PIN, actor: ACTOR };
    const writes: readonly (readonly [string, () => Promise<Reply>])[] = [
      ['a merge patch', () => patched(MERGE, { spec: { pin: named } })],
      ['a merge patch as orb-api-pin', () => patched(MERGE, { spec: { pin: named } }, API)],
      ['a JSON Patch', () => patched(JSON_PATCH, [{ op: 'add', path: '/spec/pin', value: named }])],
      ['an apply', () => applied('tenant-a', 'argocd-controller', { pin: named })],
      ['an apply as orb-api-pin', () => applied('tenant-a', API, { pin: named })],
      ['an apply of an administrator', () => applied('admin', API, { pin: named })],
      ['an empty name', () => patched(MERGE, { spec: { pin: { ...named, actor: '' } } })],
    ];
    for (const [how, send] of writes) {
      it(`refuses an actor by ${how}`, () => checkRefused(ALONE, send));
    }

    it('takes a pin without an actor from anybody who may write an Orb', async () => {
      checkOk(await patched(MERGE, { spec: { pin: PIN } }));
      expect(await actor()).to.equal('kubectl-edit');
      checkOk(await patched(MERGE, { spec: { pin: { expires_at: LATER } } }));
      checkOk(await patched(MERGE, { spec: { pin: null } }));
      expect(pinOf(await read())).to.equal(undefined);
    });

    it('names nobody for a pin in the name of the API, or of its callers', async () => {
      for (const manager of [API, ACTOR, 'sa:acme/ci']) {
        checkOk(await patched(MERGE, { spec: { pin: PIN } }, encodeURIComponent(manager)));
        expect(await actor(), manager).to.equal(null);
        checkOk(await patched(MERGE, { spec: { pin: null } }));
      }
    });

    it('takes the API’s actor', async () => {
      await pinByApi();
      expect(await actor()).to.equal(ACTOR);
    });
  });

  describe('of a new Orb', () => {
    const manifest = exampleManifest();
    it('refuses an actor, of a copy from another cluster too, and says what to leave out', async () => {
      const spec = { ...manifest, pin: { ...PIN, actor: ACTOR } };
      const replies = [
        await made(spec),
        await made(spec, `?fieldManager=${API}`),
        await ask(plane, {
          as: 'tenant-a',
          method: 'PATCH',
          path: `${ORBS}/made?fieldManager=${API}`,
          type: APPLY,
          body: { ...exampleOrb('made'), spec },
        }),
      ];
      for (const { status, message } of replies) {
        expect(status, message).to.equal(403);
        expect(message).to.include("ValidatingAdmissionPolicy 'orb-pin-actor'").and.to.match(ALONE);
      }
      expect((await ask(plane, { as: 'admin', method: 'GET', path: `${ORBS}/made` })).status).to.equal(404);
    });

    it('takes one without a pin, and with a pin without an actor', async () => {
      for (const spec of [manifest, { ...manifest, pin: PIN }]) checkOk(await made(spec, '?dryRun=All'));
    });
  });

  describe('of an Orb that the API has pinned', () => {
    beforeEach(pinByApi);

    const forged: readonly (readonly [string, RegExp, () => Promise<Reply>])[] = [
      ['another actor', ALONE, () => patched(MERGE, { spec: { pin: { actor: 'key:other000' } } })],
      ['another actor as the API', ALONE, () => applied('tenant-a', API, { pin: { ...PIN, actor: 'key:other000' } })],
      [
        'another end as the API',
        NAME,
        () => applied('tenant-a', API, { pin: { ...PIN, actor: ACTOR, expires_at: LATER } }),
      ],
      [
        'another reason as the API',
        NAME,
        () => applied('tenant-a', API, { pin: { ...PIN, actor: ACTOR, reason: 'x' } }),
      ],
      ['another end as the API, by a patch', NAME, () => patched(MERGE, { spec: { pin: { expires_at: LATER } } }, API)],
      [
        'an id as the API, where it wrote none',
        NAME,
        () =>
          applied('tenant-a', API, {
            pin: { ...PIN, actor: ACTOR, id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11' },
          }),
      ],
    ];
    for (const [what, why, send] of forged) it(`refuses ${what}`, () => checkRefused(why, send));

    it('refuses managedFields that give the API what somebody else wrote', async () => {
      checkOk(await patched(MERGE, { spec: { pin: { expires_at: LATER } } }));
      const fields = ['provider', 'mode', 'expires_at', 'reason', 'actor'].map((name) => [`f:${name}`, {}] as const);
      const managedFields = ['Apply', 'Update'].map((operation) => ({
        manager: API,
        operation,
        apiVersion: 'orbs.dev/v1alpha1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:pin': Object.fromEntries(fields) } },
      }));
      await checkRefused(NAME, () => patched(MERGE, { metadata: { managedFields } }));
      await checkRefused(NAME, () =>
        patched(JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: managedFields }]),
      );
      expect(await actor()).to.equal('kubectl-edit');
    });

    it('lets anybody change the rest of the Orb, by patch, apply and replace', async () => {
      checkOk(await patched(MERGE, { spec: { description: 'One.' }, metadata: { labels: { team: 'mail' } } }));
      checkOk(await applied('tenant-a', 'argocd-controller', { ...exampleManifest(), description: 'Two.' }));
      const orb = await read();
      const spec = isJsonObject(orb['spec']) ? { ...orb['spec'], description: 'Three.' } : {};
      checkOk(await ask(plane, { as: 'tenant-a', method: 'PUT', path: ORB, body: { ...orb, spec } }));
      expect(await actor()).to.equal(ACTOR);
    });

    it('lets anybody take the pin over, in a name of their own', async () => {
      checkOk(await patched(MERGE, { spec: { pin: { expires_at: LATER } } }));
      expect(await actor()).to.equal('kubectl-edit');
      await pinByApi();
      expect(await actor()).to.equal(ACTOR);
      checkOk(await applied('tenant-a', 'argocd-controller', { pin: { ...PIN, mode: 'hard' } }));
      expect(await actor()).to.equal('argocd-controller');
    });

    it('lets anybody repeat what the API wrote, and it stays the API’s', async () => {
      checkOk(await applied('tenant-a', 'argocd-controller', { pin: { ...PIN, actor: ACTOR } }));
      expect(await actor()).to.equal(ACTOR);
    });

    it('lets anybody remove the pin, or its actor alone', async () => {
      checkOk(await patched(JSON_PATCH, [{ op: 'remove', path: '/spec/pin/actor' }]));
      expect(await actor()).to.equal(null);
      checkOk(await patched(MERGE, { spec: { pin: null } }));
      expect(pinOf(await read())).to.equal(undefined);
    });
  });
});
