import { expect } from 'chai';
import { APPLY, createAdminApi, JSON_PATCH, MERGE, type AdminApi, type ApiAnswer } from '../../chaos/rig/admin-api.ts';
import { metadataOf, textOf } from '../../chaos/rig/json.ts';
import { at, isRecord } from '../../../hack/control-plane/json.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { installWidgets, removeWidgets, WIDGET, widgets } from './widgets.ts';

const NS = 'facts';
const WRONG_UID = '00000000-0000-4000-8000-000000000000';

/** `details.causes[].reason` of a Status. */
function causesOf({ body }: ApiAnswer): readonly unknown[] {
  const causes = at(body, 'details', 'causes');
  return Array.isArray(causes) ? causes.map((cause: unknown) => at(cause, 'reason')) : [];
}

const rvOf = (object: unknown): string => textOf(metadataOf(object)['resourceVersion']) ?? '';
const uidOf = (object: unknown): string => textOf(metadataOf(object)['uid']) ?? '';

const path = (name: string, sub = ''): string => `${widgets(NS, name)}${sub}`;

// What the platform builds on (operator.md A4); an API server that behaves otherwise must be noticed here.
describe('facts of the API server', function () {
  let api: AdminApi;
  let count = 0;

  before(async function () {
    this.timeout(120_000);
    const plane = await sharedControlPlane();
    api = createAdminApi(plane.server.url, plane.ca, plane.users.admin.token);
    await installWidgets(api, NS);
  });
  after(async () => {
    await removeWidgets(api, NS);
    api.close();
  });

  const freshName = (): string => `w${(count += 1)}`;
  const patch = (name: string, sub: string, type: string, body: unknown): Promise<ApiAnswer> =>
    api.call('PATCH', path(name, sub), { body, type });
  const apply = (
    name: string,
    members: Readonly<Record<string, unknown>>,
    {
      manager = 'one',
      sub = '',
      meta = {},
    }: { manager?: string; sub?: string; meta?: Readonly<Record<string, unknown>> } = {},
  ): Promise<ApiAnswer> =>
    api.call('PATCH', `${path(name, sub)}?fieldManager=${manager}&force=true`, {
      body: { ...WIDGET, metadata: { name, ...meta }, ...members },
      type: APPLY,
    });
  const create = async (
    spec: unknown = {},
    meta: Readonly<Record<string, unknown>> = {},
  ): Promise<{ readonly name: string; readonly object: unknown }> => {
    const name = freshName();
    const object = await api.ok('POST', widgets(NS), { body: { ...WIDGET, metadata: { name, ...meta }, spec } });
    return { name, object };
  };
  const event = (members: Readonly<Record<string, unknown>>): Promise<ApiAnswer> =>
    api.call('POST', '/apis/events.k8s.io/v1/namespaces/facts/events', {
      body: {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: freshName(), namespace: NS },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'orbs.dev/operator',
        reportingInstance: 'pod',
        action: 'Check',
        reason: 'Fact',
        type: 'Normal',
        note: 'n',
        regarding: { ...WIDGET, name: 'w', namespace: NS },
        ...members,
      },
    });
  const sizeOfList = async (query: string): Promise<number> =>
    (await api.list(`${widgets(NS)}?limit=2${query}`)).length;
  const get = async (name: string): Promise<unknown> => (await api.call('GET', path(name))).body;

  describe('server-side apply', () => {
    it('creates a missing object', async () => {
      expect((await apply(freshName(), { spec: { a: 1 } })).status).to.equal(201);
    });

    it('with a uid does not create a missing object: 409', async () => {
      const answer = await apply(freshName(), { spec: {} }, { meta: { uid: WRONG_UID } });
      expect(answer.status).to.equal(409);
      expect(at(answer.body, 'reason')).to.equal('Conflict');
      expect(causesOf(answer)).to.not.include('FieldManagerConflict');
    });

    it('with the uid of another object is refused: 422', async () => {
      const { name, object } = await create({ a: 1 });
      const answer = await apply(name, { spec: { a: 2 } }, { meta: { uid: WRONG_UID } });
      expect(answer.status).to.equal(422);
      expect(rvOf(await get(name))).to.equal(rvOf(object));
    });

    it('without a change answers 200 and keeps the version', async () => {
      const name = freshName();
      const { body } = await apply(name, { spec: { a: 1 } });
      const again = await apply(name, { spec: { a: 1 } });
      expect(again.status).to.equal(200);
      expect(rvOf(again.body)).to.equal(rvOf(body));
    });

    it('that leaves out an owned field removes it', async () => {
      const name = freshName();
      await apply(name, { spec: { a: 1, b: 2 } });
      expect(at((await apply(name, { spec: { a: 1 } })).body, 'spec')).to.deep.equal({ a: 1 });
    });

    it('without force tells a field of another manager by its cause', async () => {
      const name = freshName();
      await apply(name, { spec: { a: 1 } });
      const answer = await api.call('PATCH', `${path(name)}?fieldManager=two`, {
        body: { ...WIDGET, metadata: { name }, spec: { a: 2 } },
        type: APPLY,
      });
      expect(answer.status).to.equal(409);
      expect(causesOf(answer)).to.deep.equal(['FieldManagerConflict']);
    });

    it('of finalizers by two managers gives their union; an empty one removes the own alone', async () => {
      const name = freshName();
      await apply(name, {}, { manager: 'one', meta: { finalizers: ['a.orbs.dev/x'] } });
      const both = await apply(name, {}, { manager: 'two', meta: { finalizers: ['b.orbs.dev/x'] } });
      expect(metadataOf(both.body)['finalizers']).to.have.members(['a.orbs.dev/x', 'b.orbs.dev/x']);
      const one = await apply(name, {}, { manager: 'two' });
      expect(metadataOf(one.body)['finalizers']).to.deep.equal(['a.orbs.dev/x']);
      await apply(name, {}, { manager: 'one' });
    });
  });

  describe('status', () => {
    for (const [kind, type] of [
      ['apply', APPLY],
      ['merge patch', MERGE],
    ] as const) {
      const write = (name: string, meta: Readonly<Record<string, unknown>>, status: unknown): Promise<ApiAnswer> =>
        type === APPLY
          ? apply(name, { status }, { sub: '/status', meta })
          : patch(name, '/status', type, { metadata: meta, status });

      it(`${kind} ignores a wrong uid: 200`, async () => {
        const { name } = await create();
        const answer = await write(name, { uid: WRONG_UID }, { a: 1 });
        expect(answer.status).to.equal(200);
        expect(at(answer.body, 'status')).to.deep.equal({ a: 1 });
      });

      it(`${kind} with a stale version: 409`, async () => {
        const { name, object } = await create();
        await api.ok('PATCH', path(name), { body: { spec: { b: 1 } }, type: MERGE });
        const answer = await write(name, { resourceVersion: rvOf(object) }, { a: 1 });
        expect(answer.status).to.equal(409);
        expect(causesOf(answer)).to.not.include('FieldManagerConflict');
      });

      it(`${kind} with the version of a deleted and re-created object: 409`, async () => {
        const { name, object } = await create();
        await api.ok('DELETE', path(name));
        await api.ok('POST', widgets(NS), { body: { ...WIDGET, metadata: { name } } });
        expect((await write(name, { resourceVersion: rvOf(object) }, { a: 1 })).status).to.equal(409);
      });

      it(`${kind} of a missing object: 404`, async () => {
        expect((await write(freshName(), {}, { a: 1 })).status).to.equal(404);
      });

      it(`${kind} that changes nothing keeps the version`, async () => {
        const { name } = await create();
        const first = await write(name, {}, { a: 1 });
        const again = await write(name, {}, { a: 1 });
        expect([again.status, rvOf(again.body)]).to.deep.equal([200, rvOf(first.body)]);
      });
    }
  });

  it('JSON Patch that tests a wrong uid: 422', async () => {
    const { name } = await create();
    const body = [
      { op: 'test', path: '/metadata/uid', value: WRONG_UID },
      { op: 'add', path: '/spec', value: { a: 1 } },
    ];
    expect((await patch(name, '', JSON_PATCH, body)).status).to.equal(422);
  });

  it('merge patch replaces the whole list of finalizers', async () => {
    const { name } = await create({}, { finalizers: ['a.orbs.dev/x', 'b.orbs.dev/x'] });
    const { body } = await patch(name, '', MERGE, { metadata: { finalizers: ['c.orbs.dev/x'] } });
    expect(metadataOf(body)['finalizers']).to.deep.equal(['c.orbs.dev/x']);
    await patch(name, '', MERGE, { metadata: { finalizers: [] } });
  });

  it('a deleting object takes no new finalizer: 422', async () => {
    const { name } = await create({}, { finalizers: ['a.orbs.dev/x'] });
    await api.ok('DELETE', path(name));
    const answer = await patch(name, '', MERGE, { metadata: { finalizers: ['a.orbs.dev/x', 'b.orbs.dev/x'] } });
    expect(answer.status).to.equal(422);
    await patch(name, '', MERGE, { metadata: { finalizers: [] } });
  });

  it('DELETE with the uid of another object: 409, and it stays', async () => {
    const { name, object } = await create();
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: WRONG_UID } };
    expect((await api.call('DELETE', path(name), { body })).status).to.equal(409);
    expect(uidOf(await get(name))).to.equal(uidOf(object));
  });

  it('DELETE with a stale version: 409', async () => {
    const { name, object } = await create();
    await patch(name, '', MERGE, { spec: { b: 1 } });
    const preconditions = { uid: uidOf(object), resourceVersion: rvOf(object) };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
    expect((await api.call('DELETE', path(name), { body })).status).to.equal(409);
  });

  describe('LIST', () => {
    it('not older than a version that is not there yet: 504 with cause and wait', async function () {
      this.timeout(120_000);
      const now = rvOf((await api.call('GET', widgets(NS))).body);
      const future = String(BigInt(now) + 1_000_000n);
      const answer = await api.call(
        'GET',
        `${widgets(NS)}?resourceVersion=${future}&resourceVersionMatch=NotOlderThan`,
      );
      expect(answer.status).to.equal(504);
      expect(causesOf(answer)).to.deep.equal(['ResourceVersionTooLarge']);
      expect(at(answer.body, 'details', 'retryAfterSeconds')).to.equal(1);
    });

    it('of version 0 ignores the limit', async () => {
      await create();
      await create();
      await create();
      expect(await sizeOfList('')).to.equal(2);
      expect(await sizeOfList('&resourceVersion=0')).to.be.greaterThan(2);
    });
  });

  describe('Event', () => {
    it('with all members: 201', async () => expect((await event({})).status).to.equal(201));
    it('without eventTime: 422', async () => expect((await event({ eventTime: null })).status).to.equal(422));
    it('with a note of 1024 characters: 201, of 1025: 422', async () => {
      expect((await event({ note: 'n'.repeat(1024) })).status).to.equal(201);
      expect((await event({ note: 'n'.repeat(1025) })).status).to.equal(422);
    });
  });

  it('every version is a number that orders objects of all kinds', async () => {
    const first = await create();
    const configMap = await api.ok('POST', `/api/v1/namespaces/${NS}/configmaps`, {
      body: { metadata: { name: freshName() } },
    });
    const second = await create();
    const versions = [first.object, configMap, second.object].map(rvOf);
    expect(versions.every((version) => /^\d+$/.test(version))).to.equal(true);
    const ordered = versions.map(BigInt);
    expect(ordered.toSorted((one, other) => (one < other ? -1 : 1))).to.deep.equal(ordered);
    expect(isRecord(configMap)).to.equal(true);
  });
});
