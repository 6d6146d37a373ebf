import { expect } from 'chai';
import { join, resolve } from 'node:path';
import { isJsonObject } from '../../../core/json/json-value.ts';
import type { CommandResult } from '../../../hack/control-plane/command.ts';
import type { ControlPlane } from '../../../hack/control-plane/control-plane.ts';
import { kubectlOk } from '../../../hack/control-plane/install.ts';
import { startApi, type ApiProcess } from '../../support/api-process.ts';
import { apiKeySecret } from '../../support/cluster-objects.ts';
import { testNamespace, type TestNamespace } from '../../support/cluster.ts';
import { argoHealth, healthChecks } from '../../support/cluster/argo-health.ts';
import { sharedControlPlane } from '../../support/control-plane.ts';
import { SHORT_LEASE, startOperator, type OperatorProcess } from '../../support/operator-process.ts';
import { page } from '../docs/fenced-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const BASE = join(ROOT, 'manifests/kubernetes/base');
const OVERLAY = join(ROOT, 'manifests/kubernetes/overlays/staging');
const STAGING = 'staging';
const ORBS = ['chat', 'echo', 'mail', 'refund', 'sms', 'summarize', 'webhook'].map((name) => `${name}.yaml`);
/** The Orbs and their Orbiset. */
const COUNT = ORBS.length + 1;
const MAIL = 'acme.send-email@1.0.0';
const MAIL_ORB = 'orb/acme.send-email-1.0.0';
const APPLY = [
  { kind: 'client-side', flags: [], force: [] },
  { kind: 'server-side', flags: ['--server-side'], force: ['--force-conflicts'] },
] as const;

const memberOf = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), value);
const readyOf = (object: unknown): unknown => {
  const conditions = memberOf(object, 'status', 'conditions');
  const all: readonly unknown[] = Array.isArray(conditions) ? conditions : [];
  return all.find((entry) => memberOf(entry, 'type') === 'Ready');
};

