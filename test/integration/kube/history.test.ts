import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { APPLY, createAdminApi, type AdminApi, type ApiAnswer } from '../../chaos/rig/admin-api.ts';
import { openAdminWatch, type AdminWatch } from '../../chaos/rig/admin-watch.ts';
import { compactEtcd } from '../../chaos/rig/etcd-gateway.ts';
import { metadataOf, textOf } from '../../chaos/rig/json.ts';
import { at } from '../../../hack/control-plane/json.ts';
import { startPausableProxy } from '../../chaos/rig/pausable-proxy.ts';
import { installWidgets, WIDGET, widgets } from './widgets.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NS = 'facts';
const rvOf = (object: unknown): string => textOf(metadataOf(object)['resourceVersion']) ?? '';

/** A server that has just started answers 429 until the cache of the kind is filled. */
async function whenStorageIsReady(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
  const answer = await lastAnswer(ask, ({ status }) => status !== 429);
  if (answer.status === 429) throw new Error('the server still initialises after 30 s');
  return answer;
}

// What watches and lists do when history is gone, late or from the future (operator.md A3; reliability.md §2.2). This file
// restarts servers, so it has its own control plane.
describe('history of the API server', function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: AdminApi;

  before(async function () {
    this.timeout(120_000);
    plane = await startControlPlane();
    api = createAdminApi(plane.server.url, plane.ca, plane.users.admin.token);
    await installWidgets(api, NS);
  });
  after(async () => {
    api.close();
    await plane.stop();
  });

  const apply = (name: string, spec: unknown): Promise<unknown> =>
    api.ok('PATCH', `${widgets(NS, name)}?fieldManager=facts&force=true`, {
      body: { ...WIDGET, metadata: { name }, spec },
      type: APPLY,
    });
  const watch = (query: string, url = plane.server.url): Promise<AdminWatch> =>
    openAdminWatch({ url, ca: plane.ca, token: plane.users.admin.token }, `${widgets(NS)}?watch=true&${query}`);

  it('a watch ends by itself after timeoutSeconds, with a bookmark before its end', async () => {
    const { status, next } = await watch('allowWatchBookmarks=true&timeoutSeconds=3');
    expect(status).to.equal(200);
    const types: unknown[] = [];
    // Older servers send none before the kind has a history.
    await apply('seen', { a: 1 });
    for (let event = await next(10_000); event !== 'end'; event = await next(10_000)) types.push(at(event, 'type'));
    expect(types.at(-1)).to.equal('BOOKMARK');
  });

  it('a watch from the future is answered 200 and stays silent', async () => {
    const now = rvOf((await api.call('GET', widgets(NS))).body);
    const opened = await watch(`resourceVersion=${BigInt(now) + 1_000_000n}&timeoutSeconds=10`);
    expect(opened.status).to.equal(200);
    await apply('unseen', { a: 1 });
    expect(await opened.next(1500)).to.equal('silence');
    opened.close();
  });

  it('a continue token whose history is gone is answered 410, with another token that is not to be used', async () => {
    for (const name of ['p1', 'p2', 'p3']) await apply(name, {});
    const first = await api.call('GET', `${widgets(NS)}?limit=1`);
    const token = encodeURIComponent(textOf(metadataOf(first.body)['continue']) ?? '');
    await apply('p4', {});
    await compactEtcd(plane.etcdUrl);
    // Until then the pages come from the watch cache.
    await plane.server.restart();
    const answer = await whenStorageIsReady(() => api.call('GET', `${widgets(NS)}?limit=1&continue=${token}`));
    expect([answer.status, at(answer.body, 'reason')]).to.deep.equal([410, 'Expired']);
    expect(textOf(metadataOf(answer.body)['continue'])).to.be.a('string');
  });

  it('after compaction and a restart an old watch gets 200 and 410 in the stream, an exact LIST gets 410', async () => {
    const old = rvOf(await apply('aged', { a: 1 }));
    for (const a of [2, 3, 4]) await apply('aged', { a });
    await compactEtcd(plane.etcdUrl);
    await plane.server.restart();
    await whenStorageIsReady(() => api.call('GET', widgets(NS)));
    const opened = await watch(`resourceVersion=${old}&timeoutSeconds=10`);
    expect(opened.status).to.equal(200);
    const event = await opened.next(5000);
    expect([at(event, 'type'), at(event, 'object', 'code'), at(event, 'object', 'reason')]).to.deep.equal([
      'ERROR',
      410,
      'Expired',
    ]);
    opened.close();
    const exact = await api.call('GET', `${widgets(NS)}?resourceVersion=${old}&resourceVersionMatch=Exact`);
    expect(exact.status).to.equal(410);
  });

  it('an API server cut off from etcd shows version 0 from its old cache, and no quorum read', async () => {
    await apply('gone', { a: 1 });
    const path = await startPausableProxy(Number(new URL(plane.etcdUrl).port));
    const second = await plane.addApiServer(`http://127.0.0.1:${path.port}`);
    const stale = createAdminApi(second.url, plane.ca, plane.users.admin.token);
    const cached = (): Promise<ApiAnswer> => stale.call('GET', `${widgets(NS)}?resourceVersion=0`);
    try {
      expect((await whenStorageIsReady(cached)).text).to.include('"gone"');
      path.pause();
      await api.ok('DELETE', widgets(NS, 'gone'));
      expect((await cached()).text).to.include('"gone"');
      const quorum = stale.call('GET', widgets(NS));
      expect(await Promise.race([quorum, delay(1500, 'silence')])).to.equal('silence');
      path.resume();
      expect(at((await quorum).body, 'items')).to.be.an('array');
      const last = await lastAnswer(cached, ({ text }) => !text.includes('"gone"'));
      expect(last.text).to.not.include('"gone"');
    } finally {
      stale.close();
      await second.crash();
      await path.close();
    }
  });

  it('a watch from before a restart is told 410, though no history was compacted', async () => {
    const rv = rvOf(await apply('kept', { a: 1 }));
    await apply('kept', { a: 2 });
    await plane.server.crash();
    await plane.server.restart();
    await whenStorageIsReady(() => api.call('GET', widgets(NS)));
    const opened = await watch(`resourceVersion=${rv}&timeoutSeconds=10`);
    const event = await opened.next(5000);
    expect([opened.status, at(event, 'type'), at(event, 'object', 'code')]).to.deep.equal([200, 'ERROR', 410]);
    opened.close();
  });

  it('a watch from the last version before a restart goes on behind it', async () => {
    await apply('kept', { a: 3 });
    await plane.server.crash();
    await plane.server.restart();
    const { body } = await whenStorageIsReady(() => api.call('GET', widgets(NS)));
    const opened = await watch(`resourceVersion=${rvOf(body)}&timeoutSeconds=10`);
    await apply('kept', { a: 4 });
    const event = await opened.next(5000);
    expect([at(event, 'type'), at(event, 'object', 'spec', 'a')]).to.deep.equal(['MODIFIED', 4]);
    opened.close();
  });
});
