import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import type { KubeObject } from '../../../../../core/reconcile/kube-object.ts';
import { gatherOrb } from '../../../../../operator/kinds/orb/gather.ts';
import { anOrb, anOrbiset, sent } from '../../../../support/kube-objects.ts';
import { operatorContext } from '../../../../support/operator-context.ts';

/** Names of the Orbisets that may run an Orb. */
async function runnersOf(orb: KubeObject, orbisets: readonly KubeObject[]): Promise<readonly string[]> {
  const { context, client, syncCaches } = operatorContext();
  client.put(KINDS.orb, sent(orb));
  for (const orbiset of orbisets) client.put(KINDS.orbiset, sent(orbiset));
  await syncCaches();
  return gatherOrb(orb, context)
    .orbisets.map(({ metadata }) => metadata.name)
    .toSorted();
}

const at = (name: string, namespace: string, orbs?: readonly string[]): KubeObject =>
  anOrbiset(name, { metadata: { namespace }, spec: orbs === undefined ? {} : { orbs } });

describe('gatherOrb', () => {
  const elsewhere = [at('by-id', 'other', ['acme.echo@1.0.0']), at('by-name', 'other', ['acme.echo'])];
  const others = [at('unlisted', 'other'), at('another-id', 'other', ['acme.echo@2.0.0'])];

  it('has every Orbiset of the Orb’s own namespace, and none of another', async () => {
    const own = [at('one', 'acme'), at('two', 'acme', ['acme.other'])];
    expect(await runnersOf(anOrb('echo'), [...own, ...elsewhere, ...others])).to.deep.equal(['one', 'two']);
  });

  it('has the Orbisets that list an Orb of the platform’s namespace, by id or by name', async () => {
    const { context } = operatorContext();
    const shared = anOrb('echo', { metadata: { namespace: context.platformNamespace } });
    expect(await runnersOf(shared, [...elsewhere, ...others])).to.deep.equal(['by-id', 'by-name']);
  });
});
