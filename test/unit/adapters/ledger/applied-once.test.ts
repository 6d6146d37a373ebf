import { expect } from 'chai';
import fc from 'fast-check';
import type { DeliveryEffects, HeldLease, Ledger } from '../../../../adapters/ledger/port.ts';
import {
  aDelivery,
  anOpening,
  aSignal,
  deathOf,
  deliveryIdOf,
  effectsOf,
  incidentIdOf,
  ROOMY,
  semanticKeyOf,
  SOURCE,
} from '../../../support/ingest-rows.ts';
import { incidentEntry } from '../../../support/reputation-rows.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

const DELIVERIES = 6;
const SHARED = semanticKeyOf('what every delivery tells');

const idOfSignal = (number: number, part: number): number => number * 10 + part;

/** What a delivery does: one signal of its own, one that all tell, and one line in the history of one incident. */
const effects = (number: number, expectedRevision: number): DeliveryEffects =>
  effectsOf(number, {
    signals: [aSignal(idOfSignal(number, 1)), aSignal(idOfSignal(number, 2), { semanticKey: SHARED })],
    incidents: [
      anOpening(1, {
        expectedRevision,
        updates: [{ at: 0, by: deliveryIdOf(number), json: '{}' }],
        logEntry: incidentEntry({ incident_id: incidentIdOf(1) }),
      }),
    ],
  });

/** Two workers that believe to hold the lease, each in the epoch that it was given last. */
interface World {
  readonly fixture: SqliteFixture;
  readonly leases: HeldLease[];
}

type Act = (world: World, ledger: Ledger) => Promise<void>;

const leaseOf = ({ leases }: World, worker: number): HeldLease => leases[worker] ?? { name: 'ingest-worker', epoch: 0 };

const number = fc.nat(DELIVERIES - 1);
const worker = fc.nat(1);

const revisionOf = async (ledger: Ledger): Promise<number> =>
  (await ledger.incident('acme', incidentIdOf(1)))?.revision ?? 0;

const act = fc.oneof(
  {
    weight: 3,
    arbitrary: number.map<Act>((one) => async (_, ledger) => void (await ledger.acceptDelivery(aDelivery(one), ROOMY))),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.array(number, { minLength: 1, maxLength: 4 }), fc.constantFrom(0, 0, 0, 1, -1), worker)
      .map<Act>(([some, wrong, by]) => async (world, ledger) => {
        const first = (await revisionOf(ledger)) + wrong;
        const told = some.map((one, position) => effects(one, Math.max(first + position, 0)));
        await ledger.applyDeliveries(leaseOf(world, by), told);
      }),
  },
  fc.tuple(number, worker).map<Act>(
    ([one, by]) =>
      async (world, ledger) =>
        void (await ledger.applyDeliveries(leaseOf(world, by), [deathOf(one)])),
  ),
  fc.tuple(number, worker).map<Act>(
    ([one, by]) =>
      async (world, ledger) =>
        void (await ledger.failDelivery(leaseOf(world, by), deliveryIdOf(one), '')),
  ),
  {
    weight: 2,
    arbitrary: number.map<Act>(
      (one) => async (_, ledger) => void (await ledger.redrive('acme', { deliveryId: deliveryIdOf(one) })),
    ),
  },
  {
    weight: 3,
    arbitrary: worker.map<Act>((by) => async (world, ledger) => {
      await world.fixture.clock.advance(60_000);
      const epoch = await ledger.acquireLease('ingest-worker', `worker-${by}`, 60_000);
      if (epoch !== undefined) world.leases[by] = { name: 'ingest-worker', epoch };
    }),
  },
);

interface Found {
  readonly waiting: number;
  readonly dead: number;
  /** Ids of those that were mapped: they are known, do not wait and are not dead. */
  readonly done: readonly string[];
}

async function found(ledger: Ledger): Promise<Found> {
  const waiting = await ledger.acceptedDeliveries({ limit: 200 });
  const dead = (await ledger.deadLetters('acme', { limit: 200 })).items;
  const open = new Set([...waiting, ...dead].map(({ deliveryId }) => deliveryId));
  const ids = Array.from({ length: DELIVERIES }, (_, one) => deliveryIdOf(one));
  const known = await Promise.all(
    ids.map((_, one) => ledger.acceptDelivery(aDelivery(one), { perSource: 0, inAll: 0 })),
  );
  const done = ids.filter((id, one) => known[one]?.kind === 'duplicate' && !open.has(id));
  return { waiting: waiting.length, dead: dead.length, done };
}

async function checkAppliedOnce(ledger: Ledger): Promise<void> {
  const { waiting, dead, done } = await found(ledger);
  const incident = await ledger.incident('acme', incidentIdOf(1));
  const { items } = await ledger.signals('acme', { limit: 200 });
  const shared = items.filter(({ semanticKey }) => semanticKey === SHARED);
  const told = (incident?.updates ?? []).map(({ by }) => by);
  expect(told, 'lines in the history').to.have.members(done);
  expect(incident?.revision ?? 0, 'changes of the incident').to.equal(done.length);
  expect(await ledger.logSize(), 'entries in the log').to.equal(done.length);
  expect(items.length - shared.length, 'signals of their own').to.equal(done.length);
  expect(items.filter(({ repeatCount, semanticKey }) => repeatCount > 0 && semanticKey !== SHARED)).to.deep.equal([]);
  const times = shared.reduce((sum, { repeatCount }) => sum + 1 + repeatCount, 0);
  expect(times, 'times that all told').to.equal(done.length);
  const counts = await ledger.deliveryCounts(SOURCE);
  expect(counts, 'counts of the source').to.deep.equal({ accepted: waiting, done: done.length, dead });
  const next = (inAll: number): Promise<{ readonly kind: string }> =>
    ledger.acceptDelivery(aDelivery(DELIVERIES), { perSource: DELIVERIES + 1, inAll });
  const room = [await next(waiting), await next(waiting + 1)].map(({ kind }) => kind);
  expect(room, 'the count of all that wait').to.deep.equal(['full', 'accepted']);
}

describe('effects of deliveries in the ledger', () => {
  it('are applied exactly once, whatever is repeated, refused, sent again or done by two workers at a time', async function once() {
    this.timeout(60_000);
    // Acts of a group run at a time: the ledger commits them together.
    const groups = fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(groups, fc.nat(12), async (some, restart) => {
        const fixture = await openSqliteFixture();
        try {
          const world: World = { fixture, leases: [] };
          for (const [at, group] of some.entries()) {
            const ledger = at === restart ? await fixture.reopen() : await fixture.current();
            await Promise.all(group.map((one) => one(world, ledger)));
          }
          await checkAppliedOnce(await fixture.current());
        } finally {
          await fixture.dispose();
        }
      }),
      { numRuns: 150 },
    );
  });
});
