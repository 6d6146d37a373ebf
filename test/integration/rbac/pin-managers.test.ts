import { expect } from 'chai';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { exampleManifest, exampleOrb } from './an-orb.ts';
import { APPLY, ask, askOk, JSON_PATCH, makeNamespace, MERGE, untilInForce, type Ask, type Reply } from './request.ts';

const NAMESPACE = 'rbac-managers';
const ORB = `/apis/orbs.dev/v1alpha1/namespaces/${NAMESPACE}/orbs/echo`;
const PIN = { provider: 'echo', mode: 'soft', expires_at: '2030-01-31T12:00:00Z', reason: 'trial' };
const base = { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'echo' } };

function managersOf({ metadata }: JsonObject): readonly JsonObject[] {
  const fields = isJsonObject(metadata) ? metadata['managedFields'] : undefined;
  return Array.isArray(fields) ? fields.filter(isJsonObject) : [];
}

const namesOf = (orb: JsonObject): readonly string[] =>
  managersOf(orb).map(({ manager, operation }) =>
    typeof manager === 'string' && typeof operation === 'string' ? `${manager} ${operation}` : 'no manager',
  );

// The manifest loader deletes only what it applied, and Argo CD, Flux and kubectl only take away what they applied.
describe('orb-api-pin-only, about who applied an Orb', () => {
  let plane: ControlPlane;
  let cleanUp: () => Promise<void>;
  const read = (): Promise<JsonObject> => askOk(plane, { method: 'GET', path: ORB });
  const asApi = (type: string, body: JsonValue, query = ''): Promise<Reply> =>
    ask(plane, { as: 'api', method: 'PATCH', path: `${ORB}${query}`, type, body });
  const applyAs = (manager: string, body: JsonObject): Promise<JsonObject> => {
    const path = `${ORB}?fieldManager=${manager}`;
    return askOk(plane, { method: 'PATCH', path, type: APPLY, body: { ...base, ...body } } satisfies Omit<Ask, 'as'>);
  };

  before(async () => {
    plane = await sharedControlPlane();
    cleanUp = await makeNamespace(plane, NAMESPACE);
    await applyAs('orb-manifest-loader', { spec: exampleManifest() });
    const body = { metadata: { labels: { extra: '1' } } };
    const refused = { as: 'api', method: 'PATCH', path: `${ORB}?dryRun=All`, type: MERGE, body } as const;
    await untilInForce(plane, 'orb-api-pin-only', refused);
  });
  after(() => cleanUp());
  beforeEach(() => applyAs('orb-manifest-loader', exampleOrb('echo')));

  const other = { manager: 'x', operation: 'Apply', apiVersion: 'orbs.dev/v1alpha1', fieldsType: 'FieldsV1' };
  const erased: readonly (readonly [string, JsonValue])[] = [
    ['emptied with one empty entry', [{}]],
    ['written by hand, for another manager', [{ ...other, fieldsV1: { 'f:spec': { 'f:orb_id': {} } } }]],
  ];
  for (const [what, managedFields] of erased) {
    it(`refuses managedFields that are ${what}`, async () => {
      const replies = [
        await asApi(MERGE, { metadata: { managedFields } }),
        await asApi(MERGE, { metadata: { managedFields }, spec: { pin: PIN } }),
        await asApi(JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: managedFields }]),
      ];
      for (const { status, message } of replies) {
        expect(status, message).to.equal(403);
        expect(message).to.match(
          /ValidatingAdmissionPolicy 'orb-api-pin-only'.*may not remove a manager from managedFields/,
        );
      }
      expect(namesOf(await read())).to.include('orb-manifest-loader Apply');
    });
  }

  it('keeps who applied an Orb when a patch names no managedFields, or none of them', async () => {
    for (const managedFields of [null, []]) await asApi(MERGE, { metadata: { managedFields }, spec: { pin: PIN } });
    expect(namesOf(await read())).to.include('orb-manifest-loader Apply');
  });

  it('lets the API remove a pin that somebody else applied, and nobody else’s part', async () => {
    await applyAs('somebody', { spec: { pin: PIN } });
    expect(namesOf(await read())).to.include('somebody Apply');
    const reply = await asApi(MERGE, { spec: { pin: null } });
    expect(reply.status, reply.message).to.equal(200);
    expect(namesOf(await read()))
      .to.include('orb-manifest-loader Apply')
      .and.not.include('somebody Apply');
  });

  it('lets the API set a pin again and again', async () => {
    for (const mode of ['soft', 'hard']) {
      const body = { ...base, spec: { pin: { ...PIN, mode } } };
      const reply = await asApi(APPLY, body, '?fieldManager=orb-api-pin&force=true');
      expect(reply.status, reply.message).to.equal(200);
    }
  });
});
