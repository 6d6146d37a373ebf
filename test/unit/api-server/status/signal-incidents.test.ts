import { expect } from 'chai';
import { publicIncidentOf } from '../../../../api-server/status/incident-rows.ts';
import { anIngestRig, type IngestRig } from '../../../support/ingest-rig.ts';
import { sampleBody } from '../../core/ingestion/samples.ts';

const SOURCE = 'orb-system/am';
const PLATFORM = 'orb-system';
const MINUTE = 60_000;
const BODY = sampleBody('alertmanager');
const ENDED = BODY.replaceAll('"status":"firing"', '"status":"resolved"');

describe('incidents of signals on the status page (status.md §6)', () => {
  let rig: IngestRig;
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addSource(SOURCE, { type: 'alertmanager', match: [{ when: 'true', service: 'runtime' }] });
  });
  afterEach(() => rig.dispose());

  async function deliver(body: string): Promise<void> {
    await rig.deliver(SOURCE, body);
    await rig.map();
  }
  const shown = async () => (await rig.incidents(PLATFORM)).flatMap((row) => publicIncidentOf(row) ?? []);
  const statuses = async () => (await shown()).map(({ status, services }) => `${services.join(' ')} ${status}`);

  it('are investigated, identified when acknowledged, watched in the quiet period, then resolved', async () => {
    await deliver(BODY);
    expect(await statuses()).to.deep.equal(['runtime investigating']);
    const [row] = await rig.incidents(PLATFORM);
    await rig.act(row?.incidentId ?? '', { kind: 'ack' }, PLATFORM);
    expect(await statuses()).to.deep.equal(['runtime identified']);
    await deliver(ENDED);
    expect(await statuses()).to.deep.equal(['runtime monitoring']);
    await rig.pass(5 * MINUTE);
    expect(await statuses()).to.deep.equal(['runtime resolved']);
  });

  it('are not shown to anybody when they are withdrawn, or name no service', async () => {
    rig.addOrb('acme.mailer@1.2.0', { namespace: PLATFORM });
    rig.addSource('orb-system/other', { type: 'alertmanager' });
    await rig.deliver('orb-system/other', BODY);
    await deliver(BODY);
    const rows = await rig.incidents(PLATFORM);
    expect(rows.length).to.equal(2);
    expect(await statuses()).to.deep.equal(['runtime investigating']);
    const shownId = (await shown())[0]?.id ?? '';
    await rig.act(shownId, { kind: 'withdraw', reason: 'a test' }, PLATFORM);
    expect(await statuses()).to.deep.equal([]);
  });
});
