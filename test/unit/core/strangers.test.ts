import { expect } from 'chai';
import { STRANGERS } from '../../fuzz/strangers/cases.ts';
import { fuzzStrangers } from '../../fuzz/strangers/fuzz.ts';
import { seeded } from '../../support/seeded.ts';

// The long form: `npm run fuzz -- templates headers …`.
const SEED = Number(process.env['ORB_SEED'] ?? 20_261_127);
const GIVEN = process.env['ORB_PROPERTY_RUNS'];
/** Signatures and whole manifests take up to a hundred times as long as the others. */
const SLOWER: ReadonlySet<string> = new Set(['manifests', 'jws', 'bundles', 'certificates', 'policies', 'files']);

/** µs of this thread. */
const worked = (): number => process.threadCpuUsage().user;
const slow = (): boolean => {
  const began = worked();
  // In slices: reading the time is work of the system.
  while (worked() - began < 1_100_000) for (let turn = 0; turn < 1_000_000; turn += 1) Math.sqrt(turn);
  return true;
};

describe('whatever strangers send', function suite() {
  this.timeout(120_000);

  for (const [name, strangers] of Object.entries(STRANGERS))
    it(`as ${name} breaks nothing and gets nothing that it may not have (seed ${SEED})`, async () => {
      const runs = Number(GIVEN ?? (SLOWER.has(name) ? 400 : 5000));
      const { failure, isEnough, passed } = await fuzzStrangers({ name, ...strangers }, SEED, runs);
      expect(failure).to.equal(undefined);
      expect(isEnough, `${passed} of ${runs} got through`).to.equal(true);
    });

  it('tells the name and the seed of a case that breaks something, and breaks it again', async () => {
    const first = seeded(12)();
    const take = (random: () => number): boolean => {
      if (random() === first) throw new Error('the fault');
      return true;
    };
    const planted = { name: 'planted', take, least: 0 };
    const { failure } = await fuzzStrangers(planted, 5, 100);
    expect(failure).to.deep.equal({ name: 'planted', seed: 12, fault: 'Error: the fault' });
    expect((await fuzzStrangers(planted, 12, 1)).failure).to.deep.equal(failure);
  });

  it('tells the seed of a case that takes a second of CPU', async () => {
    const { failure } = await fuzzStrangers({ name: 'slow', take: slow, least: 0 }, 3, 2);
    expect([failure?.seed, /^it takes \d+ ms$/.test(failure?.fault ?? '')]).to.deep.equal([3, true]);
  });
});
