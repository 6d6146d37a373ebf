import { expect } from 'chai';
import { systemClock } from '../../../../../adapters/time/clock.ts';
import { MapRunner, type MapRunnerOptions } from '../../../../../api-server/ingestion/mapping-thread/map-runner.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { mappingOnThisThread } from '../../../../support/mapping-here.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const ORB = 'acme.mailer@1.2.0';
const WITH_RULE = { type: 'pagerduty', match: [{ when: 'labels.service == "Mailer"', orb: 'acme.mailer@*' }] };

/** The sample of Alertmanager with another severity. */
const alert = (severity: string, fingerprint = 'f1'): string =>
  sampleBody('alertmanager')
    .replaceAll('"severity":"critical"', `"severity":"${severity}"`)
    .replace('c1f2a3b4d5e6f708', fingerprint);

describe('the thread that maps', function suite() {
  this.timeout(60_000); // threads start, and load their modules anew
  let rig: IngestRig;
  let runner: MapRunner;
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
  });
  afterEach(async () => {
    await runner.close();
    await rig.dispose();
  });

  const options = (): MapRunnerOptions => ({
    file: rig.ledgerFile,
    platformNamespace: 'orb-system',
    orbs: rig.orbs,
    clock: systemClock,
    logger: { error: () => undefined },
  });
  function create(start?: MapRunnerOptions['start']): void {
    runner = new MapRunner({ ...options(), ...(start === undefined ? {} : { start }) });
  }
  const map = () => rig.mapWith({ mapper: runner });
  const shown = async () =>
    (await rig.incidents()).map(({ orbId, provider, severity, revision }) => ({ orbId, provider, severity, revision }));

  it('writes what the thread of the caller would', async () => {
    create();
    rig.addSource('acme/pd', WITH_RULE);
    await rig.deliver('acme/pd', sampleBody('pagerduty'));
    await rig.deliver('acme/am', alert('high'));
    await rig.deliver('acme/am', '{');
    expect(await map()).to.equal('worked');
    expect(rig.deaths).to.deep.equal(['bad_json']);
    const provider = 'api.sendgrid.com';
    expect(await shown()).to.have.deep.members([
      { orbId: ORB, provider, severity: 'critical', revision: 1 },
      { orbId: ORB, provider, severity: 'high', revision: 1 },
    ]);
    const envelopes = (await rig.signals()).map(({ json }): unknown => JSON.parse(json));
    for (const envelope of envelopes) expect(envelope).to.include({ orbtenant: 'acme', subject: `orb/${ORB}` });
    expect(envelopes).to.have.length(2);
  });

  it('is ended when it takes too long, and the delivery that it ends at twice is a dead letter', async () => {
    create(mappingOnThisThread);
    await rig.deliver('acme/am', alert('high'));
    const impatient = new MapRunner({ ...options(), workMs: 0 });
    const { suspects } = rig.deps;
    try {
      while ((await rig.mapWith({ mapper: impatient, suspects })) === 'worked');
    } finally {
      await impatient.close();
    }
    expect(rig.deaths).to.deep.equal(['downstream']);
    expect(await rig.signals()).to.deep.equal([]);
    expect(await rig.ledger.redrive('acme', { source: 'acme/am', reason: 'downstream', max: 10 })).to.equal(1);
    await map();
    expect(await rig.signals()).to.have.length(1);
  });

  describe('over a channel', () => {
    beforeEach(() => create(mappingOnThisThread));

    it('sees what it wrote, what people changed, and an Orb that came later', async () => {
      await rig.deliver('acme/am', alert('warning'));
      await map();
      const [incident] = await rig.incidents();
      await rig.act(incident?.incidentId ?? '', { kind: 'ack' });
      await rig.deliver('acme/am', alert('critical').replaceAll('10:00:00', '10:01:00'));
      await rig.deliver('acme/am', alert('critical', 'f2').replaceAll(ORB, 'acme.late@1.0.0'));
      await map();
      expect(rig.deaths).to.deep.equal(['no_entity']);
      expect((await shown()).map(({ severity, revision }) => [severity, revision])).to.deep.equal([['critical', 3]]);
      rig.addOrb('acme.late@1.0.0');
      await rig.ledger.redrive('acme', { source: 'acme/am', reason: 'no_entity', max: 10 });
      await map();
      expect((await shown()).map(({ orbId }) => orbId)).to.have.members([ORB, 'acme.late@1.0.0']);
    });

    it('maps by the newest form of a source', async () => {
      await rig.deliver('acme/am', alert('low'));
      await map();
      expect(await shown()).to.deep.equal([]);
      rig.addSource('acme/am', { type: 'alertmanager', effects: { minSeverity: 'low' } });
      await rig.deliver('acme/am', alert('low').replaceAll('10:00:00', '10:01:00'));
      await map();
      expect((await shown()).map(({ severity }) => severity)).to.deep.equal(['low']);
      rig.addSource('acme/am', { type: 'alertmanager', mode: 'Observe' });
      await rig.deliver('acme/am', alert('critical', 'f3'));
      await map();
      expect(await shown()).to.have.length(1);
      expect(await rig.signals()).to.have.length(3);
    });

    it('closes by an end without an Orb what a delivery before the thread opened', async () => {
      rig.addSource('acme/sentry', { type: 'sentry' });
      await rig.deliver('acme/sentry', sampleBody('sentry'));
      await rig.map();
      const end = { action: 'resolved', data: { issue: { id: '1170820242', title: 'TimeoutError' } } };
      await rig.deliver('acme/sentry', JSON.stringify(end));
      await rig.pass(1000);
      await map();
      await rig.pass(180_000);
      expect((await rig.incidents()).map(({ status }) => status)).to.deep.equal(['resolved']);
    });
  });
});
