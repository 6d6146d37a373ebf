import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { kubectlOk, PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { at } from '../../hack/control-plane/json.ts';
import { node, say } from '../support/e2e/node.ts';
import type { ApiClient } from './support/api-client.ts';
import { deleteAtOnce, killProcess, readyPods, type PodRef } from './support/kill.ts';
import { checkLedger, checkLoad, postedTo, secondRequests, SWEPT_MS } from './support/ledger-check.ts';
import { execute, startLoad, type CallerRun, type LoadResult } from './support/load.ts';
import { eventually } from './support/patience.ts';
import { TENANT } from './support/provider-pods.ts';
import { platformKubectl } from './support/release.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';

const STEADY_MS = 3000;
const AWAY_MS = 5000;
const CLUSTER_IP = 'jsonpath={.spec.clusterIP}';
const OPERATOR = 'app.kubernetes.io/component=operator';
const DNS = 'k8s-app=kube-dns';
const API = 'app.kubernetes.io/component=api';

const report = (what: string, { runs, failed, gapMs }: LoadResult): void =>
  say(`      ${what}: ${runs.length} runs, ${failed.length} without an answer, gap ${(gapMs / 1000).toFixed(1)} s`);

async function untilReady(namespace: string, selector: string, count: number): Promise<void> {
  const poll = async (): Promise<true | undefined> =>
    (await readyPods(namespace, selector)).length === count ? true : undefined;
  expect(await eventually(poll), `${count} ready pods of ${selector}`).to.equal(true);
}

const leader = async (): Promise<string> =>
  (await platformKubectl('get', 'lease', 'orb-operator', '-o', 'jsonpath={.spec.holderIdentity}')).split('_')[0] ?? '';

/** That pod, once it is ready and is what it should be: a lease is let go of, and readiness is told of late. */
async function podOf(namespace: string, selector: string, isIt: (pod: string) => Promise<boolean>): Promise<PodRef> {
  const name = await eventually(async () => {
    for (const pod of await readyPods(namespace, selector)) if (await isIt(pod)) return pod;
    return undefined;
  });
  if (name === undefined) throw new Error(`no ready pod of ${selector} is as it should be`);
  return { namespace, name };
}

const operatorPod = (leads: boolean): Promise<PodRef> =>
  podOf(PLATFORM_NAMESPACE, OPERATOR, async (pod) => (pod === (await leader())) === leads);

const only = (namespace: string, selector: string): Promise<PodRef> => podOf(namespace, selector, async () => true);

const scaleDns = (replicas: number): Promise<string> =>
  kubectlOk(node, ['-n', 'kube-system', 'scale', 'deploy/coredns', `--replicas=${replicas}`]);

/** Whether the name server answers, as pods ask it. */
async function isNamed(): Promise<boolean> {
  const resolver = new Resolver({ timeout: 1000, tries: 1 });
  resolver.setServers([await kubectlOk(node, ['-n', 'kube-system', 'get', 'svc/kube-dns', '-o', CLUSTER_IP])]);
  return resolver.resolve4('kubernetes.default.svc.cluster.local').then(
    () => true,
    () => false,
  );
}

/** Does something while there is no name server. */
async function withoutNames(work: () => Promise<unknown>): Promise<void> {
  await scaleDns(0);
  try {
    expect(await eventually(async () => ((await isNamed()) ? undefined : 'away')), 'the name server').to.equal('away');
    await work();
    expect(await isNamed(), 'names meanwhile').to.equal(false);
  } finally {
    await scaleDns(1);
    await untilReady('kube-system', DNS, 1);
  }
}

/** One run after the other. @returns ends it */
function callInTurns(api: ApiClient): () => Promise<readonly CallerRun[]> {
  const stopped = new AbortController();
  const mark = Date.now().toString(36);
  const calling = async (): Promise<readonly CallerRun[]> => {
    const runs: CallerRun[] = [];
    while (!stopped.signal.aborted) runs.push(await execute(api, SEND, `turn-${mark}-${runs.length}`));
    return runs;
  };
  const called = calling();
  return () => {
    stopped.abort();
    return called;
  };
}

const dnsPod = (): Promise<PodRef> => only('kube-system', DNS);

/** Once as a crash, once as a lost node. */
async function killTwice(find: () => Promise<PodRef>, selector: string, count: number): Promise<void> {
  const pod = await find();
  await killProcess(pod);
  await delay(STEADY_MS);
  await untilReady(pod.namespace, selector, count);
  await deleteAtOnce(await find());
  await untilReady(pod.namespace, selector, count);
}

describe('pods that are killed under 50 runs a second', function () {
  this.timeout(900_000);
  let stage: Stage;
  before(async () => {
    stage = await setStage();
  });
  after(() => stage.close());

  const underLoad = async (what: string, work: () => Promise<unknown>): Promise<LoadResult> => {
    const load = startLoad(stage.api, SEND);
    await delay(STEADY_MS);
    await work();
    await delay(STEADY_MS);
    const result = await load.stop();
    report(what, result);
    return result;
  };

  const rows = [
    ['the operator that leads', () => operatorPod(true)],
    ['the operator that follows', () => operatorPod(false)],
  ] as const;
  for (const [what, find] of rows) {
    it(`${what} is not missed`, async () => {
      const result = await underLoad(what, () => killTwice(find, OPERATOR, 2));
      await checkLoad(stage.api, result, stage.providers.all);
    });
  }

  it('CoreDNS is missed by runs that need a new connection: they fail before anything is sent', async () => {
    const result = await underLoad('CoreDNS', () => killTwice(dnsPod, DNS, 1));
    const posted = new Set(await postedTo(stage.providers.all));
    for (const { id, fault } of result.failed) {
      expect(fault, id).to.match(/provider-(?:timeout|failed)$|providers-unavailable$/);
      expect(posted.has(id), id).to.equal(false);
    }
    const answered = result.runs.filter(({ fault }) => fault === '');
    // Four of five beside load of others on the machine, nearly all without.
    expect(answered.length, `answered of ${result.runs.length} runs`).to.be.above(result.runs.length / 2);
    await checkLoad(stage.api, { ...result, runs: answered, failed: [] }, stage.providers.all);
  });

  it('CoreDNS is not missed by runs that find a connection: who calls in turns needs no other', async () => {
    // The breaker may have opened when names were gone before.
    const calm = await eventually(async () =>
      (await execute(stage.api, SEND, `calm-${Date.now()}`)).fault === '' ? 'calm' : undefined,
    );
    expect(calm, 'runs before').to.equal('calm');
    const stop = callInTurns(stage.api);
    let away = Infinity;
    await withoutNames(async () => {
      away = performance.now();
      await delay(AWAY_MS);
    });
    const runs = await stop();
    const meanwhile = runs.filter(({ sentAt }) => sentAt > away && sentAt < away + AWAY_MS);
    say(`      ${meanwhile.length} runs in turns while no name was known`);
    expect(meanwhile.length, 'runs meanwhile').to.be.above(AWAY_MS / 1000);
    expect(runs.filter(({ fault }) => fault !== '')).to.deep.equal([]);
  });

  /** What became of a run in the end. */
  const repeat = async (id: string): Promise<unknown> => {
    const options = { headers: { 'idempotency-key': id }, signal: AbortSignal.timeout(5000) };
    const path = `/orbisets/${TENANT}.default/execute`;
    const answer = await stage.api.post(path, { orb_id: SEND, inputs: { id } }, options).catch(() => undefined);
    return at(answer?.body, 'code') === 'idempotency-in-progress' ? undefined : answer?.body;
  };

  it('the API leaves runs behind that were at their provider; each gets its receipt, none is sent again', async () => {
    const [alpha] = stage.providers.all;
    // So that some are there for sure.
    await alpha?.take(200);
    const result = await underLoad('the API', async () => {
      await killProcess(await only(PLATFORM_NAMESPACE, API));
      await delay(STEADY_MS);
      await untilReady(PLATFORM_NAMESPACE, API, 1);
      await delay(STEADY_MS);
      await deleteAtOnce(await only(PLATFORM_NAMESPACE, API));
      await delay(STEADY_MS);
      await untilReady(PLATFORM_NAMESPACE, API, 1);
    });
    await alpha?.take(20);
    expect(result.failed.length, 'runs that were under way').to.be.greaterThan(0);
    for (const { id, fault } of result.failed) {
      // A caller may have lost patience with its last attempt.
      expect(fault, id).to.match(/idempotency-in-progress|run-closed|TimeoutError/);
      const body = await eventually(() => repeat(id), SWEPT_MS);
      expect([at(body, 'code'), at(body, 'maybe_executed')], id).to.deep.equal(['run-closed', true]);
    }
    expect(await secondRequests(stage.providers.all), 'second requests').to.deep.equal([]);
    const done = result.runs.filter(({ fault }) => fault === '').map(({ receiptId }) => receiptId);
    const { open, swept } = await checkLedger(stage.api, done);
    expect([open, swept]).to.deep.equal([0, result.failed.length]);
  });
});
