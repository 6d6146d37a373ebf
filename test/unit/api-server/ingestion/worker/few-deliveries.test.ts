import { expect } from 'chai';
import type { DeliveryMapper } from '../../../../../api-server/ingestion/worker/delivery-mapper.ts';
import { MapDesk } from '../../../../../api-server/ingestion/worker/map-desk.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { sampleBody } from '../../../core/ingestion/samples.ts';

const ORB = 'acme.mailer@1.2.0';
const body = (number: number): string => sampleBody('alertmanager').replace('c1f2a3b4d5e6f708', `f${number}`);
const large = (number: number): string =>
  body(number).replace('"annotations"', `"x":"${'x'.repeat(6000)}","annotations"`);

describe('where deliveries are mapped', () => {
  let rig: IngestRig;
  let places: string[];
  beforeEach(async () => {
    rig = await anIngestRig();
    rig.addOrb(ORB);
    rig.addSource('acme/am', { type: 'alertmanager' });
    places = [];
  });
  afterEach(() => rig.dispose());

  const mapperAt = (place: string): Pick<DeliveryMapper, 'map'> => {
    const desk = new MapDesk(rig.desk);
    return {
      map: (work) => {
        places.push(`${work.deliveries.length} ${place}`);
        return desk.map(work);
      },
    };
  };
  async function mapAll(): Promise<void> {
    const mappers = { mapper: mapperAt('in the thread'), mapperHere: mapperAt('here') };
    while ((await rig.mapWith(mappers)) === 'worked');
  }
  async function deliver(bodies: readonly string[]): Promise<void> {
    for (const one of bodies) await rig.deliver('acme/am', one);
  }

  it('is this thread for four small ones', async () => {
    await deliver([1, 2, 3, 4].map(body));
    await mapAll();
    expect(places).to.deep.equal(['4 here']);
    expect(await rig.signals()).to.have.length(4);
  });

  it('is the thread for five', async () => {
    await deliver([1, 2, 3, 4, 5].map(body));
    await mapAll();
    expect(places).to.deep.equal(['5 in the thread']);
    expect(await rig.signals()).to.have.length(5);
  });

  it('is the thread for bodies of more than 16 KiB together', async () => {
    await deliver([1, 2, 3].map(large));
    await mapAll();
    expect(places).to.deep.equal(['3 in the thread']);
    expect(await rig.signals()).to.have.length(3);
  });

  it('is the thread for what comes while few are mapped here', async () => {
    await deliver([body(1)]);
    const here = mapperAt('here');
    const mapper = mapperAt('in the thread');
    const mapperHere: typeof here = {
      map: async (work) => {
        if (places.length === 0) await deliver([2, 3, 4, 5, 6, 7].map(body));
        return here.map(work);
      },
    };
    while ((await rig.mapWith({ mapper, mapperHere })) === 'worked');
    expect(places).to.deep.equal(['1 here', '6 in the thread']);
    expect(await rig.signals()).to.have.length(7);
  });

  it('is the thread for a delivery that may end it', async () => {
    await deliver([body(1)]);
    await rig.mapWith({ mapper: mapperAt('in the thread'), mapperHere: mapperAt('here'), suspects: { untilSeq: 99 } });
    expect(places).to.deep.equal(['1 in the thread']);
  });
});
