import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { isJsonObject } from '../../../core/json/json-value.ts';
import { conditionOf, conditionsOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { testNamespace, writeStatus, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { anOrb, manifestOf, swappable } from '../../support/kube-objects.ts';
import { kstatus } from '../../support/kstatus.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

const orb = (name: string, members: Readonly<Record<string, unknown>> = {}): object => {
  const { apiVersion, kind, spec } = anOrb(name, { spec: manifestOf(members) });
  return { apiVersion, kind, metadata: { name }, spec };
};

const reasonOf = (object: KubeObject, type = 'Ready'): string => conditionOf(object, type)?.reason ?? '';
const isSeen = (object: KubeObject): boolean => statusOf(object)['observedGeneration'] === object.metadata.generation;
const isReady =
  (reason: string): ((object: KubeObject) => boolean) =>
  (object) =>
    isSeen(object) && reasonOf(object) === reason;

const active =
  (provider: string) =>
  ({ status }: KubeObject): boolean =>
    JSON.stringify(status).includes(`"activeProvider":"${provider}"`);

/** Resolves when a counter stood still for half a second: what was under way has ended. */
async function untilStill(read: () => Promise<number | undefined>): Promise<void> {
  for (let last: number | undefined, now = await read(); last !== now; now = await read()) {
    last = now;
    await delay(500);
  }
}

describe('operator, Orbs', () => {
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let space: TestNamespace;

  before(async () => {
    plane = await sharedControlPlane();
    operator = await startOperator(plane, { flags: SHORT_LEASE });
  });
  after(async () => {
    await operator.stop();
  });
  beforeEach(async function nameIt() {
    space = await testNamespace(plane, `orbs-${Math.random().toString(36).slice(2, 8)}`);
  });
  afterEach(async () => {
    await space.remove();
  });

  it('makes an Orb Ready for kubectl wait, with provider and digest', async () => {
    await space.apply(orb('echo', swappable));
    await space.kubectl('wait', 'orb/echo', '--for=condition=Ready', '--timeout=10s');
    const echo = await space.until('orb/echo', (object) => conditionOf(object, 'ProvidersResolved') !== undefined);
    expect(statusOf(echo)['failover']).to.include({ activeProvider: 'main', reason: 'primary' });
    expect(statusOf(echo)['validDigest']).to.match(/^sha256:/);
    expect(await space.kubectl('get', 'orb', 'echo')).to.match(/main.*True/);
    expect(kstatus(echo)).to.equal('Current');
  });

  it('keeps the digest of the last valid version, over a restart too, and says what to write', async () => {
    await space.apply(orb('echo'));
    const valid = await space.until('orb/echo', isReady('Ready'));
    // The schema of the cluster can't read templates: only the operator refuses this.
    const execution = { type: 'http', method: 'POST', url: 'https://api.example.com/{{inputs.nobody}}' };
    await space.apply(orb('echo', { execution }));
    const broken = await space.until('orb/echo', isReady('ManifestInvalid'));
    expect(statusOf(broken)['validDigest']).to.equal(statusOf(valid)['validDigest']);
    expect(await space.kubectl('describe', 'orb', 'echo')).to.match(/spec\.execution\.url: .*nobody/);
    expect(kstatus(broken)).to.equal('Failed');
    expect(await operator.stop()).to.equal(0);
    operator = await startOperator(plane, { flags: SHORT_LEASE });
    await space.kubectl('annotate', 'orb', 'echo', 'orbs.dev/reconcile-at=now');
    const again = await space.until('orb/echo', (object) => statusOf(object)['lastHandledReconcileAt'] === 'now');
    expect(statusOf(again)['validDigest']).to.equal(statusOf(valid)['validDigest']);
    await space.apply(orb('echo', { description: 'Says it again.' }));
    const mended = await space.until('orb/echo', isReady('Ready'));
    expect(statusOf(mended)['validDigest']).not.to.equal(statusOf(valid)['validDigest']);
    expect(conditionOf(mended, 'Stalled')).to.equal(undefined);
    expect(kstatus(mended)).to.equal('Current');
  });

  it('gives an id to the oldest Orb, and to the next one when that is gone', async () => {
    await space.apply(orb('first'));
    await space.until('orb/first', isReady('Ready'));
    await space.apply(orb('a-second'));
    const second = await space.until('orb/a-second', isSeen);
    // Both may be of the same second: then the name decides.
    const [holder, other] = reasonOf(second) === 'Ready' ? ['a-second', 'first'] : ['first', 'a-second'];
    const loser = await space.until(`orb/${other}`, isReady('OrbIdConflict'));
    expect(conditionOf(loser, 'Ready')?.message).to.include(`The Orb ${holder} holds acme.echo@1.0.0`);
    expect(kstatus(loser)).to.equal('Failed');
    await space.kubectl('delete', 'orb', holder);
    const heir = await space.until(`orb/${other}`, isReady('Ready'));
    expect(kstatus(heir)).to.equal('Current');
  });

  it('follows a pin until it ends, and reports both', async () => {
    await space.apply(orb('echo', swappable));
    await space.until('orb/echo', isReady('Ready'));
    const expires = new Date(Date.now() + 8000).toISOString();
    await space.apply(orb('echo', { ...swappable, pin: { provider: 'other', expires_at: expires } }));
    const pinned = await space.until('orb/echo', active('other'));
    expect(reasonOf(pinned, 'PinValid')).to.equal('PinFollowed');
    expect(statusOf(pinned)['failover']).to.include({ reason: 'manual' });
    const ended = await space.until('orb/echo', (object) => reasonOf(object, 'PinValid') === 'PinExpired');
    expect(active('other')(ended), 'stays: only rules on metrics swap back').to.equal(true);
    expect(kstatus(ended)).to.equal('Current');
    const reasons = await waitFor(async () => {
      const events = await space.list('events.events.k8s.io');
      const found = events.map(({ reason }) => String(reason));
      return found.includes('PinExpired') ? found : undefined;
    });
    expect(reasons).to.include.members(['ProviderChanged', 'PinExpired']).and.not.to.include('Ready');
  });

  const managersOf = async (): Promise<readonly string[]> => {
    const path = 'jsonpath={range .metadata.managedFields[?(@.subresource=="status")]}{.manager} {end}';
    return (await space.kubectl('get', 'orb', 'echo', '--show-managed-fields', '-o', path)).trim().split(' ');
  };

  it('owns conditions and provider by one manager', async () => {
    await space.apply(orb('echo', { swap_config: { fallbacks: ['mailgun'] } }));
    const echo = await space.until('orb/echo', isReady('Ready'));
    expect(conditionOf(echo, 'ProvidersResolved')?.message).to.include('add /providers/mailgun/execution');
    expect(statusOf(echo)['failover']).to.include({ activeProvider: 'main' });
    expect(await managersOf()).to.deep.equal(['orb-operator']);
    expect(kstatus(echo)).to.equal('Current');
  });

  it('takes over what a version with two managers wrote, and removes what ends then', async () => {
    const pin = { provider: 'other', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    await space.apply(orb('echo', { ...swappable, pin }));
    const before = await space.until('orb/echo', active('other'));
    expect(await operator.stop()).to.equal(0);
    const { failover } = statusOf(before);
    const ramp = { provider: 'other', percent: 10, stepStartedAt: new Date().toISOString(), trial: false };
    const conditions = conditionsOf(before)
      .filter(({ type }) => type === 'PinValid')
      .map((condition) => ({ ...condition }));
    const status = { failover: { ...(isJsonObject(failover) ? failover : {}), ramp }, conditions };
    await writeStatus(plane, before, status, { as: 'operator', manager: 'orb-operator-failover' });
    expect(await managersOf()).to.have.members(['orb-operator', 'orb-operator-failover']);
    operator = await startOperator(plane, { flags: SHORT_LEASE });
    const ended = await space.until('orb/echo', ({ status: now }) => !JSON.stringify(now).includes('"ramp"'));
    expect(await managersOf()).to.deep.equal(['orb-operator']);
    expect(statusOf(ended)['failover']).to.include({ activeProvider: 'other', swapSeq: 1 });
    await space.apply(orb('echo', swappable));
    const unpinned = await space.until('orb/echo', (object) => conditionOf(object, 'PinValid') === undefined);
    expect(statusOf(unpinned)['failover']).to.include({ activeProvider: 'other', swapSeq: 1 });
  });

  it('writes nothing when nothing changes', async () => {
    await space.apply(...Array.from({ length: 20 }, (_, n) => orb(`echo-${n}`, { orb_id: `acme.echo-${n}@1.0.0` })));
    for (let n = 0; n < 20; n += 1) {
      await space.until(`orb/echo-${n}`, (object) => conditionOf(object, 'ProvidersResolved') !== undefined);
    }
    const versions = async (): Promise<readonly string[]> =>
      (await space.list('orb')).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
    const reconciled = 'controller_runtime_reconcile_total{controller="orb",result="success"}';
    const patches = 'rest_client_requests_total{code="200",method="PATCH"}';
    await untilStill(() => operator.metric(reconciled));
    const [before, sent] = [(await operator.metric(reconciled)) ?? 0, await operator.metric(patches)];
    // Every Orb is looked at again, and nothing is to be said of any.
    await space.kubectl('label', 'orb', '--all', 'looked=at');
    const labelled = await versions();
    await waitFor(async () => (((await operator.metric(reconciled)) ?? 0) >= before + 20 ? true : undefined));
    expect(await operator.metric(reconciled)).to.be.at.least(before + 20);
    expect(await operator.metric(patches)).to.equal(sent);
    expect(await versions()).to.deep.equal(labelled);
  });
});
