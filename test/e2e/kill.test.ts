import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { PLATFORM_NAMESPACE } from '../../hack/control-plane/install.ts';
import { at } from '../chaos/rig/json.ts';
import { waitFor } from '../support/cluster.ts';
import { say } from '../support/e2e/node.ts';
import { deleteAtOnce, killProcess, readyPods, type PodRef } from './support/kill.ts';
import { checkLedger, checkLoad, postedTo, secondRequests } from './support/ledger-check.ts';
import { startLoad, type LoadResult } from './support/load.ts';
import { TENANT } from './support/provider-pods.ts';
import { platformKubectl } from './support/release.ts';
import { SEND, setStage, type Stage } from './support/stage.ts';

const STEADY_MS = 3000;
const BACK_MS = 90_000;
// The Orb's 5 s, the sweeper's 60 s of grace, and its 15 s between two looks.
const SWEPT_MS = 120_000;
const OPERATOR = 'app.kubernetes.io/component=operator';
const DNS = 'k8s-app=kube-dns';
const API = 'app.kubernetes.io/component=api';

const tell = (what: string, { runs, failed, gapMs }: LoadResult): void =>
  say(`      ${what}: ${runs.length} runs, ${failed.length} without an answer, gap ${(gapMs / 1000).toFixed(1)} s`);

async function untilReady(namespace: string, selector: string, count: number): Promise<void> {
  const look = async (): Promise<true | undefined> =>
    (await readyPods(namespace, selector)).length === count ? true : undefined;
  expect(await waitFor(look, BACK_MS), `${count} ready pods of ${selector}`).to.equal(true);
}

const leader = async (): Promise<string> =>
  (await platformKubectl('get', 'lease', 'orb-operator', '-o', 'jsonpath={.spec.holderIdentity}')).split('_')[0] ?? '';

async function operatorPod(leads: boolean): Promise<PodRef> {
  const holder = await leader();
  const name = (await readyPods(PLATFORM_NAMESPACE, OPERATOR)).find((pod) => (pod === holder) === leads);
  if (name === undefined) throw new Error(`no operator pod that ${leads ? 'leads' : 'follows'} ${holder}`);
  return { namespace: PLATFORM_NAMESPACE, name };
}

async function only(namespace: string, selector: string): Promise<PodRef> {
  const [name = ''] = await readyPods(namespace, selector);
  return { namespace, name };
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
  this.timeout(400_000);
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
    tell(what, result);
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
      expect(fault, id).to.match(/provider-(?:timeout|failed)$/);
      expect(posted.has(id), id).to.equal(false);
    }
    const answered = result.runs.filter(({ fault }) => fault === '');
    expect(answered.length / result.runs.length, 'share of the runs that did not notice').to.be.greaterThan(0.9);
    await checkLoad(stage.api, { ...result, runs: answered, failed: [] }, stage.providers.all);
  });

  const repeat = async (id: string): Promise<unknown> => {
    const wish = { headers: { 'idempotency-key': id }, signal: AbortSignal.timeout(5000) };
    const { body } = await stage.api.post(
      `/orbisets/${TENANT}.default/execute`,
      { orb_id: SEND, inputs: { id } },
      wish,
    );
    return at(body, 'code') === 'idempotency-in-progress' ? undefined : body;
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
      expect(fault, id).to.match(/idempotency-in-progress|run-closed/);
      const body = await waitFor(() => repeat(id), SWEPT_MS);
      expect([at(body, 'code'), at(body, 'maybe_executed')], id).to.deep.equal(['run-closed', true]);
    }
    expect(await secondRequests(stage.providers.all), 'second requests').to.deep.equal([]);
    const done = result.runs.filter(({ fault }) => fault === '').map(({ receiptId }) => receiptId);
    const { open, swept } = await checkLedger(stage.api, done);
    expect([open, swept]).to.deep.equal([0, result.failed.length]);
  });
});
