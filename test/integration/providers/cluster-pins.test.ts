import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { checkAnswer } from '../../support/openapi-check.ts';
import { APPLY, ask, askOk, untilInForce } from '../rbac/request.ts';

const NAMESPACE = 'provider-pins';
const MAILER = 'acme.mailer@1.0.0';
const PLAIN = 'acme.plain@1.0.0';
const URL_OF = 'https://api.example.com';
const ORBS = `/apis/orbs.dev/v1alpha1/namespaces/${NAMESPACE}/orbs`;
const PIN = `/providers/${MAILER}/pin`;

const other = { execution: { type: 'http', method: 'POST', url: `${URL_OF}/b` } };
const member = (value: unknown, ...path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
    value,
  );

const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

describe('pins of a cluster over HTTP (failover.md §8, §9)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let team: TestNamespace;
  let openapi: JsonObject;
  const owner = apiKeySecret([NAMESPACE], ['providers:read', 'providers:swap']);

  interface Answer {
    readonly status: number;
    readonly headers: Headers;
    readonly body: JsonObject;
  }
  async function call(method: string, path: string, body?: JsonValue): Promise<Answer> {
    const headers = { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const {
      status,
      headers: got,
      ...response
    } = await fetch(`${api.url}${path}`, { method, headers, ...sent }).then(async (one) => ({
      status: one.status,
      headers: one.headers,
      bytes: new Uint8Array(await one.arrayBuffer()),
    }));
    const value = checkAnswer(openapi, method, path, { status, headers: got, body: response.bytes });
    return { status, headers: got, body: isJsonObject(value) ? value : {} };
  }
  const swap = (body: JsonValue, orbId = MAILER): Promise<Answer> => call('POST', `/providers/${orbId}/swap`, body);
  const read = (name = 'mailer'): Promise<JsonObject> => askOk(plane, { method: 'GET', path: `${ORBS}/${name}` });
  const pinOf = async (name = 'mailer'): Promise<unknown> => member(await read(name), 'spec', 'pin');
  async function pinners(): Promise<readonly string[]> {
    const entries = member(await read(), 'metadata', 'managedFields');
    if (!Array.isArray(entries)) return [];
    return entries.flatMap((entry: unknown) =>
      member(entry, 'fieldsV1', 'f:spec', 'f:pin') === undefined
        ? []
        : [`${String(member(entry, 'manager'))} ${String(member(entry, 'operation'))}`],
    );
  }
  /** Another manager, as Git would do it. */
  const applyPin = (pin: JsonObject, manager = 'argocd-controller'): Promise<JsonObject> =>
    askOk(plane, {
      method: 'PATCH',
      path: `${ORBS}/mailer?fieldManager=${manager}&force=true`,
      type: APPLY,
      body: { apiVersion: 'orbs.dev/v1alpha1', kind: 'Orb', metadata: { name: 'mailer' }, spec: { pin } },
    });
  const seen = (provider: string): Promise<true | undefined> =>
    waitFor(async () => {
      const { body } = await call('GET', `/providers/${MAILER}/status`);
      return body['active_provider'] === provider ? true : undefined;
    }, 5000);

  before(async () => {
    plane = await sharedControlPlane();
    team = await testNamespace(plane, NAMESPACE);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    const manifest = { swap_config: { fallbacks: ['backup', 'ghost'] }, providers: { backup: other } };
    await team.apply(
      orb('mailer', MAILER, { url: `${URL_OF}/a`, manifest }),
      orb('plain', PLAIN, { url: `${URL_OF}/a`, manifest: { providers: { backup: other } } }),
    );
    const body = { spec: { description: 'x' } };
    const refused = { as: 'api', method: 'PATCH', type: 'application/merge-patch+json', body } as const;
    await untilInForce(plane, 'orb-api-pin-only', { ...refused, path: `${ORBS}/mailer?dryRun=All` });
    api = await startApi(plane);
    const described: unknown = await (await fetch(`${api.url}/openapi.json`)).json();
    if (!isJsonObject(described)) throw new TypeError('no OpenAPI document');
    openapi = described;
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await api.stop();
  });
  afterEach(async () => {
    const remove = { method: 'PATCH', type: 'application/merge-patch+json', body: { spec: { pin: null } } } as const;
    await askOk(plane, { ...remove, path: `${ORBS}/mailer` });
    await seen('main');
  });

  it('pins as orb-api-pin, past the admission policy, and is seen by this replica before it answers', async () => {
    const { status, body } = await swap({ provider: 'backup', reason: 'maintenance', expires_in: '2h' });
    expect([status, body['status'], body['active_provider']]).to.deep.equal([200, 'completed', 'backup']);
    expect(await pinOf()).to.deep.equal({
      provider: 'backup',
      mode: 'soft',
      expires_at: member(body, 'pin', 'expires_at'),
      id: body['swap_id'],
      actor: member(body, 'pin', 'actor'),
      reason: 'maintenance',
    });
    expect(member(body, 'pin', 'actor')).to.match(/^key:[0-9A-Za-z]{8}$/);
    expect(await pinners()).to.deep.equal(['orb-api-pin Apply']);
    expect((await call('GET', `/providers/${MAILER}/status`)).body['state']).to.equal('pinned');
  });

  it('replaces its own pin whole: what the new one does not say is gone', async () => {
    const first = await swap({ provider: 'backup', reason: 'one', expires_in: '2h' });
    const second = await swap({ provider: 'backup', mode: 'hard', expires_in: '2h' });
    expect(second.body['replaced_pin']).to.deep.equal(first.body['pin']);
    expect(member(await pinOf(), 'reason')).to.equal(undefined);
  });

  it('takes the pin of another manager over, with nothing of its words, and warns', async () => {
    await applyPin({ provider: 'backup', expires_at: tomorrow(), reason: 'of Git' });
    await seen('backup');
    const { status, body } = await swap({ provider: 'main', expires_in: '2h' });
    expect(status).to.equal(200);
    expect(body['warnings']).to.deep.equal(['pin-owned-by:argocd-controller: it returns with the next sync']);
    expect(member(body, 'replaced_pin', 'actor')).to.equal('argocd-controller');
    expect(await pinOf()).to.not.have.property('reason');
    expect(member(await pinOf(), 'provider')).to.equal('main');
  });

  it('removes its pin by an empty apply: nothing is left, and nobody owns it', async () => {
    const made = await swap({ provider: 'backup', expires_in: '2h' });
    const { status, body } = await call('DELETE', PIN);
    expect([status, body['pin'], body['removed_pin']]).to.deep.equal([200, null, made.body['pin']]);
    expect(body['warnings']).to.deep.equal([]);
    expect(await pinOf()).to.equal(undefined);
    expect(await pinners()).to.deep.equal([]);
    expect((await call('DELETE', PIN)).body).to.deep.include({ pin: null, removed_pin: null, warnings: [] });
  });

  const foreign: readonly (readonly [why: string, pin: JsonObject])[] = [
    ['with an id', { provider: 'backup', id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11' }],
    ['without an id', { provider: 'backup' }],
  ];
  for (const [why, pin] of foreign)
    it(`removes the pin of another manager ${why}, and warns`, async () => {
      await applyPin({ ...pin, expires_at: tomorrow() });
      await seen('backup');
      const { status, body } = await call('DELETE', PIN);
      expect([status, body['pin'], member(body, 'removed_pin', 'provider')]).to.deep.equal([200, null, 'backup']);
      expect(body['warnings']).to.deep.equal(['pin-owned-by:argocd-controller: it returns with the next sync']);
      expect(await pinOf()).to.equal(undefined);
    });

  it('removes a pin that another manager holds a part of', async () => {
    await swap({ provider: 'backup', expires_in: '2h' });
    await applyPin({ provider: 'backup', expires_at: tomorrow(), reason: 'of Git' });
    const { status, body } = await call('DELETE', PIN);
    expect([status, body['pin']]).to.deep.equal([200, null]);
    expect(await pinOf()).to.equal(undefined);
  });

  it('swaps once an Orb without swap_config, which stays the same object but for the pin', async () => {
    const before = await read('plain');
    const { status, body } = await swap({ provider: 'backup' }, PLAIN);
    expect([status, body['status'], body['pin']]).to.deep.equal([200, 'completed', null]);
    const after = await read('plain');
    expect(member(after, 'spec', 'pin', 'mode')).to.equal('once');
    const spec = member(after, 'spec');
    expect(isJsonObject(spec) ? { ...spec, pin: undefined } : spec).to.deep.equal({
      ...Object(member(before, 'spec')),
      pin: undefined,
    });
    await call('DELETE', `/providers/${PLAIN}/pin`);
  });

  it('makes no Orb of a pin when the Orb was deleted a moment ago', async () => {
    const gone = 'acme.gone@1.0.0';
    await team.apply(orb('gone', gone, { url: `${URL_OF}/a`, manifest: { providers: { backup: other } } }));
    await waitFor(async () => ((await call('GET', `/providers/${gone}/status`)).status === 200 ? true : undefined));
    api.proxy.partition();
    await askOk(plane, { method: 'DELETE', path: `${ORBS}/gone` });
    api.proxy.heal();
    const { status, body } = await swap({ provider: 'backup' }, gone);
    expect([status, body['code']]).to.deep.equal([404, 'orb-not-found']);
    expect((await ask(plane, { as: 'admin', method: 'GET', path: `${ORBS}/gone` })).status).to.equal(404);
  });

  it('answers 503 control-plane-unavailable with Retry-After: 2 while the API server is away, and changes nothing', async () => {
    const before = await read();
    api.proxy.partition();
    try {
      const answers = await Promise.all([swap({ provider: 'backup' }), call('DELETE', PIN)]);
      for (const { status, headers, body } of answers) {
        expect([status, body['code'], headers.get('retry-after')]).to.deep.equal([
          503,
          'control-plane-unavailable',
          '2',
        ]);
        expect(body['detail']).to.equal('Nothing was changed.');
      }
      expect((await call('GET', `/providers/${MAILER}/status`)).status).to.equal(200);
    } finally {
      api.proxy.heal();
    }
    expect(await read()).to.deep.equal(before);
  });
});
