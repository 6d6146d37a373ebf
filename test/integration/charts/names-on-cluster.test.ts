import { expect } from 'chai';
import { vaultReaderBinding } from '../../../core/orbiset/vault-reader.ts';
import { startControlPlane, type ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { openHelm, PLATFORM_CHART, type Helm } from '../../support/cluster/platform-chart.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const PLACE = 'blue-system';
const TENANT = 'tenant';
const OPERATOR = `system:serviceaccount:${PLACE}:acme-operator`;
const ADMITTED_MS = 30_000;
// There is no kubelet: hooks would wait for their pods.
const BLUE = ['blue', PLATFORM_CHART, '-n', PLACE, '--no-hooks'];
const NAMED = ['--set', 'fullnameOverride=acme'];

describe('a release with other names, on a real API server', () => {
  let plane: ControlPlane;
  let helm: Helm;
  before(async () => {
    plane = await startControlPlane();
    helm = await openHelm(plane.users.admin.kubeconfig);
    await kubectlOk(plane, ['create', 'namespace', TENANT]);
  });
  after(async () => {
    helm.remove();
    await plane.stop();
  });

  const kubectl = (...args: readonly string[]): Promise<string> => kubectlOk(plane, args);
  /** What kubectl or the API server answers, also when it refuses. */
  const answered = (args: readonly string[], input?: string): Promise<string> =>
    kubectlOk(plane, args, input).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));

  async function refusal(args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await helm.run(args);
    expect(code, stdout).not.to.equal(0);
    return stderr;
  }
  async function helmOk(args: readonly string[]): Promise<void> {
    const { code, stdout, stderr } = await helm.run(args);
    expect(code, `${stderr}${stdout}`).to.equal(0);
  }

  it('is installed, with every object under its name', async () => {
    await helmOk(['install', ...BLUE, '--create-namespace', ...NAMED]);
    expect(await kubectl('get', 'deployments,serviceaccounts', '-n', PLACE, '-o', 'name')).to.include(
      'deployment.apps/acme-api\ndeployment.apps/acme-operator\ndeployment.apps/acme-status-prober\n',
    );
    expect(await kubectl('get', 'clusterroles', '-o', 'name'))
      .to.include('/acme-operator-vault')
      .and.to.include('/orb-vault-reader')
      .and.not.to.include('/orb-operator');
  });

  it('gives the operator the right to bind the ServiceAccount of the API, and no other', async () => {
    const bind = (apiAccount: string): Promise<string> => {
      const binding = vaultReaderBinding(TENANT, { platformNamespace: PLACE, apiAccount }, []);
      const apply = ['apply', '--server-side', '--dry-run=server', '-o', 'name', '-f', '-'];
      return answered([...apply, `--as=${OPERATOR}`], JSON.stringify(binding));
    };
    const denied = await lastAnswer(
      () => bind('orb-api'),
      (text) => text.includes('denied request'),
      ADMITTED_MS,
    );
    expect(denied).to.include(`only to the ServiceAccount acme-api of ${PLACE}`);
    expect(await bind('acme-api')).to.equal('rolebinding.rbac.authorization.k8s.io/orb-vault-reader\n');
    expect(
      await answered(['auth', 'can-i', 'update', 'leases/orb-operator', '-n', PLACE, `--as=${OPERATOR}`]),
    ).to.match(/^yes/m);
  });

  it('is upgraded under the same names, and refused under others, which would begin an empty ledger', async () => {
    await kubectl('create', 'configmap', 'orb-log-head', '-n', PLACE);
    await helmOk(['upgrade', ...BLUE, ...NAMED, '--set', 'logLevel=debug']);
    const said = await refusal(['upgrade', ...BLUE, '--set', 'fullnameOverride=other']);
    expect(said)
      .to.include('the ledger of this release is in a claim of another name')
      .and.to.include(`helm get values blue -n ${PLACE} --revision 1`);
    expect(await refusal(['upgrade', ...BLUE, '--reset-values'])).to.include('begin with orb,');
    const claim = ['--set', 'fullnameOverride=other,ledger.persistence.existingClaim=acme-ledger'];
    await helmOk(['upgrade', ...BLUE, ...claim, '--dry-run=server']);
    expect(await kubectl('get', 'deployments', '-n', PLACE, '-o', 'name')).not.to.include('other');
  });

  it('is the only one of the cluster while its operator leads: a second release says where it is', async () => {
    const second = ['install', 'green', PLATFORM_CHART, '-n', TENANT, '--no-hooks', '--set', 'crds.enabled=false'];
    const green = [...second, '--set', 'fullnameOverride=green'];
    // Without a leader it may be what a removed release left: Helm itself says how to take it over.
    expect(await refusal(green)).to.include('cannot be imported into the current release');
    const holder = JSON.stringify({ spec: { holderIdentity: 'acme-operator-1' } });
    await kubectl('patch', 'lease', 'orb-operator', '-n', PLACE, '--type=merge', '-p', holder);
    expect(await refusal(green))
      .to.include(`this cluster has the platform already, as release blue in the namespace ${PLACE}`)
      .and.to.include(`helm uninstall blue -n ${PLACE}`);
    expect(await kubectl('get', 'deployments', '-n', TENANT, '-o', 'name')).to.equal('');
    await helmOk(['upgrade', ...BLUE, ...NAMED]);
  });
});
