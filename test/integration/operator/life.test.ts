import { expect } from 'chai';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { conditionOf } from '../../../core/reconcile/read-object.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { anOrb } from '../../support/kube-objects.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';

/** A lease that nobody waits for. */
const LONG_LEASE = ['--lease-duration', '90s', '--renew-deadline', '60s', '--retry-period', '500ms'];

const LEADING = 'leader_election_master_status{name="orb-operator"}';

const leads = async (operator: OperatorProcess): Promise<boolean> => (await operator.metric(LEADING)) === 1;

const orb = (name: string): object => {
  const { apiVersion, kind, spec } = anOrb(name);
  return { apiVersion, kind, metadata: { name }, spec };
};

const probe = async (operator: OperatorProcess, path: string): Promise<number> =>
  (await fetch(`${operator.ready.probes_url}${path}`)).status;

describe('operator, its life', () => {
  let plane: ControlPlane;
  let space: TestNamespace;
  const running: OperatorProcess[] = [];

  const start = async (flags: readonly string[] = SHORT_LEASE): Promise<OperatorProcess> => {
    const operator = await startOperator(plane, { flags });
    running.push(operator);
    return operator;
  };

  before(async () => {
    plane = await sharedControlPlane();
  });
  beforeEach(async () => {
    space = await testNamespace(plane, `life-${Math.random().toString(36).slice(2, 8)}`);
  });
  afterEach(async () => {
    for (const operator of running.splice(0)) await operator.stop();
    await space.remove();
  });

  it('hands over to the second process within seconds of a kill, and only one leads', async () => {
    const [one, two] = [await start(), await start()];
    const leader = await waitFor(async () => ((await leads(one)) ? one : (await leads(two)) ? two : undefined));
    expect(leader).to.be.oneOf([one, two]);
    const follower = leader === one ? two : one;
    expect(await leads(follower)).to.equal(false);
    expect(await probe(follower, '/readyz')).to.equal(200);
    await space.apply(orb('before'));
    await space.until('orb/before', (object) => conditionOf(object, 'Ready')?.status === 'True');
    leader?.process.kill('SIGKILL');
    await space.apply(orb('after'));
    await space.until('orb/after', (object) => conditionOf(object, 'Ready') !== undefined);
    expect(await leads(follower)).to.equal(true);
  });

  it('hands over at once when the leader is asked to stop', async () => {
    const one = await start(LONG_LEASE);
    await waitFor(async () => ((await leads(one)) ? true : undefined));
    const two = await start(LONG_LEASE);
    expect(await one.stop()).to.equal(0);
    // Long before the lease could have run out.
    expect(await waitFor(async () => ((await leads(two)) ? true : undefined), 20_000)).to.equal(true);
  });

  it('ends with 0 though the API server can not be reached', async () => {
    const lost = ['--kube-server', 'http://127.0.0.1:9', '--kube-token-file', plane.users.operator.tokenFile];
    const operator = await startOperator(plane, { connection: lost, unready: true });
    await waitFor(async () => (operator.process.tail(20).includes('ECONNREFUSED') ? true : undefined));
    expect(operator.process.ended()).to.equal(false);
    expect(await operator.stop()).to.equal(0); // what hangs is killed after 10 s, and has no exit code
  });

  it('does not work where the version that led last is not its neighbour, and says which comes first', async () => {
    const one = await start();
    await waitFor(async () => ((await leads(one)) ? true : undefined));
    await one.stop();
    const note = (change: string): Promise<string> =>
      kubectlOk(plane, ['annotate', 'lease/orb-operator', '-n', 'orb-system', '--overwrite', change]);
    await note('orbs.dev/version=7.0.0');
    const late = await startOperator(plane, { flags: SHORT_LEASE, unready: true });
    await waitFor(async () => (late.process.ended() ? true : undefined));
    expect(late.process.tail(5)).to.contain('version 7.0.0 works here').and.contain('Go to the last 6.x first');
    expect(await late.stop()).to.equal(78);
    await note('orbs.dev/version-');
    const again = await start();
    expect(await waitFor(async () => ((await leads(again)) ? true : undefined))).to.equal(true);
  });

  it('takes a server, a token file and a CA in place of a kubeconfig', async () => {
    const { operator: user } = plane.users;
    const connection = [
      '--kube-server',
      plane.server.url,
      '--kube-token-file',
      user.tokenFile,
      '--kube-ca-file',
      plane.caFile,
    ];
    const operator = await startOperator(plane, { connection, flags: SHORT_LEASE });
    running.push(operator);
    expect(await probe(operator, '/livez')).to.equal(200);
    await space.apply(orb('echo'));
    await space.until('orb/echo', (object) => conditionOf(object, 'Ready')?.status === 'True');
  });
});
