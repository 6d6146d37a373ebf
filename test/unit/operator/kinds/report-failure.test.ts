import { expect } from 'chai';
import type { EventSpec } from '../../../../core/reconcile/event-spec.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { reconcileFailed, reportFailure } from '../../../../operator/kinds/report-failure.ts';
import { kubeError } from '../../../support/kube/fake-kube-client.ts';
import { anOrb } from '../../../support/kube-objects.ts';

const objectsOf = (wanted: string): readonly KubeObject[] => (wanted === 'acme/echo' ? [anOrb('echo')] : []);
const eventOf = (_: string, failure: unknown): EventSpec => reconcileFailed(failure);

/** Events of an Orb that failed so often. */
async function reported(error: unknown, failures: number, key = 'acme/echo'): Promise<readonly EventSpec[]> {
  const events: EventSpec[] = [];
  const recorder = { record: (_: unknown, specs: readonly EventSpec[]): void => void events.push(...specs) };
  await reportFailure({ objectsOf, eventOf }, recorder)(key, { error, failures });
  return events;
}

describe('reportFailure', () => {
  it('tells once, at the third failure in a row', async () => {
    const failure = kubeError(403, 'Forbidden');
    expect(await reported(failure, 2)).to.deep.equal([]);
    expect((await reported(failure, 3)).map(({ reason }) => reason)).to.deep.equal(['ReconcileFailed']);
    expect(await reported(failure, 4)).to.deep.equal([]);
  });

  it('names the answer of the API server', async () => {
    const [event] = await reported(kubeError(403, 'Forbidden'), 3);
    expect(event).to.include({ type: 'Warning' });
    expect(event?.note).to.include('answered 403 Forbidden').and.not.include('kubectl replace');
  });

  it('says what to do about an object that the server can not type', async () => {
    expect((await reported(kubeError(500, 'InternalError'), 3))[0]?.note).to.include('kubectl replace');
  });

  it('shows no text of an exception', async () => {
    const [event] = await reported(new TypeError('Cannot read properties of sk_live_123'), 3);
    expect(event?.note).to.include('see the log').and.not.include('sk_live');
  });

  it('reports nothing that is gone', async () => {
    expect(await reported(kubeError(500, ''), 3, 'acme/gone')).to.deep.equal([]);
  });
});
