import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { directConnection } from '../../../adapters/kube/connection.ts';
import { createKubeClient } from '../../../adapters/kube/kube-client.ts';
import type { Kind, KubeClient, Reflector } from '../../../adapters/kube/port.ts';
import { createReflector } from '../../../adapters/kube/reflector.ts';
import { systemClock } from '../../../adapters/time/clock.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { APPLY, createAdminApi, type AdminApi } from '../../chaos/rig/admin-api.ts';
import { startCountingProxy, type CountingProxy } from '../../chaos/rig/counting-proxy.ts';
import { compactEtcd } from '../../chaos/rig/etcd-gateway.ts';
import { metadataOf, textOf } from '../../chaos/rig/json.ts';
import { answerNext } from '../../chaos/rig/rules.ts';
import { planEdits, type Edit } from '../../chaos/rig/watch-editor.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { recordingLogger, recordingMetrics } from '../../support/kube/recorders.ts';
import { installWidgets, WIDGET, widgets } from './widgets.ts';

const NS = 'reflected';
const KIND: Kind = { group: 'facts.orbs.dev', version: 'v1', kind: 'Widget', plural: 'widgets', namespaced: true };
const first = { resource: 'widgets', at: { nth: 1 } } as const;
/** reliability.md §4.1, R4. */
const RECOVERY_MS = 5000;
const LISTS_A_FAULT = 2;
/** Behind a bare timer of the same time, which a machine that stands still makes as late. */
const LATE_MS = 500;

/** Names and versions, in order. */
const shown = (objects: readonly unknown[]): string =>
  objects
    .map((object) => metadataOf(object))
    .map(({ name, resourceVersion }) => `${textOf(name)}@${textOf(resourceVersion)}`)
    .toSorted()
    .join(' ');

/** @returns ms that it took */
async function until(poll: () => boolean, ms = 20_000): Promise<number> {
  const began = performance.now();
  while (!poll()) {
    if (performance.now() - began > ms) throw new Error(`not within ${ms} ms`);
    await delay(10);
  }
  return performance.now() - began;
}

