import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { CommandResult } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { apiKeySecret, orb, orbiset } from '../../support/cluster-objects.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { policyObject } from '../../support/policies.ts';
import { startProvider, type TestProvider } from '../../support/provider.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const NAMESPACE = 'p16-editors';
const EDITOR = 'p16-editor';
const ECHO = 'acme.echo@1.0.0';
const OTHER = 'acme.other@1.0.0';
const DENIES: OrbPolicySpec = { mode: 'Enforce', rules: [{ name: 'all', effect: 'deny', when: 'orb.score < 101' }] };
/** A change is in force within this time, ms. */
const IN_FORCE_MS = 2000;
const LABELLED = { ...DENIES, match: { orbs: { selector: { matchLabels: { held: 'yes' } } } } };

/** Arguments of kubectl, and what it reads from standard input. */
type Write = readonly [why: string, args: readonly string[], input?: object];

const patch = (what: string, body: object, ...more: readonly string[]): readonly string[] => [
  'patch',
  what,
  '--type=merge',
  '-p',
  JSON.stringify(body),
  ...more,
];
const APPLY = ['apply', '--server-side', '--force-conflicts', '-f', '-'];
const labels = (held: object): object => ({ metadata: { labels: held } });

/** Writes that RBAC must refuse: all that touch a policy. */
const OF_POLICIES: readonly Write[] = [
  ['another mode', patch('orbpolicy/everywhere', { spec: { mode: 'Disabled' } })],
  ['no rules', patch('orbpolicy/everywhere', { spec: { rules: null } })],
  ['a match', patch('orbpolicy/everywhere', { spec: { match: { orbisets: { names: ['none'] } } } })],
  ['a rollout', patch('orbpolicy/everywhere', { spec: { rollout: { percent: 0 } } })],
  ['a label', patch('orbpolicy/everywhere', labels({ off: 'yes' }))],
  ['a finalizer', patch('orbpolicy/everywhere', { metadata: { finalizers: ['example.com/keep'] } })],
  ['a status', patch('orbpolicy/everywhere', { status: { activeDigest: '' } }, '--subresource=status')],
  ['a status without a condition', patch('orbpolicy/everywhere', { status: null }, '--subresource=status')],
  ['a replacement', APPLY, policyObject('everywhere', { mode: 'Audit' })],
  ['a second policy that allows', APPLY, policyObject('open', { ...DENIES, rules: [] })],
  ['a deletion', ['delete', 'orbpolicy/everywhere', '--wait=false']],
  ['a deletion of all', ['delete', 'orbpolicies', '--all', '--wait=false']],
];

/** Writes that role `edit` may try on what a policy could look at. */
const OF_OTHERS: readonly Write[] = [
  [
    'the default of the Orbiset',
    patch('orbiset/support', { spec: { policies: { defaultEffect: 'allow', requireReady: false } } }),
  ],
  ['labels of the Orbiset', patch('orbiset/support', labels({ env: 'test' }))],
  [
    'the status of the Orbiset',
    patch('orbiset/support', { status: { observedGeneration: 99 } }, '--subresource=status'),
  ],
  ['another Orbiset', APPLY, orbiset('second', [], { policies: { defaultEffect: 'allow' } })],
  ['labels of the Orb', patch('orb/echo', labels({ tier: 'free', held: 'no' }))],
  ['the status of the Orb', patch('orb/echo', { status: { validDigest: 'x' } }, '--subresource=status')],
  ['the description of the Orb', patch('orb/echo', { spec: { description: 'Another text.' } })],
  ['the Orb again', ['delete', 'orb/echo', '--wait=true']],
];

