import { expect } from 'chai';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { CommandResult } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { outcomeOf, policyClient, textIn, type PolicyClient } from '../../chaos/policies/changes/client.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { policyObject } from '../../support/policies.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NAMESPACE = 'p16-gate';
const ECHO = 'acme.echo@1.0.0';
const SETTLED_MS = 20_000;
const SCOPES = ['orbs:execute', 'receipts:read', 'policies:read', 'policies:write', 'policies:simulate'] as const;
const RUNS = '200';
const DENIED = '403 policy-denied';

const gated = (score: number, maxNewDenies: number, mode?: OrbPolicySpec['mode']): OrbPolicySpec => ({
  ...(mode === undefined ? {} : { mode }),
  promotion: { requireReplay: { window: '1h', minReceipts: 1, maxNewDenies, maxIndeterminatePercent: 100 } },
  rules: [{ name: 'score', effect: 'deny', when: `orb.score < ${score}` }],
});

describe('the replay gate of a policy that kubectl applies', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  let client: PolicyClient;
  const owner = apiKeySecret([NAMESPACE], SCOPES);

  const run = async (): Promise<string> => outcomeOf(await client.run('hi'));
  const untilRun = (wanted: string): Promise<string> => lastAnswer(run, (last) => last === wanted, SETTLED_MS);
  const shown = (path: string): Promise<string> =>
    team.kubectl('get', 'orbpolicy/limits', '-o', `jsonpath={.status${path}}`);
  const gate = (): Promise<string> => shown('.conditions[?(@.type=="ReplayGatePassed")].reason');
  const untilGate = (reason: string): Promise<string> => lastAnswer(gate, (last) => last === reason, SETTLED_MS);
  /** Without force, as a person does. */
  const kubectlApply = (spec: OrbPolicySpec): Promise<CommandResult> =>
    plane.kubectl(['-n', NAMESPACE, 'apply', '--server-side', '-f', '-'], {
      input: JSON.stringify(policyObject('limits', spec)),
    });
  async function replay(): Promise<string> {
    const digest = await shown('.activeDigest');
    const id = textIn((await client.replay('limits', digest)).body, 'replay_id');
    const status = async (): Promise<string> => textIn((await client.replayed(id)).body, 'status');
    return lastAnswer(status, (last) => last !== 'running', SETTLED_MS);
  }

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, NAMESPACE);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(orb('echo', ECHO, { url: `http://127.0.0.1:${provider.port}/ok` }), orbiset('support', []));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
    const { key } = owner;
    const place = { namespace: NAMESPACE, orbiset: 'support', orbId: ECHO };
    client = policyClient({ url: api.url, key, approverKey: key, ...place });
    expect(await untilRun(RUNS)).to.equal(RUNS);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await team.remove();
    await provider.close();
    await api.stop();
  });

  it('keeps it in Audit, though it says Enforce, until a replay of that very version is within the limits', async () => {
    expect((await kubectlApply(gated(101, 0, 'Enforce'))).code).to.equal(0);
    expect(await untilGate('ReplayMissing')).to.equal('ReplayMissing');
    expect(await run()).to.equal(RUNS);
    expect(await replay()).to.equal('completed');
    expect(await untilGate('ReplayFailed')).to.equal('ReplayFailed');
    expect(await run()).to.equal(RUNS);
    // The limits are no part of the digest: the replay of before counts.
    expect((await kubectlApply(gated(101, 1000, 'Enforce'))).code).to.equal(0);
    expect(await untilRun(DENIED)).to.equal(DENIED);
    expect(await untilGate('ReplayPassed')).to.equal('ReplayPassed');
    expect((await kubectlApply(gated(102, 1000, 'Enforce'))).code).to.equal(0);
    expect(await untilRun(RUNS)).to.equal(RUNS);
    expect(await untilGate('ReplayMissing')).to.equal('ReplayMissing');
  });

  it('holds for two field managers: who promoted keeps the mode, and kubectl goes on with the rest', async () => {
    expect((await kubectlApply(gated(102, 1000))).code).to.equal(0);
    expect(outcomeOf(await client.promote('limits'))).to.equal('409 replay-gate-not-met');
    expect(await replay()).to.equal('completed');
    expect(outcomeOf(await client.promote('limits'))).to.equal('200');
    expect(await untilRun(DENIED)).to.equal(DENIED);
    const { code, stderr } = await kubectlApply(gated(102, 1000, 'Audit'));
    expect([code, stderr.includes('orb-api')], stderr).to.deep.equal([1, true]);
    expect((await kubectlApply(gated(103, 1000))).code).to.equal(0);
    // Another version: the mode stays, and its gate is not met.
    expect(await untilRun(RUNS)).to.equal(RUNS);
    const mode = await team.kubectl('get', 'orbpolicy/limits', '-o', 'jsonpath={.spec.mode}');
    expect([mode, await untilGate('ReplayMissing')]).to.deep.equal(['Enforce', 'ReplayMissing']);
  });
});
