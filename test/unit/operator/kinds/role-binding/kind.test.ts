import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { vaultReaderBinding } from '../../../../../core/orbiset/vault-reader.ts';
import type { EventSpec } from '../../../../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { reportFailure } from '../../../../../operator/kinds/report-failure.ts';
import { bindingFailure, roleBindingKind } from '../../../../../operator/kinds/role-binding/kind.ts';
import { kubeError } from '../../../../support/kube/fake-kube-client.ts';
import { anOrbiset, sent } from '../../../../support/kube-objects.ts';
import { operatorContext } from '../../../../support/operator-context.ts';

interface Reported extends EventSpec {
  readonly on: string;
}

/** Events after the RoleBinding of the namespace `acme` failed three times. */
async function reported(error: unknown): Promise<readonly Reported[]> {
  const { context, client, syncCaches } = operatorContext();
  const elsewhere = anOrbiset('other', { metadata: { namespace: 'globex' } });
  for (const orbiset of [anOrbiset('one'), anOrbiset('two'), elsewhere]) client.put(KINDS.orbiset, sent(orbiset));
  await syncCaches();
  const events: Reported[] = [];
  const record = ({ metadata }: KubeObject, specs: readonly EventSpec[]): void =>
    void events.push(...specs.map((spec) => ({ ...spec, on: metadata.name })));
  await reportFailure(bindingFailure(context), { record })('acme', { error, failures: 3 });
  return events;
}

describe('a RoleBinding that is refused', () => {
  it('is told on every Orbiset of its namespace, with the answer and the command that makes it', async () => {
    const events = await reported(kubeError(403, 'Forbidden'));
    expect(events.map(({ on, type, reason }) => [on, type, reason])).to.deep.equal([
      ['one', 'Warning', 'RoleBindingRefused'],
      ['two', 'Warning', 'RoleBindingRefused'],
    ]);
    expect(events[0]?.note)
      .to.include('answered 403 Forbidden')
      .and.include('kubectl -n acme create rolebinding orb-vault-reader --clusterrole=orb-vault-reader');
    expect(events[0]?.note.length).to.be.below(1024);
  });

  for (const [status, reason] of [
    [400, 'BadRequest'],
    [401, 'Unauthorized'],
    [422, 'Invalid'],
  ] as const)
    it(`is told for the answer ${status} too: only a person can help`, async () => {
      const [event] = await reported(kubeError(status, reason));
      expect([event?.reason, event?.action]).to.deep.equal(['RoleBindingRefused', 'BindVaultReader']);
    });

  it('is no refusal when the server is at fault: that is tried again', async () => {
    expect((await reported(kubeError(503, 'ServiceUnavailable'))).map(({ reason }) => reason)).to.deep.equal([
      'ReconcileFailed',
      'ReconcileFailed',
    ]);
    expect((await reported(new TypeError('sk_live_123')))[0]?.note)
      .to.include('see the log')
      .and.not.include('sk_live');
  });
});

type Mode = 'operator' | 'tenant';
const API = { platformNamespace: 'orb-system', apiAccount: 'orb-api' };
const cached = (vaultMode: Mode): ReturnType<NonNullable<typeof roleBindingKind.cached>> | undefined =>
  roleBindingKind.cached?.({ ...API, vaultMode });
const used = (vaultMode: Mode): readonly (boolean | undefined)[] =>
  roleBindingKind.concerns.map(({ isUsed }) => isUsed?.({ ...API, vaultMode }));

describe('roleBindingKind', () => {
  it('writes RoleBindings only where the operator binds the vaults', () => {
    expect([used('operator'), used('tenant')]).to.deep.equal([[true], [false]]);
  });

  it('reads only its own RoleBinding where it makes it', () => {
    expect(cached('operator')).to.deep.equal({ selection: { fieldSelector: 'metadata.name=orb-vault-reader' } });
  });

  it('keeps, where tenants bind, what binds the API under any name and nothing else', () => {
    const ours = { ...vaultReaderBinding('acme', API, []) };
    const named = { ...ours, metadata: { ...ours.metadata, name: 'chosen' } };
    const foreign = { ...named, subjects: [{ kind: 'User', name: 'somebody' }] };
    const transform = cached('tenant')?.transform;
    expect([transform?.(named), transform?.(foreign)]).to.deep.equal([named, undefined]);
  });

  it('reconciles each namespace that holds an Orbiset or did before, once', async () => {
    const { context, client, syncCaches } = operatorContext();
    const left = { ...vaultReaderBinding('globex', API, []) };
    for (const orbiset of [anOrbiset('one'), anOrbiset('two')]) client.put(KINDS.orbiset, sent(orbiset));
    client.put(KINDS.roleBinding, left);
    await syncCaches();
    expect([...(roleBindingKind.concerns[0]?.keys?.(context.stores) ?? [])]).to.have.members(['acme', 'globex']);
  });

  it('names the RoleBinding of a namespace', () => {
    expect(roleBindingKind.refOf?.('acme')).to.deep.equal({ namespace: 'acme', name: 'orb-vault-reader' });
  });
});
