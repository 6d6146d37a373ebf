import { expect } from 'chai';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { readIncident } from '../../../../../core/ingestion/incidents/read-incident.ts';
import { jcs } from '../../../../../core/json/jcs.ts';
import { readEntry, type EntryOf } from '../../../../../core/log-entry/entry.ts';
import { aFinish, aStart, receiptIdOf } from '../../../../support/ledger-rows.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';

const ORB = 'initech.mailer@1.2.0';
const OTHERS = ['globex', 'hooli', 'umbrella'];
const ATTACKER = 'acme';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a score under attack by incidents', () => {
  let rig: IngestRig;
  let count = 0;

  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB, { namespace: 'initech' });
    publish(ORB, 'initech');
    rig.addSource(`${ATTACKER}/gf`, { type: 'grafana' });
  });
  afterEach(() => rig.dispose());

  const publish = (orbId: string, namespace: string): void =>
    void rig.published.set(orbId, {
      manifestDigest: rig.catalogDigest(namespace, orbId),
      namespace,
      status: 'active',
      isCertified: true,
    });

  /** Runs that end now, each with its entry in the log. */
  const run = async (tenant: string, outcome: 'success' | 'orb_error', times: number): Promise<void> => {
    const at = rig.clock.now();
    for (let left = times; left > 0; left -= 1) {
      count += 1;
      const entry = jcs({
        v: 1,
        kind: 'receipt',
        receipt_id: receiptIdOf(count),
        orb_id: ORB,
        manifest_digest: rig.catalogDigest('initech', ORB),
        caller_tag: tenant,
        self: false,
        outcome,
        duration_ms: 10,
        slo_ms: 100,
        finished_at: new Date(at).toISOString(),
        jws_sha256: sha256Hex(aFinish(count).receipt.jws),
      });
      await rig.ledger.startRun(aStart(count, { tenant, startedAt: at }));
      await rig.ledger.finishRun(aFinish(count, { tenant }, { orbId: ORB, outcome, issuedAt: at, entry }));
    }
  };
  const runAll = async (outcome: 'success' | 'orb_error', times: number): Promise<void> => {
    for (const tenant of OTHERS) await run(tenant, outcome, times);
  };

  const fire = async ({ source = `${ATTACKER}/gf`, orb = ORB, id = 'f1', status = 'firing' } = {}): Promise<void> => {
    const at = new Date(rig.clock.now()).toISOString();
    const labels = { alertname: 'Errors', severity: 'critical', orb_id: orb };
    const alert = {
      status,
      labels,
      annotations: { summary: `${orb} fails` },
      startsAt: at,
      endsAt: at,
      fingerprint: id,
    };
    await rig.deliver(source, JSON.stringify({ alerts: [alert] }));
    await rig.map();
    await rig.pass(1);
  };

  const log = async (): Promise<readonly string[]> => rig.ledger.entries(0, await rig.ledger.logSize());
  const incidents = async (): Promise<readonly EntryOf<'incident'>[]> =>
    (await log()).map(readEntry).filter((entry) => entry?.kind === 'incident');

  it('stands though a tenant lets its own runs fail and fires for days from many signed sources', async () => {
    const sources = Array.from({ length: 3 }, (_, index) => `${ATTACKER}/gf${index}`);
    for (const source of sources) rig.addSource(source, { type: 'grafana' });
    for (let day = 0; day < 2; day += 1) {
      for (const [index, source] of sources.entries()) {
        await run(ATTACKER, 'orb_error', 40);
        await runAll('success', 8);
        await fire({ source, id: `${day} ${index}` });
        await run(ATTACKER, 'orb_error', 40);
        await rig.pass(HOUR);
      }
      await rig.pass(12 * HOUR);
    }
    const open = await rig.incidents();
    expect(open.length).to.equal(6);
    expect(open.every(({ logIndex }) => logIndex === null)).to.equal(true);
    expect(await incidents()).to.deep.equal([]);
  });

  it('stands though two more tenants of the attacker fail as well', async () => {
    for (const tenant of [ATTACKER, 'acme-two', 'acme-three']) await run(tenant, 'orb_error', 40);
    await fire();
    await rig.pass(2 * HOUR);
    expect(await incidents()).to.deep.equal([]);
  });

  it('stands though the publisher itself has failing runs and a source', async () => {
    await run('initech', 'orb_error', 100);
    rig.addSource('initech/gf', { type: 'grafana' });
    await fire({ source: 'initech/gf' });
    await rig.pass(2 * HOUR);
    expect(await incidents()).to.deep.equal([]);
  });

  it('moves when three other tenants see it, at most three times a month', async () => {
    for (let day = 0; day < 6; day += 1) {
      await runAll('success', 50);
      await rig.pass(10 * MINUTE);
      await runAll('orb_error', 8);
      await fire({ id: `${day}` });
      await rig.pass(MINUTE);
      await fire({ id: `${day}`, status: 'resolved' });
      await rig.pass(25 * HOUR);
    }
    const entered = await incidents();
    expect(entered.filter(({ event }) => event === 'opened').length).to.equal(3);
    expect(entered.filter(({ event }) => event === 'resolved').length).to.equal(3);
  });

  it('is held down by no incident that its source never resolves: good receipts end it in the log', async () => {
    await runAll('orb_error', 20);
    await fire();
    expect((await incidents()).map(({ event }) => event)).to.deep.equal(['opened']);
    for (let passed = 0; passed < 12; passed += 1) {
      await rig.pass(10 * MINUTE);
      await runAll('success', 10);
      // It fires on: nobody resolves it.
      await fire();
    }
    const told = await incidents();
    expect(told.map(({ event }) => event)).to.deep.equal(['opened', 'resolved']);
    const [incident] = await rig.incidents();
    expect(incident?.status).to.equal('open');
    expect(readIncident(incident?.json ?? '').corroboration?.logged?.event).to.equal('resolved');
  });

  it('tells no name of a private Orb in the log, whatever its receipts say', async () => {
    const isPrivate = 'acme.secret-project@1.0.0';
    rig.addOrb(isPrivate, { namespace: ATTACKER });
    // A version of its own under a published name is private as well.
    rig.addOrb('acme.fork@1.0.0', { namespace: ATTACKER });
    rig.published.set('acme.fork@1.0.0', {
      manifestDigest: `sha256:${'f'.repeat(64)}`,
      namespace: 'initech',
      status: 'active',
      isCertified: true,
    });
    const bad = { runs: 100, failed: 90, slow: 0, callers: 9, worstShare: 0.9 };
    rig.count = () => Promise.resolve({ ...bad, baseline: { runs: 1000, failed: 1, slow: 0 } });
    for (const orb of [isPrivate, 'acme.fork@1.0.0']) {
      await fire({ orb, id: orb });
      await rig.pass(2 * HOUR);
      await fire({ orb, id: orb, status: 'resolved' });
      await rig.pass(2 * HOUR);
    }
    for (const { incidentId } of await rig.incidents()) await rig.act(incidentId, { kind: 'withdraw', reason: 'mine' });
    expect((await rig.incidents()).length).to.equal(2);
    expect((await log()).filter((text) => /secret-project|acme\.fork/.test(text))).to.deep.equal([]);
    expect(await incidents()).to.deep.equal([]);
  });
});
