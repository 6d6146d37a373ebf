import { expect } from 'chai';
import { KINDS } from '../../../../../adapters/kube/kinds.ts';
import { gatherOrbiset } from '../../../../../operator/kinds/orbiset/reconcile.ts';
import { anOrb, anOrbiset, manifestOf, sent } from '../../../../support/kube-objects.ts';
import { operatorContext } from '../../../../support/operator-context.ts';

const lastValid = { digest: `sha256:${'0'.repeat(64)}`, orbId: 'acme.one@1.0.0', providers: ['main'] };

describe('gatherOrbiset', () => {
  it('finds a listed Orb by the id that it holds, not by the one that a broken edit names', async () => {
    const { context, client, syncCaches } = operatorContext();
    const spec = manifestOf({ orb_id: 'acme.two@1.0.0', provider: 7 });
    client.put(KINDS.orb, sent(anOrb('echo', { spec, status: { lastValid } })));
    await syncCaches();
    const orbs = ['acme.one', 'acme.one@1.0.0', 'acme.two', 'acme.two@1.0.0'];
    const { unknownOrbs } = gatherOrbiset(anOrbiset('support', { spec: { orbs } }), context);
    expect(unknownOrbs).to.deep.equal(['acme.two', 'acme.two@1.0.0']);
  });
});
