import { expect } from 'chai';
import { KubeError, type KubeClient } from '../../../../adapters/kube/port.ts';
import { createObjectPins } from '../../../../api-server/providers/object-pins.ts';
import type { NewPin } from '../../../../api-server/providers/port.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { parseOrbId } from '../../../../core/manifest/orb-id.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

const id = parseOrbId('acme.mail@1.0.0');
if (!id.ok) throw new TypeError('no id');
const PLACE = { namespace: 'acme', name: 'mail', orbId: id.value };
const PIN: NewPin = {
  provider: 'b',
  mode: 'soft',
  id: 'swp_0193a1c2-7f10-7c3e-9a41-5d2f0b6c8e11',
  expires_at: '2026-11-20T12:00:00.000Z',
  actor: 'key:abcdefgh',
};
const FOREIGN = { provider: 'a', expires_at: '2026-11-20T12:00:00.000Z', reason: 'theirs' };

const orbWith = (pin: JsonObject | undefined): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'Orb',
  metadata: { name: 'mail', namespace: 'acme', uid: 'u1' },
  spec: pin === undefined ? {} : { pin },
});
const failing = (status: number) => (): Promise<never> =>
  Promise.reject(new KubeError('refused', { status, reason: '', causes: [] }));

/** An API server with a pin of somebody else, of which some answers are replaced. */
function pinsOver(answers: Partial<Pick<KubeClient, 'get' | 'apply' | 'patch'>>): ReturnType<typeof createObjectPins> {
  const client = {
    get: () => Promise.resolve(orbWith(FOREIGN)),
    apply: () => Promise.resolve(orbWith({ ...FOREIGN, ...PIN })),
    patch: () => Promise.resolve(orbWith(undefined)),
    ...answers,
  };
  return createObjectPins({ client, clock: createFakeClock(0) });
}

describe('createObjectPins', () => {
  it('does not say that nothing was changed when the pin stands and only the rest of the work failed', async () => {
    expect(await pinsOver({ patch: failing(503) }).set(PLACE, PIN)).to.deep.equal({ kind: 'away', maybe: true });
    let asked = 0;
    const get: KubeClient['get'] = () => {
      asked += 1;
      return asked === 1 ? Promise.resolve(orbWith(FOREIGN)) : failing(503)();
    };
    expect(await pinsOver({ get, patch: failing(422) }).remove(PLACE)).to.deep.equal({ kind: 'away', maybe: true });
  });

  it('says so when nothing was asked for', async () => {
    expect(await pinsOver({ get: failing(503) }).set(PLACE, PIN)).to.deep.equal({ kind: 'away', maybe: false });
  });

  it('has set its pin, also when another one replaced it before the foreign reason could go', async () => {
    expect((await pinsOver({ patch: failing(422) }).set(PLACE, PIN)).kind).to.equal('set');
  });

  it('finds the Orb gone when it went between two calls', async () => {
    expect(await pinsOver({ patch: failing(404) }).set(PLACE, PIN)).to.deep.equal({ kind: 'gone' });
  });
});
