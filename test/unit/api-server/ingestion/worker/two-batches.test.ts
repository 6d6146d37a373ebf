import { expect } from 'chai';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import type { BatchDeps } from '../../../../../api-server/ingestion/worker/map-batch.ts';
import { readIncident } from '../../../../../core/ingestion/incidents/read-incident.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { refusal } from '../../../../support/refusal.ts';

const ORB = 'acme.mailer@1.2.0';

/** A body that fills a batch. */
const large = (severity: string, startsAt: string): string =>
  JSON.stringify({
    alerts: [
      {
        status: 'firing',
        labels: { severity, orb_id: ORB },
        annotations: { summary: 'errors', description: 'x'.repeat(300_000) },
        startsAt,
        fingerprint: 'f1',
      },
    ],
  });

/** A ledger that does something before each call that applies effects. */
function beforeApplying({ deps }: IngestRig, step: (call: number) => Promise<void>): Partial<BatchDeps> {
  let call = 0;
  const applyDeliveries: BatchDeps['ledger']['applyDeliveries'] = async (...effects) => {
    call += 1;
    await step(call);
    return deps.ledger.applyDeliveries(...effects);
  };
  return { ledger: { ...deps.ledger, applyDeliveries } };
}

describe('two batches that follow each other', () => {
  let rig: IngestRig;
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
    await rig.deliver('acme/am', large('critical', '2026-11-20T10:00:00Z'));
    await rig.deliver('acme/am', large('high', '2026-11-20T10:01:00Z'));
  });
  afterEach(() => rig.dispose());

  it('are one problem: the second sees what the first changed, before it is written', async () => {
    let calls = 0;
    const counted = beforeApplying(rig, () => {
      calls += 1;
      return Promise.resolve();
    });
    expect(await rig.mapWith(counted)).to.equal('worked');
    expect(calls).to.equal(2);
    const [incident, ...more] = await rig.incidents();
    expect(more).to.deep.equal([]);
    expect(incident).to.include({ revision: 2, severity: 'critical' });
    expect((await rig.signals()).length).to.equal(2);
  });

  it('keep the first, and repeat the second when somebody was faster', async () => {
    const racing = beforeApplying(rig, async (call) => {
      const [incident] = await rig.incidents();
      if (call === 2 && incident !== undefined) await rig.act(incident.incidentId, { kind: 'ack' });
    });
    expect(await rig.mapWith(racing)).to.equal('stale');
    expect((await rig.signals()).length).to.equal(1);
    expect(await rig.map()).to.equal('worked');
    const [incident] = await rig.incidents();
    expect(incident).to.include({ revision: 3 });
    expect(readIncident(incident?.json ?? '').actions.acknowledgedAt).not.to.equal(null);
    expect((await rig.signals()).length).to.equal(2);
  });

  it('write nothing of the second when the first could not be written', async () => {
    const away = beforeApplying(rig, () => Promise.reject(new LedgerError('ledger-unavailable', 'away')));
    expect(await refusal(rig.mapWith(away))).to.be.instanceOf(LedgerError);
    expect(await rig.signals()).to.deep.equal([]);
    expect(await rig.map()).to.equal('worked');
    expect((await rig.incidents()).map(({ revision }) => revision)).to.deep.equal([2]);
  });
});
