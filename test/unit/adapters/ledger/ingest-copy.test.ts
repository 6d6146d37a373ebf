import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backupLedger, type Backup } from '../../../../adapters/ledger/sqlite-copy/backup.ts';
import { restoreLedger } from '../../../../adapters/ledger/sqlite-copy/restore.ts';
import {
  acceptAll,
  aDelivery,
  anOpening,
  aSignal,
  aState,
  deathOf,
  deliveryIdOf,
  effectsOf,
  incidentIdOf,
  ROOMY,
  SOURCE,
  workerLease,
} from '../../../support/ingest-rows.ts';
import { LEDGER_NOW } from '../../../support/ledger-rows.ts';
import { makeOlder } from '../../../support/older-ledger.ts';
import { incidentEntry } from '../../../support/reputation-rows.ts';
import { refusal } from '../../../support/refusal.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const nothing = (): void => undefined;
const never = new AbortController().signal;

describe('copies of a ledger with deliveries and incidents', () => {
  let fixture: SqliteFixture;
  let target: string;
  beforeEach(async () => {
    fixture = await openSqliteFixture();
    target = join(fixture.folder, 'backup.sqlite');
  });
  afterEach(() => fixture.dispose());

  const backup = (): Promise<Backup> =>
    backupLedger({ file: fixture.options.file, target, overwrite: false, onProgress: nothing }, never);

  const restore = (): ReturnType<typeof restoreLedger> =>
    restoreLedger({ source: target, file: fixture.options.file, asideAs: 'before', onProgress: nothing }, never);

  const openIncident = (): ReturnType<SqliteFixture['ledger']['changeIncidents']> =>
    fixture.ledger.changeIncidents([anOpening(1, { logEntry: incidentEntry({ incident_id: incidentIdOf(1) }) })]);

  it('hold what waits with its body, what was mapped, and what the status knows', async () => {
    const { ledger } = fixture;
    await acceptAll(ledger, [1, 2, 3]);
    const mapped = effectsOf(1, { signals: [aSignal(1)], states: [aState('f')] });
    await ledger.applyDeliveries(await workerLease(ledger), [mapped, deathOf(2)]);
    await openIncident();
    const interval = { service: 'runtime', from: 0, to: 30, state: 'operational', announced: false };
    await ledger.statusRound([interval]);
    const window = { id: 'mnt_1', from: 0, to: LEDGER_NOW, services: ['runtime'], title: 'x', by: 'y' };
    await ledger.addMaintenance(window);
    const counts = await ledger.sourceCounts();
    expect((await backup()).treeSize).to.equal(1);
    await ledger.close();
    await restore();
    const restored = await fixture.current();
    expect((await restored.acceptedDeliveries({ limit: 9 })).map(({ raw }) => raw)).to.deep.equal([aDelivery(3).raw]);
    expect((await restored.deadLetter('acme', deliveryIdOf(2)))?.raw).to.deep.equal(aDelivery(2).raw);
    expect((await restored.acceptDelivery(aDelivery(1), ROOMY)).kind).to.equal('duplicate');
    expect((await restored.signals('acme', { limit: 9 })).items.length).to.equal(1);
    expect(await restored.signalStates(SOURCE, ['f'])).to.deep.equal([aState('f')]);
    expect(await restored.incident('acme', incidentIdOf(1))).to.include({ revision: 1, logIndex: 0 });
    expect((await restored.statusIntervals({ since: 0, limit: 9 })).items).to.deep.equal([interval]);
    expect((await restored.maintenance({ since: 0 })).length).to.equal(1);
    expect(await restored.sourceCounts()).to.deep.equal(counts);
  });

  it('are refused when an incident names an entry of another', async () => {
    await fixture.ledger.appendEntries(['{}']);
    await openIncident();
    await fixture.ledger.close();
    for (const index of [0, 2]) {
      new DatabaseSync(fixture.options.file).exec(`UPDATE incidents SET log_index = ${index}`);
      expect(String(await refusal(backup()))).to.include('its incidents are of another log');
    }
    expect(existsSync(target)).to.equal(false);
  });

  it('may be of a program that knew neither', async () => {
    await fixture.ledger.appendEntries(['{}']);
    await fixture.ledger.close();
    const older = new DatabaseSync(fixture.options.file);
    makeOlder(older, 5);
    older.close();
    expect((await backup()).treeSize).to.equal(1);
  });

  it('keep bodies from whoever has another data key: such a delivery has none', async () => {
    await acceptAll(fixture.ledger, [1, 2]);
    await fixture.ledger.applyDeliveries(await workerLease(fixture.ledger), [deathOf(2)]);
    const db = new DatabaseSync(fixture.options.file);
    db.exec(`UPDATE delivery_bodies SET raw = x'${'00'.repeat(60)}'`);
    db.close();
    const waiting = await fixture.ledger.acceptedDeliveries({ limit: 9 });
    expect(waiting.map(({ deliveryId, raw }) => [deliveryId, raw])).to.deep.equal([[deliveryIdOf(1), undefined]]);
    expect((await fixture.ledger.deadLetter('acme', deliveryIdOf(2)))?.raw).to.equal(undefined);
  });

  it('hold no body in clear', async () => {
    const raw = Buffer.from('a text that only the tenant may read');
    await acceptAll(fixture.ledger, [1], { raw });
    await fixture.ledger.close();
    const db = new DatabaseSync(fixture.options.file);
    const [row] = db.prepare('SELECT raw FROM delivery_bodies').all();
    db.close();
    const stored = row?.['raw'];
    expect(stored).to.be.instanceOf(Uint8Array);
    expect(Buffer.from(stored instanceof Uint8Array ? stored : []).includes(raw.subarray(0, 8))).to.equal(false);
  });
});
