import { expect } from 'chai';
import { Registry } from 'prom-client';
import {
  createIngestWorker,
  type IngestWorkerParts,
} from '../../../../../api-server/ingestion/worker/create-worker.ts';
import type { IngestWorker } from '../../../../../api-server/ingestion/worker/ingest-worker.ts';
import { LedgerError } from '../../../../../adapters/ledger/port.ts';
import { SharedCount } from '../../../../../adapters/threads/shared-count.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { mappingOnThisThread } from '../../../../support/mapping-here.ts';
import { recordLog } from '../../../../support/kube/runtime-recorders.ts';
import { named, readText, type Sample } from '../../../../support/exposition.ts';
import { untilTrue } from '../../../../support/wait-for.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const LEASE = 'ingest-worker';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ORB = 'acme.mailer@1.2.0';

/** Turns of the loop are enough for what needs no time. */
const atOnce = (what: string, holds: () => Promise<boolean>) => untilTrue(what, holds, 5000, 1);

describe('the worker of deliveries', () => {
  let rig: IngestRig;
  let log: ReturnType<typeof recordLog>;
  let registry: Registry;
  let stopping: AbortController;
  let running: Promise<void> | undefined;

  beforeEach(async () => {
    rig = await anIngestRig();
    await rig.ledger.releaseLease(LEASE, 'test');
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
    log = recordLog();
    registry = new Registry();
    stopping = new AbortController();
    running = undefined;
  });
  afterEach(async () => {
    stopping.abort();
    await running;
    await rig.dispose();
  });

  function start(other: Partial<Pick<IngestWorkerParts, 'ledger' | 'isReady'>> = {}): IngestWorker {
    const { ledger, clock, catalog, published, sources } = rig;
    const worker = createIngestWorker({
      ledger,
      clock,
      catalog,
      registry,
      count: rig.count,
      published: { version: (id) => published.get(id) },
      platformNamespace: 'orb-system',
      sourceOf: (key) => rig.deps.sourceOf(key),
      sources: () => sources.of('acme'),
      random: rig.desk.random,
      ledgerFile: rig.ledgerFile,
      runs: new SharedCount(),
      startThread: mappingOnThisThread,
      logger: log.logger,
      holder: 'one',
      isReady: () => true,
      ...other,
    });
    running = worker.run(stopping.signal);
    return worker;
  }

  const BODY = sampleBody('alertmanager');
  const deliver = (day = '20') => rig.deliver('acme/am', BODY.replaceAll('2026-11-20', `2026-11-${day}`));
  const samples = async (name: string): Promise<readonly Sample[]> =>
    named(readText(`${await registry.metrics()}\n`), name);
  const value = async (name: string) => (await samples(name)).map((sample) => sample.value);
  const dead = async () => (await samples('orb_ingest_dead_letters')).filter((sample) => sample.value > 0);
  /** Moves the clock second by second. */
  const soon = (what: string, holds: () => Promise<boolean>) =>
    atOnce(what, async () => {
      await rig.clock.advance(1000);
      return holds();
    });
  const has = (count: number) => async () => (await rig.signals()).length === count;

  it('begins with what waits, goes on when it is woken, and looks each second', async () => {
    await deliver('20');
    const worker = start();
    await atOnce('the first', has(1));
    await deliver('21');
    worker.wake();
    await atOnce('the second', has(2));
    await deliver('22');
    await soon('the third', has(3));
    expect(await dead()).to.deep.equal([]);
  });

  it('waits until every source was read', async () => {
    let isReady = false;
    await deliver();
    start({ isReady: () => isReady });
    await rig.clock.advance(5000);
    expect(await rig.signals()).to.deep.equal([]);
    isReady = true;
    await soon('its signal', has(1));
  });

  it('does nothing while another replica holds the lease, and follows it', async () => {
    await rig.ledger.acquireLease(LEASE, 'other', 8000);
    await deliver();
    const worker = start();
    await rig.clock.advance(5000);
    expect(await rig.signals()).to.deep.equal([]);
    expect(worker.successAge()).to.equal(undefined);
    expect(await samples('orb_ingest_worker_last_success_age_seconds')).to.deep.equal([]);
    await soon('its signal', has(1));
    await soon('a round', async () => worker.successAge() === 0);
  });

  it('says once that the ledger is away, and maps everything when it is back', async () => {
    let isAway = true;
    const { acceptedDeliveries } = rig.ledger;
    const ledger = {
      ...rig.ledger,
      acceptedDeliveries: async (query: Parameters<typeof acceptedDeliveries>[0]) => {
        if (isAway) throw new LedgerError('ledger-unavailable', 'away');
        return acceptedDeliveries(query);
      },
    };
    await deliver();
    start({ ledger });
    await soon('age', async () => (await value('orb_ingest_worker_last_success_age_seconds'))[0] === 3);
    expect(await value('orb_ingest_queue_depth')).to.deep.equal([1]);
    expect((await value('orb_ingest_processing_lag_seconds'))[0]).to.be.above(2);
    isAway = false;
    await soon('its signal', has(1));
    await soon('age', async () => (await value('orb_ingest_worker_last_success_age_seconds'))[0] === 0);
    expect(log.texts().filter((text) => text.startsWith('warn'))).to.deep.equal([
      'warn deliveries could not be mapped; they wait',
    ]);
    expect(await value('orb_ingest_queue_depth')).to.deep.equal([0]);
    expect(await value('orb_ingest_processing_lag_seconds')).to.deep.equal([0]);
  });

  it('settles incidents that time changes, and counts dead letters and open incidents', async () => {
    await deliver();
    await rig.deliver('acme/am', '{');
    start();
    await soon('a dead letter', async () => (await dead()).length > 0);
    expect((await dead()).map(({ labels, value: count }) => [labels['reason'], count])).to.deep.equal([
      ['bad_json', 1],
    ]);
    expect((await value('orb_incidents_open')).reduce((sum, count) => sum + count, 0)).to.equal(1);
    await rig.deliver('acme/am', BODY.replaceAll('"status":"firing"', '"status":"resolved"'));
    // The end of the quiet period comes without another delivery.
    await soon('its end', async () => (await rig.incidents())[0]?.status === 'resolved');
    expect((await value('orb_incidents_open')).reduce((sum, count) => sum + count, 0)).to.equal(0);
  });

  it('erases once an hour what a source no longer keeps, also when it was deleted', async () => {
    rig.addSource('acme/short', { type: 'alertmanager', retention: { raw: '24h', signals: '24h' } });
    await deliver();
    await rig.deliver('acme/short', BODY);
    start();
    await soon('both signals', has(2));
    await rig.clock.advance(DAY + 2 * HOUR);
    await soon('the end of one', has(1));
    rig.sources.remove('acme', 'am');
    await rig.clock.advance(91 * DAY);
    await soon('the end of the other', has(0));
    expect(log.texts().filter((text) => text.includes('erased')).length).to.be.above(0);
  });

  it('ends without an error, and leaves the lease to the next', async () => {
    start();
    await rig.clock.advance(1000);
    stopping.abort();
    await running;
    expect(await rig.ledger.acquireLease(LEASE, 'other', 1000)).to.be.above(0);
    expect(log.texts().filter((text) => text.startsWith('error'))).to.deep.equal([]);
  });
});
