import { expect } from 'chai';
import { readIncident } from '../../../../../core/ingestion/incidents/read-incident.ts';
import { below, pick, type Random } from '../../../../fuzz/ingestion/random.ts';
import { anIngestRig, type IngestRig } from '../../../../support/ingest-rig.ts';
import { seeded } from '../../../../support/seeded.ts';

// The long form: `npm run fuzz -- deliveries`.
const SETS = Number(process.env['ORB_PROPERTY_RUNS'] ?? 20);
const SEED = Number(process.env['ORB_SEED'] ?? 20_261_120);
const MINUTE = 60_000;
const SOURCES = ['acme/one', 'acme/two'] as const;
const ORBS = ['acme.a@1.0.0', 'acme.b@1.0.0'] as const;

interface Delivery {
  readonly source: (typeof SOURCES)[number];
  /** Alerts; their fingerprints are numbers. */
  readonly alerts: readonly { readonly fingerprint: number; readonly [name: string]: unknown }[];
}

function aDelivery(random: Random, start: number): Delivery {
  const time = (): string => new Date(start + below(random, 40) * MINUTE).toISOString();
  const alerts = Array.from({ length: 1 + below(random, 3) }, () => ({
    status: random() < 0.5 ? 'firing' : 'resolved',
    labels: {
      alertname: 'x',
      orb_id: pick(random, ORBS),
      severity: pick(random, ['critical', 'high', 'warning', 'low']),
    },
    annotations: { summary: 'x' },
    startsAt: time(),
    endsAt: time(),
    fingerprint: below(random, 3),
  }));
  return { source: pick(random, SOURCES), alerts };
}

const shuffled = <T>(random: Random, list: readonly T[]): readonly T[] =>
  list
    .map((item) => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item);

describe(`sets of deliveries (seed ${SEED})`, function suite() {
  this.timeout(30_000 + SETS * 500);
  let rig: IngestRig;
  before(async () => {
    rig = await anIngestRig();
    for (const [index, orb] of ORBS.entries()) rig.addOrb(orb, { url: `https://api${index}.example/` });
    for (const source of SOURCES) rig.addSource(source, { type: 'alertmanager' });
    await rig.pass(60 * MINUTE);
  });
  after(() => rig.dispose());

  /** Maps deliveries of a set in an order. @param name tells it from others @returns states and incidents */
  const mapped = async (name: string, deliveries: readonly Delivery[]): Promise<object> => {
    const idOf = (fingerprint: number): string => `${name} ${fingerprint}`;
    for (const { source, alerts } of deliveries)
      await rig.deliver(
        source,
        JSON.stringify({ alerts: alerts.map((one) => ({ ...one, fingerprint: idOf(one.fingerprint) })) }),
      );
    while ((await rig.map()) === 'worked');
    const ids = [0, 1, 2].map(idOf);
    const states = await Promise.all(SOURCES.map((source) => rig.ledger.signalStates(source, ids)));
    const { items } = await rig.ledger.incidents('acme', { limit: 200 });
    const own = items.map(({ json }) => readIncident(json)).filter(({ fingerprint }) => ids.includes(fingerprint));
    // Of each problem the newest: whether an older one was ever seen alone depends on when it was told.
    const groups = [...new Set(own.map(({ groupKey }) => groupKey))];
    const newest = await Promise.all(
      groups.map(async (group) => (await rig.ledger.incidentsByGroup('acme', [group], 0)).slice(0, 1)),
    );
    const incidents = newest
      .flatMap(([row]) => (row === undefined ? [] : [readIncident(row.json)]))
      .filter(({ status }) => status !== 'pending')
      .map(({ fingerprint, target, status, severity, flapping, openedAt, resolvedAt }) =>
        JSON.stringify([fingerprint.slice(name.length), target, status, severity, flapping, openedAt, resolvedAt]),
      );
    const rows = states.map((found) =>
      found
        .toSorted((one, other) => (one.fingerprint < other.fingerprint ? -1 : 1))
        .map(({ fingerprint, json }): unknown => [fingerprint.slice(name.length), JSON.parse(json)]),
    );
    return { states: rows, incidents: incidents.toSorted() };
  };

  it('give the same states and incidents in every order, with any of them repeated', async () => {
    for (let set = 0; set < SETS; set += 1) {
      const random = seeded(SEED + set);
      // The incidents of this set are the newest ones.
      await rig.clock.advance(2 * 60 * MINUTE);
      const deliveries = Array.from({ length: 2 + below(random, 8) }, () =>
        aDelivery(random, rig.clock.now() - 60 * MINUTE),
      );
      const again = deliveries.filter(() => random() < 0.4);
      const one = await mapped(`${set}-`, deliveries);
      const other = await mapped(`${set}+`, shuffled(random, [...deliveries, ...again]));
      expect(other, `set ${set}`).to.deep.equal(one);
    }
  });
});
