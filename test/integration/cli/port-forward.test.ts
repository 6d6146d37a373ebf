import { expect } from 'chai';
import { rmSync } from 'node:fs';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { aServer, json, type CliServer } from '../../support/cli-server.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startFakeKubelet, type FakeKubelet } from '../../support/kube/fake-kubelet.ts';
import { anOrbProcess, type OrbEnded, type OrbProcess } from '../../support/orb-process.ts';

const NAMESPACE = 'orb-forward-test';
const NODE = 'orb-forward-node';
const LABELS = { 'app.kubernetes.io/part-of': 'orb-platform', 'app.kubernetes.io/component': 'api' };
const RESULT = { run_id: 'run_1', status: 'completed', outputs: { text: 'through' }, receipt: {}, execution_ms: 1 };

describe('orb through a port-forward', function forwarded() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let orb: OrbProcess;
  let kubelet: FakeKubelet;
  let api: CliServer;
  const apply = (...objects: readonly object[]): Promise<string> =>
    kubectlOk(
      plane,
      ['apply', '--server-side', '-f', '-'],
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    );
  const status = (kind: string, name: string, value: object): Promise<string> => {
    const place = kind === 'node' ? [] : ['-n', NAMESPACE];
    const patch = ['--subresource', 'status', '--type', 'merge', '-p', JSON.stringify({ status: value })];
    return kubectlOk(plane, ['patch', kind, name, ...place, ...patch]);
  };
  const run = (
    more: readonly string[] = [],
    env: NodeJS.ProcessEnv = { ORB_API_KEY: 'a-key' },
    user: 'admin' | 'api' | 'tenant-a' = 'admin',
  ): Promise<OrbEnded> => {
    const place = ['--kubeconfig', plane.users[user].kubeconfig, '--platform-namespace', NAMESPACE];
    return orb.run(['run', 'example.echo@1.0.0', 'text=x', '-o', 'json', ...place, ...more], { env });
  };
  /** The Service in front of the pod, with the port that it sends to. */
  const serve = (targetPort: string | number): Promise<string> => {
    const metadata = { name: 'orb-platform-api', namespace: NAMESPACE, labels: LABELS };
    const spec = { selector: LABELS, ports: [{ name: 'http', port: 80, targetPort }] };
    return apply({ apiVersion: 'v1', kind: 'Service', metadata, spec });
  };
  const setReady = (ready: 'True' | 'False'): Promise<string> =>
    status('pod', 'api-0', { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] });

  before(async () => {
    plane = await sharedControlPlane();
    orb = anOrbProcess();
    [kubelet, api] = await Promise.all([startFakeKubelet(), aServer(json(200, RESULT))]);
    await kubectlOk(plane, ['create', 'namespace', NAMESPACE]);
  });
  after(async () => {
    await kubectlOk(plane, ['delete', 'namespace', NAMESPACE, '--wait=false']);
    await kubectlOk(plane, ['delete', 'pods', '--all', '-n', NAMESPACE, '--force', '--grace-period=0']);
    await kubectlOk(plane, ['delete', 'node', NODE, '--ignore-not-found']);
    await Promise.all([kubelet.close(), api.close()]);
    rmSync(orb.folder, { recursive: true });
  });

  it('says where it looked for the Service, and how else to name the API', async () => {
    const { status: exit, out, err } = await run();
    expect([exit, out]).to.deep.equal([2, '']);
    expect(err).to.include(`no Service of the platform in the namespace ${NAMESPACE}`).and.to.include('--server URL');
  });

  it('says that no pod runs behind it, or that none is ready, and what shows why', async () => {
    await serve('web');
    const none = await run();
    expect(none.status).to.equal(4);
    expect(none.err)
      .to.include('no pod runs behind the Service orb-platform-api')
      .and.to.include('kubectl describe pods');

    const container = {
      name: 'api',
      image: 'none',
      ports: [{ name: 'web', containerPort: Number(new URL(api.url).port) }],
    };
    await apply(
      { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'api-0', namespace: NAMESPACE, labels: LABELS },
        spec: { nodeName: NODE, containers: [container] },
      },
    );
    await status('node', NODE, {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    });
    await setReady('False');
    expect((await run()).err).to.include('none of the 1 pods');
  });

  it('executes over the real API server and a kubelet, with the key in the forwarded bytes only', async () => {
    await setReady('True');
    const { status: exit, out, err } = await run();
    expect(exit, err).to.equal(0);
    expect(JSON.parse(out)).to.deep.equal(RESULT);
    expect(api.received.at(-1)?.headers.authorization).to.equal('Bearer a-key');
    expect(api.received.at(-1)?.headers.host).to.equal(`orb-platform-api.${NAMESPACE}.svc`);
    expect(kubelet.asked.at(-1)).to.include(`/portForward/${NAMESPACE}/api-0`).and.not.to.include('a-key');
  });

  it('carries an answer of megabytes, whole, and tells a port where nothing listens from a run in doubt', async () => {
    const large = await aServer(json(200, { ...RESULT, outputs: { text: 'x'.repeat(5_000_000) } }));
    await serve(Number(new URL(large.url).port));
    const { status: exit, out } = await run();
    await large.close();
    const dead = await run();
    await serve('web');
    expect([exit, out.length > 5_000_000]).to.deep.equal([0, true]);
    expect(dead.status).to.equal(4);
    expect(dead.err).to.include('ECONNREFUSED').and.to.include('kubectl get pods');
    expect(dead.err).not.to.include('may have been executed');
  });

  describe('with a token', () => {
    before(() =>
      apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'caller', namespace: NAMESPACE } }),
    );

    it('of the ServiceAccount that is named calls for the audience orb-api', async () => {
      expect((await run(['--as-serviceaccount', `${NAMESPACE}/caller`])).status).to.equal(0);
      const token = (api.received.at(-1)?.headers.authorization ?? '').replace('Bearer ', '');
      const review = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token, audiences: ['orb-api'] },
      };
      const answer: unknown = JSON.parse(
        await kubectlOk(plane, ['create', '-f', '-', '-o', 'json'], JSON.stringify(review)),
      );
      expect(answer).to.have.nested.property('status.authenticated', true);
      expect(answer).to.have.nested.property('status.user.username', `system:serviceaccount:${NAMESPACE}:caller`);
    });

    it('needs a ServiceAccount: a person reads what to do instead', async () => {
      const { status: exit, err } = await run([], {});
      expect(exit).to.equal(2);
      expect(err)
        .to.include('admin is no ServiceAccount')
        .and.to.include('ORB_API_KEY')
        .and.to.include('--as-serviceaccount');
    });

    it('of a ServiceAccount that is not there says so', async () => {
      const { status: exit, err } = await run(['--as-serviceaccount', `${NAMESPACE}/nobody`]);
      expect(exit).to.equal(2);
      expect(err).to.include(`kubectl create serviceaccount nobody -n ${NAMESPACE}`);
    });

    it('of another is not made by who may not, who reads which permission is missing', async () => {
      const { status: exit, err } = await run(['--as-serviceaccount', `${NAMESPACE}/caller`], {}, 'tenant-a');
      expect(exit).to.equal(2);
      expect(err).to.include('serviceaccounts/token');
    });
  });

  it('says that the port-forward is forbidden, and to whom', async () => {
    const read = ['create', 'role', 'look', '--verb=get,list', '--resource=services,pods', '-n', NAMESPACE];
    await kubectlOk(plane, read);
    await kubectlOk(plane, ['create', 'rolebinding', 'look', '--role=look', '--user=tenant-a', '-n', NAMESPACE]);
    const { status: exit, err } = await run([], { ORB_API_KEY: 'a-key' }, 'tenant-a');
    expect(exit).to.equal(2);
    expect(err).to.include('pods/portforward').and.to.include('tenant-a');
  });

  it('is what kubectl orb does without any flag but the namespace', async () => {
    const env = { KUBECONFIG: plane.users.admin.kubeconfig, ORB_API_KEY: 'a-key' };
    const argv = ['run', 'example.echo@1.0.0', 'text=x', '--platform-namespace', NAMESPACE];
    const { status: exit, out, err } = await orb.run(argv, { env, file: 'kubectl-orb.js' });
    expect(exit, err).to.equal(0);
    expect(out).to.include('through');
  });
});
