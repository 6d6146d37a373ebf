import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess, type ApiReply } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { policyObject } from '../../support/policies.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { lastAnswer, untilTrue, waitFor } from '../../support/wait-for.ts';

const ECHO = 'acme.echo@1.0.0';
/** A new generation is in force within this time, ms. */
const IN_FORCE_MS = 2000;

const denying = (when: string): OrbPolicySpec => ({
  mode: 'Enforce',
  rules: [{ name: 'rule', effect: 'deny', when, message: 'not today' }],
});

describe('policies of a cluster take force (policy.md §2)', function suite() {
  this.timeout(60_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret(['p16-policies']);
  const execute = (): Promise<ApiReply> => api.execute(owner.key, 'support', ECHO);
  /** Status and code of a run. */
  const answer = async (): Promise<string> => {
    const { status, code } = await execute();
    return `${status} ${code}`;
  };
  const untilAnswer = (wanted: string, ms = IN_FORCE_MS): Promise<string> =>
    lastAnswer(answer, (last) => last === wanted, ms);
  const statusOf = async (name: string, path: string): Promise<string> =>
    (await team.kubectl('get', `orbpolicy/${name}`, '-o', `jsonpath={.status${path}}`)).trim();
  const DENIED = '403 policy-denied';
  const RUNS = '200 ';

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, 'p16-policies');
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok` }), orbiset('support', []));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'orbpolicies', '--all']);
    await team.remove();
    await provider.close();
    await api.stop();
  });

  it('within two seconds, and the status says which version', async () => {
    expect(await untilAnswer(RUNS, 10_000)).to.equal(RUNS);
    await team.apply(policyObject('limits', denying('orb.score < 50')));
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
    const digest = await waitFor(async () => (await statusOf('limits', '.activeDigest')) || undefined);
    expect(digest).to.match(/^sha256:[0-9a-f]{64}$/);
    await team.apply(policyObject('limits', denying('orb.score > 50')));
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
    await team.apply(policyObject('limits', denying('orb.score < 50')));
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
  });

  it('while a later generation that is no good does not, also after the process was killed', async () => {
    const before = await waitFor(async () => (await statusOf('limits', '.activeDigest')) || undefined);
    await team.apply(policyObject('limits', denying('orb.scor > 50')));
    await untilTrue('the generation is refused', () => api.log().includes('does not take force'));
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
    api = await api.restart('SIGKILL');
    expect(await untilAnswer(DENIED, 10_000)).to.equal(DENIED);
    expect(api.log()).to.include('the last good version of a policy stays in force');
    expect(await statusOf('limits', '.activeDigest')).to.equal(before);
  });

  it('until they are deleted', async () => {
    await team.kubectl('delete', 'orbpolicy/limits');
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
  });

  it('for every tenant in the namespace of the platform alone', async () => {
    const platform: OrbPolicySpec = { ...denying('orb.score < 50'), scope: 'Platform' };
    await team.apply(policyObject('mine', platform));
    await untilTrue('the scope is refused', () => api.log().includes('ScopeNotAllowed'));
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
    await team.kubectl('delete', 'orbpolicy/mine');
    await kubectlOk(plane, ['-n', 'orb-system', 'apply', '-f', '-'], JSON.stringify(policyObject('base', platform)));
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'orbpolicy/base']);
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
  });

  it('by labels of an Orb, when nothing but the labels changes', async () => {
    const match = { orbs: { selector: { matchLabels: { tier: 'prod' } } } };
    await team.apply(policyObject('labelled', { ...denying('orb.score < 50'), match }));
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
    await team.kubectl('label', 'orb/echo', 'tier=prod');
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
    await team.kubectl('label', 'orb/echo', 'tier-');
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
    await team.kubectl('delete', 'orbpolicy/labelled');
  });

  it('beside what the Orbiset says: without a rule that allows, a run is denied', async () => {
    const patch = (policies: object | null): Promise<string> =>
      team.kubectl('patch', 'orbiset/support', '--type=merge', '-p', JSON.stringify({ spec: { policies } }));
    await team.apply(policyObject('recording', { mode: 'Enforce' }));
    await patch({ defaultEffect: 'deny' });
    expect(await untilAnswer(DENIED)).to.equal(DENIED);
    await patch(null);
    expect(await untilAnswer(RUNS)).to.equal(RUNS);
    const args = ['-n', team.name, 'patch', 'orbiset/support', '--type=merge', '-p'];
    const refused = await plane.kubectl([...args, '{"spec":{"policies":{"rules":"x"}}}']);
    expect(refused.code).not.to.equal(0);
    expect(refused.stderr).to.include('spec.policies');
  });
});
