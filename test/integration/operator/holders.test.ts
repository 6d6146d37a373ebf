import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { conditionOf, statusOf } from '../../../core/reconcile/read-object.ts';
import type { KubeObject } from '../../../core/reconcile/kube-object.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const ONE = 'acme.one@1.0.0';
const TWO = 'acme.two@1.0.0';

const readyOf = (object: KubeObject): string => conditionOf(object, 'Ready')?.reason ?? '';
const seen =
  (reason: string): ((object: KubeObject) => boolean) =>
  (object) =>
    statusOf(object)['observedGeneration'] === object.metadata.generation && readyOf(object) === reason;

describe('who runs an id, by operator and API', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let api: ApiProcess;
  let provider: TestProvider;
  let space: TestNamespace;
  const owner = apiKeySecret(['holders']);
  const origin = (): string => `http://127.0.0.1:${provider.port}`;
  const flags = (): readonly string[] => ['--egress-allow', origin()];
  const startIt = (): Promise<OperatorProcess> => startOperator(plane, { flags: [...SHORT_LEASE, ...flags()] });

  /** A version of an Orb: which one ran is seen by what the provider is asked. */
  const version = (name: string, orbId: string, query: string): object =>
    orb(name, orbId, { url: `${origin()}/ok?${query}` });
  /** The schema of the cluster can't read templates: only operator and API refuse it. */
  const broken = (name: string, orbId: string): object => orb(name, orbId, { url: `${origin()}/ok/{{inputs.nobody}}` });
  /** What a run of an id asks of the provider now; its problem when it is none. */
  const runOf = async (orbId: string): Promise<string> => {
    const { status, code } = await api.execute(owner.key, 'support', orbId);
    return status === 200 ? (provider.seen.at(-1)?.url.replace('/ok?', '') ?? '') : code;
  };
  const checkRuns = async (orbId: string, wanted: string): Promise<void> => {
    let last = '';
    await waitFor(async () => ((last = await runOf(orbId)) === wanted ? true : undefined), 5000);
    expect(last, orbId).to.equal(wanted);
  };
  /** The next Orb is younger by more than the second that the server's times have. */
  const nextSecond = async (name: string): Promise<void> => {
    const created = (await space.get(`orb/${name}`))?.metadata.creationTimestamp ?? '';
    await waitFor(() => Promise.resolve(Date.now() >= Date.parse(created) + 1000 ? true : undefined));
  };
  const restartBoth = async (): Promise<void> => {
    expect(await operator.stop()).to.equal(0);
    api = await api.restart('SIGKILL');
    operator = await startIt();
  };

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    operator = await startIt();
    api = await startApi(plane, flags());
    space = await testNamespace(plane, 'holders');
    await space.apply(orbiset('support', []), version('a', ONE, 'a1'));
    await space.until('orb/a', seen('Ready'));
    await nextSecond('a');
    await space.apply(version('b', TWO, 'b1'));
    await space.until('orb/b', seen('Ready'));
    await nextSecond('b');
    await checkRuns(ONE, 'a1');
  });
  after(async () => {
    await operator.stop();
    await api.stop();
    await provider.close();
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await space.remove();
  });

  it('leaves the id to an Orb whose broken edit names the id of another, which keeps its own', async () => {
    await space.apply(broken('a', TWO));
    const a = await space.until('orb/a', seen('ManifestInvalid'));
    expect(conditionOf(a, 'Ready')?.message).to.include('The last valid version keeps running.');
    expect(statusOf(a)['validDigest']).to.match(/^sha256:/);
    await space.apply(version('c', ONE, 'c1'));
    const c = await space.until('orb/c', seen('OrbIdConflict'));
    expect(conditionOf(c, 'Ready')?.message).to.include(`The Orb a holds ${ONE}`);
    const b = await space.get('orb/b');
    expect([b && readyOf(b), b && statusOf(b)['validDigest']])
      .to.include('Ready')
      .and.not.include(undefined);
    await checkRuns(ONE, 'a1');
    await checkRuns(TWO, 'b1');
  });

  it('says and does the same after a restart of both', async () => {
    await restartBoth();
    for (const name of ['a', 'b', 'c']) await space.kubectl('annotate', 'orb', name, 'orbs.dev/reconcile-at=again');
    const reported: string[] = [];
    for (const name of ['a', 'b', 'c']) {
      const object = await space.until(`orb/${name}`, (it) => statusOf(it)['lastHandledReconcileAt'] === 'again');
      reported.push(readyOf(object));
    }
    expect(reported).to.deep.equal(['ManifestInvalid', 'Ready', 'OrbIdConflict']);
    await checkRuns(ONE, 'a1');
    await checkRuns(TWO, 'b1');
  });

  it('moves an id only with a valid edit: the older one takes it, and the next one gets what it left', async () => {
    await space.apply(version('a', TWO, 'a2'));
    await space.until('orb/a', seen('Ready'));
    // Two controllers write the status: the failover one a moment later.
    const b = await space.until('orb/b', (it) => seen('OrbIdConflict')(it) && statusOf(it)['failover'] === undefined);
    expect(statusOf(b)).to.not.have.any.keys('validDigest', 'failover');
    await space.until('orb/c', seen('Ready'));
    await checkRuns(TWO, 'a2');
    await checkRuns(ONE, 'c1');
  });

  it('runs nothing of an Orb that lost its id, and its last valid version again when the holder is gone', async () => {
    await space.apply(broken('b', 'acme.three@1.0.0'));
    await space.until('orb/b', seen('OrbIdConflict'));
    await checkRuns('acme.three@1.0.0', 'orb-not-found');
    await space.kubectl('delete', 'orb', 'a');
    const b = await space.until('orb/b', seen('ManifestInvalid'));
    expect(statusOf(b)['validDigest']).to.match(/^sha256:/);
    await checkRuns(TWO, 'b1');
    await restartBoth();
    await checkRuns(TWO, 'b1');
  });

  it('lets an Orb that never was valid take no id from one that is', async () => {
    await space.apply(broken('z', 'acme.free@1.0.0'));
    await space.until('orb/z', seen('ManifestInvalid'));
    await checkRuns('acme.free@1.0.0', 'orb-not-ready');
    await nextSecond('z');
    await space.apply(version('d', 'acme.free@1.0.0', 'd1'));
    await space.until('orb/d', seen('Ready'));
    await space.until('orb/z', seen('OrbIdConflict'));
    await checkRuns('acme.free@1.0.0', 'd1');
  });
});
