import { expect } from 'chai';
import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { member } from '../../../core/json/members.ts';
import { statusOf } from '../../../core/reconcile/read-object.ts';
import type { OrbSignalSourceSpec } from '../../../crds/orbsignalsource.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orbiset, secret } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { GRAFANA_SPEC, sourceObject } from '../../support/signal-sources.ts';
import { untilTrue } from '../../support/wait-for.ts';

const NAMESPACE = 'p17-load';
const SENDERS = 3;
const PAUSE_MS = 10;
const SPEC: OrbSignalSourceSpec = {
  ...GRAFANA_SPEC,
  auth: {
    secretRefs: [
      { name: 'hook', key: 'current' },
      { name: 'hook', key: 'previous' },
    ],
  },
  limits: { rps: 1000, burst: 10_000 },
};

describe('a signal source under load', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let operator: OperatorProcess;
  let team: TestNamespace;
  let url = '';
  /** What the vendor signs with. */
  let key = 'one';
  const stop = new AbortController();
  let senders: Promise<unknown> = Promise.resolve();
  /** Statuses since the last look, in their order. */
  let seen: number[] = [];
  let accepted = 0;
  const reader = apiKeySecret([NAMESPACE], ['ingest:read', 'ingest:admin']);

  const send = async (signedWith: string): Promise<number> => {
    const body = JSON.stringify({ alerts: [], id: randomUUID() });
    const signature = createHmac('sha256', signedWith).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-grafana-alerting-signature': signature,
      // Each from another client, so that no rate of a client ends the load.
      'x-forwarded-for': `198.18.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`,
    };
    const answer = await fetch(url, { method: 'POST', headers, body });
    await answer.text();
    if (answer.status === 202) accepted += 1;
    return answer.status;
  };
  const keepSending = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      seen.push(await send(key));
      await delay(PAUSE_MS);
    }
  };
  /** The different statuses since the last call. */
  const statuses = (): readonly number[] => {
    const found = [...new Set(seen)].toSorted((one, other) => one - other);
    seen = [];
    return found;
  };
  const untilSeen = (status: number, ms = 30_000): Promise<void> =>
    untilTrue(`an answer is ${status}`, () => seen.at(-1) === status, ms);

  const counts = async (): Promise<unknown> => {
    const { body } = await api.get(reader.key, `/signal-sources/${NAMESPACE}/gf`);
    return member(body, 'counts');
  };

  before(async () => {
    plane = await sharedControlPlane();
    team = await testNamespace(plane, NAMESPACE);
    await team.apply(
      secret('hook', { current: 'one', previous: 'one' }),
      orbiset('support', []),
      sourceObject('gf', SPEC),
    );
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(reader.document));
    api = await startApi(plane, ['--trusted-proxy', '127.0.0.1/32']);
    operator = await startOperator(plane);
    const { urlPath } = statusOf(await team.until('osrc/gf', (object) => 'urlPath' in statusOf(object), 30_000));
    url = `${api.url}${typeof urlPath === 'string' ? urlPath : ''}`;
    await untilTrue('it receives', async () => (await send('one')) === 202);
    senders = Promise.all(Array.from({ length: SENDERS }, () => keepSending(stop.signal)));
  });
  after(async () => {
    stop.abort();
    await senders;
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', reader.name, '--ignore-not-found']);
    await team.remove();
    await operator.stop();
    await api.stop();
  });

  it('refuses no delivery while its secret is rotated', async () => {
    statuses();
    await team.apply(secret('hook', { current: 'two', previous: 'one' }));
    await untilTrue('the new secret is in force', async () => (await send('two')) === 202);
    // The vendor follows, and then the old secret ends.
    key = 'two';
    await delay(10 * PAUSE_MS);
    await team.apply(secret('hook', { current: 'two', previous: 'two' }));
    await untilTrue('the old secret is refused', async () => (await send('one')) === 401);
    expect(statuses()).to.deep.equal([202]);
  });

  it('answers 503 and never a 4xx while the RoleBinding is gone, and receives when it is back', async () => {
    await team.kubectl('delete', 'orbiset/support');
    await team.untilGone('rolebinding/orb-vault-reader');
    api.proxy.endWatches(); // Kubernetes asks for rights when a watch begins: now instead of within ten minutes
    await untilSeen(503);
    await team.apply(orbiset('support', []));
    await untilSeen(202);
    expect(statuses()).to.deep.equal([202, 503]);
  });

  it('answers 404 from its deletion on, and what it accepted is mapped', async () => {
    await team.kubectl('delete', 'osrc/gf', '--wait=false');
    await untilSeen(404);
    stop.abort();
    await senders;
    // What another sender had sent before may be answered after the first 404.
    const since = seen.slice(seen.indexOf(404)).filter((status) => status !== 404);
    expect(since.length).to.be.lessThan(SENDERS);
    expect(statuses()).to.deep.equal([202, 404]);
    // The same name has the same counts.
    await team.untilGone('osrc/gf');
    await team.apply(sourceObject('gf', SPEC));
    await untilTrue('it receives again', async () => (await send('two')) === 202);
    await untilTrue('nothing waits', async () => member(await counts(), 'waiting') === 0);
    expect(await counts()).to.deep.equal({ accepted, waiting: 0, dead_letters: 0 });
  });
});
