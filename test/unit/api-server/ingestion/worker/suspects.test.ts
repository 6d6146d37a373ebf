import { expect } from 'chai';
import { MapDesk, type MappedBatch } from '../../../../../api-server/ingestion/worker/map-desk.ts';
import {
  MappingEnded,
  type DeliveryMapper,
  type SourcedDelivery,
} from '../../../../../api-server/ingestion/worker/delivery-mapper.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { refusal } from '../../../../support/refusal.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const ORB = 'acme.mailer@1.2.0';
const body = (number: number): string => sampleBody('alertmanager').replace('c1f2a3b4d5e6f708', `f${number}`);

const WITHOUT_THREAD: Pick<DeliveryMapper, 'map'> = {
  map: () => Promise.reject(new MappingEnded('no thread', { isOfWork: false })),
};

describe('a delivery that ends the thread which maps it', () => {
  let rig: IngestRig;
  let sizes: number[];
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
    sizes = [];
  });
  afterEach(() => rig.dispose());

  /** Ends at some deliveries, as often as the test says. */
  function mapperThatEnds(at: ReadonlyMap<string, number>): Pick<DeliveryMapper, 'map'> {
    const desk = new MapDesk(rig.desk);
    const left = new Map(at);
    const ends = ({ delivery: { deliveryId } }: SourcedDelivery): boolean => {
      const times = left.get(deliveryId) ?? 0;
      left.set(deliveryId, times - 1);
      return times > 0;
    };
    return {
      map: (work): Promise<MappedBatch> => {
        sizes.push(work.deliveries.length);
        return work.deliveries.some(ends)
          ? Promise.reject(new MappingEnded('mapping takes longer than 20000 ms', { isOfWork: true }))
          : desk.map(work);
      },
    };
  }
  async function mapAll(mapper: Pick<DeliveryMapper, 'map'>): Promise<void> {
    const { suspects } = rig.deps;
    while ((await rig.mapWith({ mapper, suspects })) === 'worked');
  }

  it('is a dead letter, and those before and behind it are mapped once', async () => {
    const ids: string[] = [];
    for (const number of [1, 2, 3, 4, 5]) ids.push(await rig.deliver('acme/am', body(number)));
    const [, , killer = ''] = ids;
    await mapAll(mapperThatEnds(new Map([[killer, 9]])));
    expect(await rig.ledger.deadLetter('acme', killer)).to.include({
      reason: 'downstream',
      detail: 'mapping takes longer than 20000 ms',
    });
    expect(rig.deaths).to.deep.equal(['downstream']);
    const signals = await rig.signals();
    expect(signals.map(({ repeatCount }) => repeatCount)).to.deep.equal([0, 0, 0, 0]);
    expect(signals.map(({ deliveryId }) => deliveryId)).to.have.members(ids.filter((id) => id !== killer));
    expect(sizes, 'together, then one at a time').to.deep.equal([5, 1, 1, 1, 1, 1]);
    for (const number of [6, 7]) await rig.deliver('acme/am', body(number));
    await mapAll(new MapDesk(rig.desk));
    await rig.ledger.redrive('acme', { deliveryId: killer });
    await mapAll(new MapDesk(rig.desk));
    expect(await rig.signals()).to.have.length(7);
  });

  it('is mapped when the thread ended by chance, and then deliveries are mapped together again', async () => {
    const ids = [await rig.deliver('acme/am', body(1)), await rig.deliver('acme/am', body(2))];
    const mapper = mapperThatEnds(new Map([[ids[0] ?? '', 1]]));
    await mapAll(mapper);
    expect(rig.deaths).to.deep.equal([]);
    for (const number of [3, 4]) await rig.deliver('acme/am', body(number));
    await mapAll(mapper);
    expect(await rig.signals()).to.have.length(4);
    expect(sizes).to.deep.equal([2, 1, 1, 2]);
  });

  it('is tried a second time also where it is the only one', async () => {
    const once = await rig.deliver('acme/am', body(1));
    await mapAll(mapperThatEnds(new Map([[once, 1]])));
    expect(rig.deaths).to.deep.equal([]);
    const twice = await rig.deliver('acme/am', body(2));
    await mapAll(mapperThatEnds(new Map([[twice, 2]])));
    expect(rig.deaths).to.deep.equal(['downstream']);
    expect((await rig.signals()).map(({ deliveryId }) => deliveryId)).to.deep.equal([once]);
  });

  it('is not blamed for a thread that could not be started: everything waits', async () => {
    await rig.deliver('acme/am', body(1));
    expect(await refusal(rig.mapWith({ mapper: WITHOUT_THREAD }))).to.be.instanceOf(MappingEnded);
    expect((await rig.ledger.deliveryCounts('acme/am')).accepted).to.equal(1);
    await mapAll(new MapDesk(rig.desk));
    expect(await rig.signals()).to.have.length(1);
  });
});
