import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { KubeError, type AppliedObject, type KubeClient } from '../../../../adapters/kube/port.ts';
import { aClient, until, type ClientFixture } from '../../../support/kube/a-client.ts';
import { statusBody, type Reply, type ServedRequest } from '../../../support/kube/fake-api-server.ts';
import { anObject } from '../../../support/kube/kube-objects.ts';

const never = new AbortController().signal;
const ref = { namespace: 'acme', name: 'a' };
const echo = (_request: ServedRequest, reply: Reply): void => reply.json(200, anObject('a', 7));
/** As a writer builds it. */
const toSend = (name: string, resourceVersion: number): AppliedObject => {
  const object = anObject(name, resourceVersion);
  return { ...object, metadata: { ...object.metadata } };
};
const caught = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    return await work;
  } catch (error) {
    return error;
  }
};
const refusalOf = async (work: Promise<unknown>): Promise<KubeError> => {
  const error = await caught(work);
  if (!(error instanceof KubeError)) throw new TypeError(`no KubeError: ${String(error)}`);
  return error;
};

let fixture: ClientFixture;

type Act = (client: KubeClient) => Promise<unknown>;

const conflict = (message: string): object => ({ reason: 'FieldManagerConflict', message, field: '.data.A' });

describe('createKubeClient', () => {
  beforeEach(async () => {
    fixture = await aClient();
  });
  afterEach(() => fixture.close());

  const pin = { spec: { pin: null } };
  const body = { ...toSend('a', 7), unsafeIntegers: ['/spec/x'] };
  const apply = { fieldManager: 'orb-operator' };
  const calls: readonly (readonly [why: string, act: Act, request: string, type: string | undefined, body: unknown])[] =
    [
      [
        'a GET',
        (client) => client.get(KINDS.orb, ref, never),
        'GET /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a',
        undefined,
        undefined,
      ],
      [
        'the core group',
        (client) => client.get(KINDS.secret, ref, never),
        'GET /api/v1/namespaces/acme/secrets/a',
        undefined,
        undefined,
      ],
      [
        'an apply',
        (client) => client.apply(KINDS.orb, body, apply, never),
        'PATCH /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a?fieldManager=orb-operator&force=true',
        'application/apply-patch+yaml',
        anObject('a', 7),
      ],
      [
        'an apply that takes nothing from others',
        (client) => client.apply(KINDS.orb, body, { ...apply, force: false }, never),
        'PATCH /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a?fieldManager=orb-operator',
        'application/apply-patch+yaml',
        anObject('a', 7),
      ],
      [
        'an apply of a status',
        (client) => client.apply(KINDS.orb, body, { ...apply, subresource: 'status' }, never),
        'PATCH /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a/status?fieldManager=orb-operator&force=true&fieldValidation=Ignore',
        'application/apply-patch+yaml',
        anObject('a', 7),
      ],
      [
        'a merge patch',
        (client) => client.patch(KINDS.orb, ref, { type: 'merge', body: pin, fieldManager: 'm' }, never),
        'PATCH /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a?fieldManager=m',
        'application/merge-patch+json',
        pin,
      ],
      [
        'a JSON Patch',
        (client) => client.patch(KINDS.orb, ref, { type: 'json', body: [], fieldManager: 'm' }, never),
        'PATCH /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a?fieldManager=m',
        'application/json-patch+json',
        [],
      ],
      [
        'a create',
        (client) => client.create(KINDS.orb, body, never),
        'POST /apis/orbs.dev/v1alpha1/namespaces/acme/orbs',
        'application/json',
        anObject('a', 7),
      ],
      [
        'an update',
        (client) => client.update(KINDS.orb, body, never),
        'PUT /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a',
        'application/json',
        anObject('a', 7),
      ],
      [
        'a delete',
        (client) => client.delete(KINDS.orb, ref, { uid: 'u', resourceVersion: '7' }, never),
        'DELETE /apis/orbs.dev/v1alpha1/namespaces/acme/orbs/a',
        'application/json',
        { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'u', resourceVersion: '7' } },
      ],
    ];
  for (const [why, act, wanted, type, sent] of calls) {
    it(`sends ${why} as the API server wants it`, async () => {
      fixture.server.answer = echo;
      await act(fixture.client);
      const [request] = fixture.server.requests;
      const query = new URLSearchParams(request?.query).toString();
      expect(`${request?.method} ${request?.path}${query && `?${query}`}`).to.equal(wanted);
      expect(request?.headers['content-type']).to.equal(type);
      expect(request?.body ? JSON.parse(request.body) : undefined).to.deep.equal(sent);
      expect([request?.headers['authorization'], request?.headers['user-agent']]).to.deep.equal([
        'Bearer t',
        'orb-test/1',
      ]);
    });
  }

  it('asks for the most recent list of a selection, and gives page, version and token', async () => {
    fixture.server.answer = (_request, reply) =>
      reply.json(200, { metadata: { resourceVersion: '9', continue: 'next' }, items: [{ metadata: { name: 's' } }] });
    const query = { namespace: 'acme', fieldSelector: 'metadata.name=s', limit: 500, continue: 'last' };
    const page = await fixture.client.list(KINDS.secret, query, never);
    expect(page).to.deep.equal({
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
      resourceVersion: '9',
      continue: 'next',
    });
    const { namespace: _, ...rest } = query;
    expect(fixture.server.requests[0]?.query).to.deep.equal({ ...rest, limit: '500' });
    expect(fixture.server.requests[0]?.path).to.equal('/api/v1/namespaces/acme/secrets');
  });

  it('lists all namespaces without one, and takes no items for none', async () => {
    fixture.server.answer = (_request, reply) => reply.json(200, { metadata: { resourceVersion: '9', continue: '' } });
    const page = await fixture.client.list(KINDS.orb, {}, never);
    expect([page, fixture.server.requests[0]?.path]).to.deep.equal([
      { items: [], resourceVersion: '9' },
      '/apis/orbs.dev/v1alpha1/orbs',
    ]);
  });

  it('asks for bookmarks in a watch, and gives its bytes', async () => {
    fixture.server.answer = (_request, reply) => {
      reply.open();
      reply.write('one\n');
      reply.write('two\n');
      reply.end();
    };
    const bytes: Uint8Array[] = [];
    for await (const chunk of await fixture.client.watch(
      KINDS.orb,
      { resourceVersion: '7', timeoutSeconds: 300 },
      never,
    ))
      bytes.push(chunk);
    expect(Buffer.concat(bytes).toString()).to.equal('one\ntwo\n');
    expect(fixture.server.requests[0]?.query).to.deep.equal({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '300',
    });
  });

  it('marks the rounded integers of an answer and of the items of a list', async () => {
    const text = '{"metadata":{"name":"a","resourceVersion":"1"},"spec":{"x":9007199254740993}}';
    fixture.server.answer = ({ path }, reply) =>
      reply.json(200, path.endsWith('/a') ? text : `{"metadata":{"resourceVersion":"1"},"items":[${text}]}`);
    const object = await fixture.client.get(KINDS.orb, ref, never);
    const { items } = await fixture.client.list(KINDS.orb, {}, never);
    expect([object?.unsafeIntegers, items[0]?.unsafeIntegers]).to.deep.equal([['/spec/x'], ['/spec/x']]);
  });

  it('gives nothing for an object that is not there, and deletes it without complaint', async () => {
    fixture.server.answer = (_request, reply) => reply.json(404, statusBody(404, 'NotFound', { name: 'a' }));
    expect(await fixture.client.get(KINDS.orb, ref, never)).to.equal(undefined);
    expect(await fixture.client.delete(KINDS.orb, ref, { uid: 'u' }, never)).to.equal(undefined);
  });

  it('does not take a kind that is not installed for an object that is not there', async () => {
    fixture.server.answer = (_request, reply) => reply.json(404, '404 page not found');
    expect((await refusalOf(fixture.client.get(KINDS.orb, ref, never))).status).to.equal(404);
  });

  it('reads an answer without a name, as reviews have', async () => {
    fixture.server.answer = (_request, reply) =>
      reply.json(201, { kind: 'TokenReview', metadata: { creationTimestamp: null }, status: { authenticated: true } });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: {} };
    const answer = await fixture.client.create(KINDS.tokenReview, review, never);
    expect([answer.status, fixture.server.requests[0]?.path]).to.deep.equal([
      { authenticated: true },
      '/apis/authentication.k8s.io/v1/tokenreviews',
    ]);
  });

  it('says status, reason, causes and delay of a refusal', async () => {
    const details = { causes: [{ reason: 'FieldManagerConflict', field: '.spec' }], retryAfterSeconds: 2 };
    fixture.server.answer = (_request, reply) => reply.json(409, statusBody(409, 'Conflict', details));
    const error = await refusalOf(fixture.client.update(KINDS.orb, toSend('a', 7), never));
    expect([error.status, error.reason, error.causes, error.retryAfterMs]).to.deep.equal([
      409,
      'Conflict',
      ['FieldManagerConflict'],
      2000,
    ]);
    expect(error.message).to.equal('UPDATE orbs acme/a was answered with 409 Conflict: said Conflict');
  });

  it('shows no words of the server about Secrets and tokens: they may quote what was sent', async () => {
    fixture.server.answer = (_request, reply) => reply.json(422, statusBody(422, 'Invalid'));
    const error = await refusalOf(fixture.client.create(KINDS.secret, toSend('s', 1), never));
    expect(error.message).to.equal('CREATE secrets acme/s was answered with 422 Invalid');
  });

  it('names the managers of a conflict, also of a Secret, and nothing else of what the server says', async () => {
    const causes = [
      conflict('conflict with "kubectl-create" using v1'),
      conflict('conflict with "kubectl-create" using v1 at 2026-01-01T00:00:00Z'),
      conflict('conflict with "helm" with subresource "status" using v1'),
      { reason: 'FieldValueInvalid', message: 'conflict with "a-secret-value"' },
    ];
    fixture.server.answer = (_request, reply) => reply.json(409, statusBody(409, 'Conflict', { causes }));
    const error = await refusalOf(fixture.client.apply(KINDS.secret, toSend('s', 1), apply, never));
    expect(error.managers).to.deep.equal(['kubectl-create', 'helm']);
    expect(error.message).to.equal('APPLY secrets acme/s was answered with 409 Conflict');
  });

  it('refuses to name another resource by a path that lacks a part', async () => {
    expect(await caught(fixture.client.get(KINDS.orb, { name: 'a' }, never))).to.be.instanceOf(TypeError);
    expect(
      await caught(fixture.client.delete(KINDS.orb, { namespace: 'acme', name: '' }, { uid: 'u' }, never)),
    ).to.be.instanceOf(TypeError);
    const parents = { namespace: '..', name: 'a' };
    expect(await caught(fixture.client.get(KINDS.orb, parents, never))).to.be.instanceOf(TypeError);
    expect(fixture.server.requests).to.deep.equal([]);
  });

  it('escapes what stands in a path', async () => {
    fixture.server.answer = echo;
    await fixture.client.get(KINDS.orb, { namespace: 'a/../b', name: '?x' }, never);
    expect(fixture.server.requests[0]?.path).to.equal('/apis/orbs.dev/v1alpha1/namespaces/a%2F..%2Fb/orbs/%3Fx');
  });

  it('counts every request with its method, code and verb', async () => {
    fixture.server.answer = ({ method }, reply) =>
      method === 'GET' ? reply.json(200, anObject('a', 1)) : reply.json(409, statusBody(409, 'Conflict'));
    await fixture.client.get(KINDS.orb, ref, never);
    await caught(fixture.client.update(KINDS.orb, toSend('a', 1), never));
    expect(fixture.reported).to.deep.equal(['request GET 200 get', 'request PUT 409 update']);
  });

  it('keeps 4 LISTs open at once and no more', async () => {
    const open: Reply[] = [];
    fixture.server.answer = (_request, reply) => void open.push(reply);
    const lists = Array.from({ length: 9 }, () => fixture.client.list(KINDS.orb, {}, never));
    await until(() => open.length === 4);
    for (let round = 0; round < 9; round += 1) {
      await until(() => open.length > 0);
      open.shift()?.json(200, { metadata: { resourceVersion: '1' }, items: [] });
    }
    await Promise.all(lists);
    expect(fixture.server.mostOpen()).to.equal(4);
  });

  it('keeps 64 calls open at once and no more, and watches beside them', async () => {
    const open: Reply[] = [];
    fixture.server.answer = ({ query }, reply) => {
      if (query['watch'] === 'true') reply.open();
      else open.push(reply);
    };
    const gets = Array.from({ length: 100 }, () => fixture.client.get(KINDS.orb, ref, never));
    await until(() => open.length === 64);
    const stop = new AbortController();
    const watch = { resourceVersion: '1', timeoutSeconds: 300 };
    await Promise.all(Array.from({ length: 70 }, () => fixture.client.watch(KINDS.orb, watch, stop.signal)));
    expect([open.length, fixture.server.mostOpen()]).to.deep.equal([64, 134]);
    stop.abort();
    for (let round = 0; round < 100; round += 1) {
      await until(() => open.length > 0);
      open.shift()?.json(200, anObject('a', 1));
    }
    expect(await Promise.all(gets)).to.have.length(100);
  });

  it('closes its connections, and calls in flight reject', async () => {
    fixture.server.answer = () => undefined;
    const call = caught(fixture.client.create(KINDS.orb, toSend('a', 1), never));
    await until(() => fixture.server.requests.length === 1);
    await fixture.client.close();
    expect(await call).to.be.instanceOf(KubeError);
  });
});
