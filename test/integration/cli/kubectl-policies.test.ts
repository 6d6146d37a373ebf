import { expect } from 'chai';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { command, type CommandResult } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { startFakeKubelet, type FakeKubelet } from '../../support/kube/fake-kubelet.ts';
import { makeForwardedService } from '../../support/kube/forwarded-service.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NAMESPACE = 'p16-plugin';
const NODE = 'p16-plugin-node';
const ECHO = 'acme.echo@1.0.0';
const SETTLED_MS = 20_000;
const POLICY = `apiVersion: orbs.dev/v1alpha1
kind: OrbPolicy
metadata:
  name: no-mail
spec:
  inputFacts: { text: string }
  promotion: { requireReplay: { window: 1h, minReceipts: 1, maxNewDenies: 1, maxIndeterminatePercent: 100 } }
  rules:
    - { name: no-mail, effect: deny, when: 'has(inputs.text) && inputs.text == "mail"', message: no mail }
`;

describe('kubectl orb, as a ServiceAccount', function suite() {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'orb-plugin-'));
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let kubelet: FakeKubelet;
  let team: TestNamespace;

  /** A kubeconfig whose user is a ServiceAccount with this role. @returns its path */
  async function kubeconfigOf(account: string, role: string): Promise<string> {
    await team.kubectl('create', 'serviceaccount', account);
    const subject = `--serviceaccount=${NAMESPACE}:${account}`;
    await team.kubectl('create', 'rolebinding', account, `--clusterrole=${role}`, subject);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'one',
      clusters: [{ name: 'one', cluster: { server: plane.server.url, 'certificate-authority': plane.caFile } }],
      contexts: [{ name: 'one', context: { cluster: 'one', user: 'one', namespace: NAMESPACE } }],
      users: [{ name: 'one', user: { token: (await team.kubectl('create', 'token', account)).trim() } }],
    };
    const path = join(folder, `${account}.json`);
    writeFileSync(path, JSON.stringify(config));
    return path;
  }
  /** As a user whose `PATH` has kubectl and its plugin. */
  const kubectlOrb = (kubeconfig: string, ...argv: readonly string[]): Promise<CommandResult> =>
    command(plane.kubectlPath, ['orb', ...argv, '--platform-namespace', NAMESPACE], {
      cwd: folder,
      env: {
        PATH: [folder, dirname(process.execPath), process.env['PATH'] ?? ''].join(':'),
        HOME: folder,
        ORB_CONFIG_DIR: join(folder, 'config'),
        KUBECONFIG: kubeconfig,
        KUBECACHEDIR: join(folder, 'cache'),
      },
    });
  const until = (wanted: (result: CommandResult) => boolean, kubeconfig: string, ...argv: readonly string[]) =>
    lastAnswer(() => kubectlOrb(kubeconfig, ...argv), wanted, SETTLED_MS, 500);

  before(async () => {
    plane = await sharedControlPlane();
    [kubelet, provider] = await Promise.all([startFakeKubelet(), startProvider()]);
    team = await testNamespace(plane, NAMESPACE);
    await team.apply(orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok` }), orbiset('default', []));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
    const apiPort = Number(new URL(api.url).port);
    await makeForwardedService(plane, { namespace: NAMESPACE, node: NODE, kubeletPort: kubelet.port, apiPort });
    symlinkSync(join(import.meta.dirname, '../../../cli/kubectl-orb.js'), join(folder, 'kubectl-orb'));
    writeFileSync(join(folder, 'no-mail.yaml'), POLICY);
  });
  after(async () => {
    await team.kubectl('delete', 'pods', '--all', '--force', '--grace-period=0');
    await team.remove();
    await kubectlOk(plane, ['delete', 'node', NODE, '--ignore-not-found']);
    await Promise.all([kubelet.close(), provider.close(), api.stop()]);
    rmSync(folder, { recursive: true });
  });

  it('lists, applies, evaluates, replays and promotes, through the port-forward', async () => {
    const lead = await kubeconfigOf('lead', 'admin');
    const empty = await until(({ code }) => code === 0, lead, 'policy', 'list', '-o', 'name');
    expect([empty.code, empty.stdout], empty.stderr).to.deep.equal([0, '']);
    const applied = await kubectlOrb(lead, 'policy', 'apply', '-f', 'no-mail.yaml');
    expect(applied.stdout, applied.stderr).to.equal(`created    ${NAMESPACE}/no-mail: Audit\n`);
    const tried = await kubectlOrb(
      lead,
      'policy',
      'evaluate',
      '-f',
      'no-mail.yaml',
      '--orb',
      ECHO,
      '--input',
      'text=mail',
    );
    expect(tried.code, tried.stderr).to.equal(1);
    expect(tried.stdout).to.include(`newly denied by ${NAMESPACE}/no-mail/no-mail\n`);

    const early = await kubectlOrb(lead, 'policy', 'promote', 'no-mail');
    expect([early.code, early.stderr.includes('409 replay-gate-not-met')]).to.deep.equal([1, true]);
    await until(({ stdout }) => stdout.includes('in force'), lead, 'policy', 'get', 'no-mail');
    const ran = await until(({ code }) => code === 0, lead, 'run', ECHO, 'text=mail');
    expect(ran.code, ran.stderr).to.equal(0);
    const replayed = await kubectlOrb(lead, 'policy', 'replay', 'no-mail', '--window', '1h', '--wait');
    expect(replayed.code, replayed.stdout + replayed.stderr).to.equal(0);
    const promoted = await kubectlOrb(lead, 'policy', 'promote', 'no-mail');
    expect(promoted.stdout, promoted.stderr).to.match(new RegExp(`^${NAMESPACE}/no-mail: Enforce`));
    const denied = await until(({ stderr }) => stderr.includes('policy-denied'), lead, 'run', ECHO, 'text=mail');
    expect([denied.code, denied.stderr.includes('no mail')]).to.deep.equal([1, true]);
    expect(await team.kubectl('get', 'orbpolicies', '-o', 'jsonpath={.items[*].spec.mode}')).to.equal('Enforce');
  });

  it('sends the sample of a vendor through the port-forward, without its token', async () => {
    const [secret, path] = ['a-token-of-alertmanager', join(folder, 'hook')];
    writeFileSync(path, secret);
    await team.kubectl('create', 'secret', 'generic', 'hook', `--from-file=token=${path}`);
    const roles = ['--clusterrole=orb-vault-reader', '--serviceaccount=orb-system:orb-api'];
    await team.kubectl('create', 'rolebinding', 'reads-hook', ...roles);
    const spec = { type: 'alertmanager', mode: 'Active', auth: { secretRefs: [{ name: 'hook', key: 'token' }] } };
    const metadata = { name: 'alerts', namespace: NAMESPACE };
    await team.apply({ apiVersion: 'orbs.dev/v1alpha1', kind: 'OrbSignalSource', metadata, spec });
    const oncall = await kubeconfigOf('oncall', 'admin');
    const listed = await until(({ stdout }) => stdout.includes('readable'), oncall, 'signals', 'sources');
    expect(listed.stdout, listed.stderr).to.match(
      /^p16-plugin\/alerts +alertmanager +Active +shared_secret +readable/m,
    );
    const sample = ['signals', 'send', 'alerts', '--orb', ECHO, '--secret-file', path, '--wait'];
    const sent = await kubectlOrb(oncall, ...sample);
    expect(sent.stdout, sent.stderr).to.match(/^dlv_\S+ is accepted\n[\s\S]*firing +critical +orb\/acme\.echo@1\.0\.0/);
    const incidents = await kubectlOrb(oncall, 'incidents', 'list', '--status', 'open', '-o', 'name');
    expect(incidents.stdout, incidents.stderr).to.match(/^inc_\S+\n$/);
    const acknowledged = await kubectlOrb(oncall, 'incidents', 'ack', incidents.stdout.trim());
    expect(acknowledged.stdout, acknowledged.stderr).to.include(' is acknowledged\n');
  });

  it('changes nothing for a ServiceAccount that may only read', async () => {
    const reader = await kubeconfigOf('reader', 'view');
    for (const resource of ['pods/portforward', 'serviceaccounts/token']) {
      const name = `reader-${resource.split('/')[1]}`;
      await team.kubectl('create', 'role', name, '--verb=create,get', `--resource=${resource}`);
      await team.kubectl('create', 'rolebinding', name, `--role=${name}`, `--serviceaccount=${NAMESPACE}:reader`);
    }
    const listed = await until(({ code }) => code === 0, reader, 'policy', 'list', '-o', 'name');
    expect([listed.code, listed.stdout], listed.stderr).to.deep.equal([0, `${NAMESPACE}/no-mail\n`]);
    for (const argv of [
      ['policy', 'apply', '-f', 'no-mail.yaml'],
      ['policy', 'promote', 'no-mail'],
      ['policy', 'delete', 'no-mail', '--yes'],
      ['policy', 'replay', 'no-mail', '--window', '1h'],
      ['dead-letters', 'list'],
    ]) {
      const { code, stderr } = await kubectlOrb(reader, ...argv);
      expect([code, stderr.includes('403 forbidden')], argv.join(' ') + stderr).to.deep.equal([2, true]);
    }
  });
});