describe('manifests/kubernetes, as a GitOps tool applies them', function suite() {
  this.timeout(120_000);
  let plane: ControlPlane;
  let operator: OperatorProcess;
  let api: ApiProcess;
  const spaces: TestNamespace[] = [];
  const names = APPLY.map(({ kind }) => `gitops-${kind}`);
  const owner = apiKeySecret(names, ['providers:read', 'providers:swap']);

  const diff = (...args: readonly string[]): Promise<CommandResult> => plane.kubectl(['diff', ...args]);
  /** Git and cluster are the same: a difference exits with 1. */
  async function checkNoDifference(...args: readonly string[]): Promise<void> {
    expect(await diff(...args)).to.deep.equal({ code: 0, stdout: '', stderr: '' });
  }
  const allReady = (namespace: string): Promise<string> =>
    kubectlOk(plane, ['-n', namespace, 'wait', 'orbs,orbisets', '--all', '--for=condition=Ready', '--timeout=30s']);
  async function newSpace(name: string): Promise<TestNamespace> {
    const space = await testNamespace(plane, name);
    spaces.push(space);
    return space;
  }

  before(async () => {
    plane = await sharedControlPlane();
    operator = await startOperator(plane, { flags: SHORT_LEASE });
    await kubectlOk(plane, ['apply', '-f', '-'], JSON.stringify(owner.document));
    api = await startApi(plane);
  });
  after(async () => {
    await api.stop();
    await operator.stop();
    await kubectlOk(plane, ['-n', 'orb-system', 'delete', 'secret', owner.name, '--ignore-not-found']);
    for (const space of spaces) await space.remove();
    await kubectlOk(plane, ['delete', 'namespace', STAGING, '--ignore-not-found', '--timeout=60s']);
  });

  for (const { kind, flags, force } of APPLY)
    describe(kind, () => {
      const name = `gitops-${kind}`;
      const where = ['-n', name, ...flags];
      let space: TestNamespace;

      before(async () => {
        space = await newSpace(name);
        await kubectlOk(plane, ['apply', ...where, '-k', BASE]);
        await allReady(name);
      });

      it('there is no difference once the operator has written every status', async () => {
        const statuses = (await space.list('orbs,orbisets')).map(({ status }) => isJsonObject(status));
        expect(statuses).to.deep.equal(Array<boolean>(COUNT).fill(true));
        await checkNoDifference(...where, '-k', BASE);
      });

      it('there is none after the API has pinned a provider, and an apply leaves the pin', async () => {
        const swapped = await fetch(`${api.url}/providers/${MAIL}/swap?namespace=${name}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ provider: 'sendgrid', reason: 'by hand', expires_in: '2h' }),
        });
        expect(swapped.status, await swapped.text()).to.equal(200);
        await space.until(MAIL_ORB, ({ status }) => JSON.stringify(status ?? {}).includes('PinFollowed'));
        await checkNoDifference(...where, '-k', BASE);
        await kubectlOk(plane, ['apply', ...where, '-k', BASE]);
        expect(memberOf(await space.get(MAIL_ORB), 'spec', 'pin', 'provider')).to.equal('sendgrid');
        await checkNoDifference(...where, '-k', BASE);
      });

      it('a status that somebody else wrote is no difference, and the operator writes it again', async () => {
        const seen = await space.get(MAIL_ORB);
        if (seen === undefined) throw new Error('no Orb');
        const { generation = 1 } = seen.metadata;
        const lie = {
          type: 'Ready',
          status: 'False',
          reason: 'Lie',
          message: 'x',
          observedGeneration: generation,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        };
        const status = { observedGeneration: generation, conditions: [lie] };
        const patch = JSON.stringify({ status });
        await space.kubectl('patch', MAIL_ORB, '--subresource=status', '--type=merge', '-p', patch);
        await checkNoDifference(...where, '-k', BASE);
        const mended = await space.until(MAIL_ORB, (object) => memberOf(readyOf(object), 'status') === 'True');
        expect(memberOf(readyOf(mended), 'reason')).to.equal('Ready');
        await checkNoDifference(...where, '-k', BASE);
      });

      it('an edit by hand is one, which the next apply takes back', async () => {
        await space.kubectl('patch', MAIL_ORB, '--type=merge', '-p', '{"spec":{"description":"Edited by hand."}}');
        const { code, stdout } = await diff(...where, ...force, '-k', BASE);
        expect([code, stdout.includes('-  description: Edited by hand.')]).to.deep.equal([1, true]);
        await kubectlOk(plane, ['apply', ...where, ...force, '-k', BASE]);
        await checkNoDifference(...where, '-k', BASE);
        await allReady(name);
      });

      it('Argo CD calls all of it healthy', async () => {
        const check = healthChecks(page('gitops/argocd-cm.yaml')).get('orbs.dev/*') ?? '';
        const objects = await space.list('orbs,orbisets');
        const seen = await Promise.all(objects.map((object) => argoHealth(check, object)));
        expect(seen.map(({ status }) => status)).to.deep.equal(Array<string>(COUNT).fill('Healthy'));
      });
    });

  it('the overlay brings its namespace, and has no difference either', async () => {
    await kubectlOk(plane, ['wait', `namespace/${STAGING}`, '--for=delete', '--timeout=60s']);
    // The first apply of a new namespace with what is in it, as a tool does it.
    await kubectlOk(plane, ['apply', '--server-side', '-k', OVERLAY]);
    await allReady(STAGING);
    await checkNoDifference('--server-side', '-k', OVERLAY);
    await checkNoDifference('-n', STAGING, '--server-side', '-k', OVERLAY);
  });

  it('another order converges without anybody acting: Orbs, then Orbisets, then their Secrets', async () => {
    const space = await newSpace('gitops-order');
    const file = (name: string): string => join(BASE, name);
    await space.kubectl('apply', '--server-side', ...ORBS.toReversed().flatMap((name) => ['-f', file(name)]));
    await space.kubectl('apply', '--server-side', '-f', file('orbiset.yaml'));
    const waiting = await space.until('orbiset/default', (object) => memberOf(readyOf(object), 'status') === 'False');
    expect(memberOf(waiting, 'status', 'vault', 'missing')).to.have.length.above(0);
    await space.kubectl('apply', '--server-side', '-f', file('secrets.yaml'));
    await allReady(space.name);
    await checkNoDifference('-n', space.name, '--server-side', '-k', BASE);
  });
});