// The state machine of operator.md A3 against a real API server whose watches are disturbed on their way.
describe('reflector against a real API server', function () {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: AdminApi;
  let proxy: CountingProxy;
  let client: KubeClient;
  let reflector: Reflector;
  let stop: AbortController;
  let running: Promise<void>;
  let rejections = 0;
  const onRejection = (): void => void (rejections += 1);

  before(async function () {
    this.timeout(120_000);
    plane = await startControlPlane();
    api = createAdminApi(plane.server.url, plane.ca, plane.users.admin.token);
    await installWidgets(api, NS);
    process.on('unhandledRejection', onRejection);
  });
  after(async () => {
    process.off('unhandledRejection', onRejection);
    api.close();
    await plane.stop();
    expect(rejections).to.equal(0);
  });

  beforeEach(async () => {
    await api.ok('DELETE', widgets(NS));
    const random = seededRandom(7);
    proxy = await startCountingProxy({ upstream: plane.server.url, ca: plane.ca });
    const connection = await directConnection({ server: proxy.url, token: plane.users.admin.token });
    const logger = recordingLogger();
    const metrics = recordingMetrics();
    const tools = { clock: systemClock, random, logger, metrics };
    client = createKubeClient({ ...tools, connection, userAgent: 'reflector-test' });
    const selection = { namespace: NS };
    reflector = createReflector({
      ...tools,
      client,
      kind: KIND,
      selection,
      onChange: () => undefined,
      timeoutSeconds: () => 15,
    });
    stop = new AbortController();
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await client.close();
    await proxy.close();
  });

  const start = async (): Promise<void> => {
    running = reflector.run(stop.signal);
    await reflector.synced;
    await until(() => proxy.openWatches() > 0);
  };
  const apply = async (name: string, a: number): Promise<string> => {
    const body = { ...WIDGET, metadata: { name }, spec: { a } };
    const done = await api.ok('PATCH', `${widgets(NS, name)}?fieldManager=facts&force=true`, { body, type: APPLY });
    return textOf(metadataOf(done)['resourceVersion']) ?? '';
  };
  const versionOf = (name: string): string | undefined =>
    reflector.store.get(`${NS}/${name}`)?.metadata.resourceVersion;
  const count = (verb: string): number => proxy.journal.requests.filter((entry) => entry.verb === verb).length;
  /** Until the store is what the server has. @returns ms */
  const untilEqual = async (): Promise<number> => {
    const began = performance.now();
    for (;;) {
      const mine = shown(reflector.store.list());
      const truth = shown(await api.list(widgets(NS)));
      if (mine === truth) return performance.now() - began;
      if (performance.now() - began > 30_000) throw new Error(`${mine} is not ${truth}`);
      await delay(20);
    }
  };
  /** Writes, some of them deletes, whose events meet the fault. */
  const input = async (): Promise<void> => {
    await apply('a', 1);
    await apply('b', 1);
    await apply('a', 2);
    await api.ok('DELETE', widgets(NS, 'b'));
    await apply('c', 1);
  };

  it('holds what the server has, through creations, changes and deletions', async () => {
    await apply('before', 1);
    await start();
    await input();
    expect(await untilEqual()).to.be.lessThan(RECOVERY_MS);
    expect(count('list')).to.equal(1);
  });

  const streamFaults: readonly (readonly [string, Edit])[] = [
    ['an expired history in the stream', { ...first, kind: 'error', code: 410, reason: 'Expired' }],
    ['an internal error in the stream', { ...first, kind: 'error', code: 500, reason: 'InternalError' }],
    ['a clean end before an event', { ...first, kind: 'end' }],
    ['a reset', { ...first, kind: 'reset' }],
    ['a line that is cut', { ...first, kind: 'cut' }],
    [
      'a lost event and then an expired history',
      { resource: 'widgets', at: { event: 'widgets DELETED reflected/b #1' }, kind: 'drop', healMs: 200 },
    ],
    ['bookmarks only, for a while', { ...first, kind: 'bookmarks-only', ms: 1500 }],
    ['a duplicate', { ...first, kind: 'duplicate' }],
    ['two events in the wrong order', { ...first, kind: 'swap', ms: 500 }],
    ['an event that is late with all behind it', { ...first, kind: 'delay', ms: 1000 }],
    ['events of one object merged into the last', { ...first, kind: 'merge', of: 2, ms: 1000 }],
  ];
  for (const [what, edit] of streamFaults)
    it(`recovers from ${what} within 5 s and two LISTs`, async () => {
      const planned = planEdits([edit]);
      proxy.editWatches(planned.editor);
      await start();
      await input();
      const ms = await untilEqual();
      expect(planned.fired()).to.equal(1);
      expect(ms).to.be.lessThan(RECOVERY_MS);
      expect(count('list') - 1).to.be.at.most(LISTS_A_FAULT);
    });

  it('drops its version after two clean early ends without an event, and lists once', async () => {
    proxy.editWatches(planEdits([{ resource: 'widgets', at: { open: true }, times: 2, kind: 'end' }]).editor);
    running = reflector.run(stop.signal);
    await reflector.synced;
    await apply('a', 1);
    await until(() => count('list') === 2);
    expect(await untilEqual()).to.be.lessThan(RECOVERY_MS);
    expect(count('list')).to.equal(2);
  });

  for (const status of [410, 429, 500, 503])
    it(`recovers from HTTP ${status} on WATCH within 5 s and two LISTs`, async () => {
      const retry = status === 429 || status === 503 ? { retryAfterSeconds: 1 } : {};
      proxy.addRule(
        answerNext({ verbs: ['watch'] }, { status, reason: status === 410 ? 'Expired' : 'Other', ...retry }),
      );
      running = reflector.run(stop.signal);
      await reflector.synced;
      await input();
      expect(await untilEqual()).to.be.lessThan(RECOVERY_MS);
      expect(count('list')).to.be.at.most(1 + LISTS_A_FAULT);
    });

  for (const verb of ['list', 'watch'] as const)
    it(`waits as long as Retry-After says before it repeats a ${verb.toUpperCase()}`, async () => {
      const answer = { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 3 };
      proxy.addRule(answerNext({ verbs: [verb] }, answer));
      running = reflector.run(stop.signal);
      await until(() => count(verb) === 1);
      const latest = delay(3000 * 1.2).then(() => performance.now());
      await until(() => count(verb) === 2);
      const repeatedAt = performance.now();
      const [refused, repeated] = proxy.journal.requests.filter((entry) => entry.verb === verb);
      const waited = (repeated?.t ?? 0) - (refused?.t ?? 0);
      expect(waited).to.be.at.least(3000);
      expect(repeatedAt - (await latest)).to.be.below(LATE_MS);
    });

  it('opens at most one watch a second while every watch ends at once', async () => {
    proxy.editWatches(planEdits([{ resource: 'widgets', at: { open: true }, times: 1000, kind: 'end' }]).editor);
    running = reflector.run(stop.signal);
    await reflector.synced;
    const [before, began] = [count('watch'), performance.now()];
    await delay(5000);
    const seconds = Math.ceil((performance.now() - began) / 1000);
    expect(count('watch') - before).to.be.at.most(seconds + 1);
  });

  it('asks for the newest state, in pages, and never for version 0', async () => {
    await start();
    const lists = proxy.journal.requests.filter(({ verb }) => verb === 'list');
    expect(lists.map(({ resourceVersion }) => resourceVersion ?? '')).to.deep.equal(['']);
  });

  it('recovers from compaction and a killed API server within 10 s after it is ready', async () => {
    await start();
    await input();
    await untilEqual();
    await plane.server.crash();
    await compactEtcd(plane.etcdUrl);
    await plane.server.restart();
    const version = await apply('after', 1).catch(() => delay(500).then(() => apply('after', 1)));
    const ms = await until(() => versionOf('after') === version, 10_000);
    expect(ms).to.be.lessThan(10_000);
    expect(await untilEqual()).to.be.lessThan(RECOVERY_MS);
  });
});
