import { expect } from 'chai';
import type { ReceiptWindow } from '../../../../../adapters/ledger/port.ts';
import type { ReceiptTotals } from '../../../../../core/ingestion/incidents/corroborate.ts';
import { readIncident } from '../../../../../core/ingestion/incidents/read-incident.ts';
import { readEntry, type EntryOf } from '../../../../../core/log-entry/entry.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';

const ORB = 'initech.mailer@1.2.0';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const BAD: ReceiptTotals = {
  runs: 100,
  failed: 30,
  slow: 0,
  callers: 3,
  worstShare: 0.3,
  baseline: { runs: 1000, failed: 10, slow: 0 },
};
const GOOD: ReceiptTotals = { ...BAD, failed: 1, worstShare: 0 };
const THIN: ReceiptTotals = { ...BAD, runs: 19, failed: 19 };

describe('incidents in the log', () => {
  let rig: IngestRig;
  let asked: ReceiptWindow[];

  const say = (totals: ReceiptTotals): void => {
    rig.count = (window) => {
      asked.push(window);
      return Promise.resolve(totals);
    };
  };

  beforeEach(async () => {
    rig = await anIngestRig();
    asked = [];
    say(BAD);
    rig.addOrb(ORB, { namespace: 'initech' });
    publish(rig.catalogDigest('initech', ORB));
    rig.addSource('acme/gf', { type: 'grafana' });
  });
  afterEach(() => rig.dispose());

  const publish = (manifestDigest: string, orbId = ORB, namespace = 'initech'): void =>
    void rig.published.set(orbId, { manifestDigest, namespace, status: 'active', isCertified: true });

  const tell = async (status: 'firing' | 'resolved', { source = 'acme/gf', orb = ORB, id = 'f1' } = {}) => {
    const at = new Date(rig.clock.now()).toISOString();
    const labels = { alertname: 'Errors', severity: 'critical', orb_id: orb };
    const alert = { status, labels, annotations: { summary: 'errors' }, startsAt: at, endsAt: at, fingerprint: id };
    await rig.deliver(source, JSON.stringify({ alerts: [alert] }));
    await rig.map();
    await rig.pass(1);
  };

  const entries = async (): Promise<readonly EntryOf<'incident'>[]> => {
    const texts = await rig.ledger.entries(0, await rig.ledger.logSize());
    return texts.map(readEntry).filter((entry) => entry?.kind === 'incident');
  };
  const events = async (): Promise<readonly string[]> =>
    (await entries()).map(({ event, impact }) => `${event} ${impact}`);

  it('are attributed when receipts of three other tenants show them, and end with them', async () => {
    await tell('firing');
    const [opened] = await entries();
    const [incident] = await rig.incidents();
    expect(opened).to.include({ orb_id: ORB, event: 'opened', impact: 'major', attributed: true });
    expect(opened?.incident_id).to.equal(incident?.incidentId);
    expect(incident?.logIndex).to.be.a('number');
    expect(asked[0]).to.deep.include({ orbId: ORB, except: ['initech', 'acme'] });
    await rig.pass(MINUTE);
    await tell('resolved');
    await rig.pass(3 * MINUTE);
    expect(await events()).to.deep.equal(['opened major', 'resolved major']);
  });

  it('get worse, and never better', async () => {
    await tell('firing');
    say({ ...BAD, worstShare: 0.6 });
    await rig.pass(11 * MINUTE);
    say(BAD);
    await rig.pass(11 * MINUTE);
    expect(await events()).to.deep.equal(['opened major', 'updated critical']);
  });

  it('are counted at most every ten minutes', async () => {
    await tell('firing');
    const before = asked.length;
    for (const _ of [1, 2, 3]) await rig.pass(3 * MINUTE);
    expect(asked.length).to.equal(before);
    await rig.pass(2 * MINUTE);
    expect(asked.length).to.equal(before + 1);
  });

  it('end when receipts have not shown them for an hour, though the source never resolves', async () => {
    await tell('firing');
    say(GOOD);
    for (let passed = 0; passed < 8; passed += 1) await rig.pass(10 * MINUTE);
    expect(await events()).to.deep.equal(['opened major', 'resolved major']);
    expect((await rig.incidents())[0]?.status).to.equal('open');
  });

  it('are withdrawn by an entry', async () => {
    await tell('firing');
    const [incident] = await rig.incidents();
    if (incident === undefined) throw new Error('no incident');
    await rig.act(incident.incidentId, { kind: 'withdraw', reason: 'a test of ours' });
    expect(await events()).to.deep.equal(['opened major', 'withdrawn major']);
  });

  it('are counted again an hour after the end when there were too few runs', async () => {
    say(THIN);
    await tell('firing');
    await rig.pass(MINUTE);
    await tell('resolved');
    await rig.pass(3 * MINUTE);
    expect(await events()).to.deep.equal([]);
    say(BAD);
    await rig.pass(HOUR);
    expect(await events()).to.deep.equal(['opened major', 'resolved major']);
    await rig.pass(3 * HOUR);
    expect((await rig.incidents())[0]?.dueAt).to.equal(null);
  });

  const OUT: readonly [why: string, change: () => void][] = [
    ['receipts do not show it', () => say(GOOD)],
    ['only two tenants saw it', () => say({ ...BAD, callers: 2 })],
    ['nobody published the Orb', () => rig.published.clear()],
    ['another version than the published one runs', () => publish('sha256:other')],
    ['the source is not signed', () => rig.addSource('acme/gf', { type: 'alertmanager' })],
    [
      'the source has no effects on reputation',
      () => rig.addSource('acme/gf', { type: 'grafana', effects: { reputation: false } }),
    ],
    ['the publisher runs the monitor', () => publish(rig.catalogDigest('initech', ORB), ORB, 'acme')],
    ['receipts can not be counted', () => void (rig.count = () => Promise.reject(new Error('away')))],
  ];
  for (const [why, change] of OUT)
    it(`stay out when ${why}`, async () => {
      change();
      if (rig.published.size === 0) rig.addOrb(ORB, { namespace: 'acme' });
      if (rig.orbs.find('acme', ORB) === undefined) rig.addOrb(ORB, { namespace: 'acme' });
      await tell('firing');
      await rig.pass(HOUR);
      expect((await rig.incidents()).length).to.equal(1);
      const texts = await rig.ledger.entries(0, await rig.ledger.logSize());
      expect(texts.filter((text) => text.includes(ORB))).to.deep.equal([]);
    });

  it('are one a day and three a month for an Orb and a source', async () => {
    for (let day = 0; day < 5; day += 1)
      for (const id of ['a', 'b']) {
        await tell('firing', { id: `${day}${id}` });
        await rig.pass(MINUTE);
        await tell('resolved', { id: `${day}${id}` });
        await rig.pass(13 * HOUR);
      }
    expect((await entries()).filter(({ event }) => event === 'opened').length).to.equal(3);
  });

  it('stay out of the log when Orbs of two publishers fail at one host', async () => {
    const others = ['globex.a@1.0.0', 'globex.b@1.0.0'];
    for (const orb of others) {
      rig.addOrb(orb, { namespace: 'globex' });
      publish(rig.catalogDigest('globex', orb), orb, 'globex');
    }
    say(THIN);
    for (const orb of [ORB, ...others]) await tell('firing', { orb, id: orb });
    say(BAD);
    await rig.pass(11 * MINUTE);
    expect((await rig.incidents()).length).to.equal(4);
    expect(await events()).to.deep.equal([]);
  });

  it('confirm what a source of low trust says', async () => {
    rig.addSource('acme/page', { type: 'statuspage', match: [{ when: 'true', orb: ORB }] });
    say(GOOD);
    const page = { incident: { id: 'x', name: 'down', status: 'investigating', impact: 'critical' } };
    await rig.deliver('acme/page', JSON.stringify(page));
    await rig.map();
    await rig.pass(1);
    expect((await rig.incidents())[0]?.status).to.equal('unconfirmed');
    say(BAD);
    await rig.pass(11 * MINUTE);
    const [incident] = await rig.incidents();
    expect(incident?.status).to.equal('open');
    expect(readIncident(incident?.json ?? '')).to.include({ confirmedBy: 'receipts' });
    // Its own word is not signed, so the log has no entry.
    expect(await events()).to.deep.equal([]);
  });
});