describe('who has role edit in a namespace', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let api: ApiProcess;
  let provider: TestProvider;
  let team: TestNamespace;
  const owner = apiKeySecret([NAMESPACE]);

  const asEditor = (args: readonly string[], input?: object): Promise<CommandResult> =>
    plane.kubectl(
      ['-n', NAMESPACE, `--as=${EDITOR}`, ...args],
      input === undefined ? {} : { input: JSON.stringify(input) },
    );
  const answer = async (orbisetName = 'support', orbId = ECHO): Promise<string> => {
    const { status, code } = await api.execute(owner.key, orbisetName, orbId);
    return `${status} ${code}`;
  };
  const until = (wanted: string, ms = IN_FORCE_MS): Promise<string> =>
    lastAnswer(answer, (last) => last === wanted, ms);
  const echo = (name: string, orbId: string): object =>
    orb(name, orbId, { url: `http://127.0.0.1:${provider.port}/ok` });

  before(async () => {
    plane = await sharedControlPlane();
    provider = await startProvider();
    team = await testNamespace(plane, NAMESPACE);
    await team.kubectl('create', 'rolebinding', EDITOR, '--clusterrole=edit', `--user=${EDITOR}`);
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    await team.apply(echo('echo', ECHO), orbiset('support', []));
    api = await startApi(plane, ['--egress-allow', `http://127.0.0.1:${provider.port}`]);
  });
  after(async () => {
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'orbpolicies', '--all']);
    await team.remove();
    await provider.close();
    await api.stop();
  });

  it('leaves a policy that means Orbs by their labels: its match says so', async () => {
    await team.apply(policyObject('labelled', LABELLED));
    await team.kubectl('label', 'orb/echo', 'held=yes');
    expect(await until('403 policy-denied', 10_000)).to.equal('403 policy-denied');
    expect((await asEditor(['label', 'orb/echo', 'held-'])).code).to.equal(0);
    expect(await until('200 ')).to.equal('200 ');
    await team.kubectl('delete', 'orbpolicy/labelled');
  });

  it('gets no run through a policy with an empty match, by any write', async () => {
    await team.apply(policyObject('everywhere', DENIES));
    expect(await until('403 policy-denied', 10_000)).to.equal('403 policy-denied');
    const stored = async (): Promise<string> => team.kubectl('get', 'orbpolicies', '-o', 'jsonpath={.items[*].spec}');
    const before = await stored();
    const called = provider.seen.length;
    const answers = new Set<string>();
    const stop = new AbortController();
    const witness = (async () => {
      while (!stop.signal.aborted) {
        for (const [set, id] of [
          ['support', ECHO],
          ['second', ECHO],
          ['support', OTHER],
        ] as const)
          answers.add(await answer(set, id));
        await delay(20);
      }
    })();
    try {
      for (const [why, args, input] of OF_POLICIES) {
        const { code, stderr } = await asEditor(args, input);
        expect(code, why).not.to.equal(0);
        expect(stderr, why).to.match(/Forbidden|forbidden/);
      }
      expect(await stored()).to.equal(before);
      const refused: string[] = [];
      for (const [why, args, input] of OF_OTHERS) if ((await asEditor(args, input)).code !== 0) refused.push(why);
      expect(refused).to.deep.equal(['the status of the Orbiset', 'the status of the Orb']);
      for (const made of [echo('echo', ECHO), echo('other', OTHER)])
        expect((await asEditor(APPLY, made)).code).to.equal(0);
      await delay(IN_FORCE_MS);
    } finally {
      stop.abort();
      await witness;
    }
    for (const [set, id] of [
      ['support', ECHO],
      ['second', ECHO],
      ['support', OTHER],
    ] as const)
      expect(await answer(set, id), `${id} in ${set}`).to.equal('403 policy-denied');
    // While an Orb or an Orbiset is not there, there is nothing to deny.
    expect([...answers].toSorted().filter((said) => !said.startsWith('404 '))).to.deep.equal(['403 policy-denied']);
    expect(provider.seen.length).to.equal(called);
  });

  it('gets no run through a policy of the platform', async () => {
    const called = provider.seen.length;
    const base = policyObject('base', { ...DENIES, scope: 'Platform' });
    await kubectlOk(plane, ['-n', 'orb-system', 'apply', '-f', '-'], JSON.stringify(base));
    await delay(IN_FORCE_MS);
    await team.kubectl('delete', 'orbpolicy/everywhere');
    await delay(IN_FORCE_MS);
    for (const args of [
      ['-n', 'orb-system', 'delete', 'orbpolicy/base'],
      ['-n', 'orb-system', ...patch('orbpolicy/base', { spec: { mode: 'Audit' } })],
    ]) {
      const { code, stderr } = await asEditor(args);
      expect([code === 0, /forbidden/i.test(stderr)], args.join(' ')).to.deep.equal([false, true]);
    }
    expect(await answer()).to.equal('403 policy-denied');
    expect(provider.seen.length).to.equal(called);
  });
});
