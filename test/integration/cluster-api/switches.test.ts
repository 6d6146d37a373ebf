import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { waitFor } from '../../support/wait-for.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';

const SLOW = 'acme.slow@1.0.0';
const ECHO = 'acme.echo@1.0.0';

const member = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (found, name) => (typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined),
    value,
  );

describe('the kill switches of a cluster (security.md S30)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret(['h5-switches']);
  const execute = (orbId: string): Promise<ApiReply> => api.execute(owner.key, 'support', orbId);
  const untilStatus = (status: number, orbId = ECHO, ms = 5000): Promise<ApiReply | undefined> =>
    waitFor(async () => {
      const reply = await execute(orbId);
      return reply.status === status ? reply : undefined;
    }, ms);
  /** Throws a switch under a run that waits for its provider; both the run and new ones must be refused. */
  async function checkThrown(code: string, flip: () => Promise<unknown>): Promise<void> {
    const sent = provider.seen.length;
    const running = execute(SLOW);
    await waitFor(async () => (provider.seen.length > sent ? true : undefined));
    await flip();
    const { status, code: ended, body } = await running;
    expect([
      status,
      ended,
      member(body, 'run', 'status'),
      typeof member(body, 'run', 'receipt', 'receipt_id'),
    ]).to.deep.equal([503, code, 'failed', 'string']);
    const refused = await execute(SLOW);
    expect([refused.status, refused.code]).to.deep.equal([503, code]);
  }

  const merge = (spec: object): Promise<string> =>
    team.kubectl('patch', 'orbiset/support', '--type=merge', '-p', JSON.stringify({ spec }));
  const patch = (suspended: boolean): Promise<string> => merge({ suspended });

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, 'h5-switches');
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    const url = (path: string): string => `http://127.0.0.1:${provider.port}${path}`;
    await team.apply(
      orb('slow', SLOW, { url: url('/held') }),
      orb('echo', ECHO, { url: url('/ok') }),
      orbiset('support', []),
    );
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'configmap', 'orb-egress', '--ignore-not-found']);
    await team.remove();
    await provider.close();
    await api.stop();
  });

  it('end a run and refuse others when the Orbiset is suspended, and let go again', async () => {
    await checkThrown('orbiset-suspended', () => patch(true));
    await patch(false);
    expect((await untilStatus(200))?.status).to.equal(200);
  });

  it('end a run and refuse others when a publication of the Orb is suspended, but no other Orb', async () => {
    const publication = (suspended: boolean): object => ({
      apiVersion: 'orbs.dev/v1alpha1',
      kind: 'OrbPublication',
      metadata: { name: 'slow' },
      spec: {
        manifest: member(orb('slow', SLOW, { url: 'https://api.example.com/' }), 'spec'),
        test_results: {},
        suspended,
      },
    });
    await team.apply(publication(false));
    expect((await execute(ECHO)).status).to.equal(200);
    await checkThrown('orb-suspended', () => team.apply(publication(true)));
    expect((await execute(ECHO)).status).to.equal(200);
    await team.kubectl('delete', 'orbpublication/slow');
    const sent = provider.seen.length;
    const again = untilStatus(200, SLOW);
    await waitFor(async () => (provider.seen.length > sent ? true : undefined));
    provider.release();
    expect((await again)?.status).to.equal(200);
  });

  it('end every run while the ConfigMap orb-egress says so, and let go when it is deleted', async () => {
    const configMap = ['-n', 'orb-system', 'create', 'configmap', 'orb-egress', '--from-literal=stop=true'];
    await checkThrown('egress-stopped', () => kubectlOk(plane, configMap));
    const sent = provider.seen.length;
    expect((await execute(ECHO)).code).to.equal('egress-stopped');
    await delay(50);
    expect(provider.seen.length).to.equal(sent);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'configmap', 'orb-egress']);
    expect((await untilStatus(200))?.status).to.equal(200);
  });

  it('leave executions alone while the Kubernetes API is away', async () => {
    api.proxy.partition();
    try {
      expect((await execute(ECHO)).status).to.equal(200);
      expect((await api.get(owner.key, '/receipts')).status).to.equal(200);
    } finally {
      api.proxy.heal();
    }
  });
});
