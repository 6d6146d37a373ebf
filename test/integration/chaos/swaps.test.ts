import { expect } from 'chai';
import { startWorld, stopWorld, type World } from '../../chaos/operator/world.ts';
import { seededRandom } from '../../chaos/seeded-random.ts';
import { killSwaps } from '../../chaos/swaps/kill-swaps.ts';

const KILLS = 5;
const seed = Number(process.env['ORB_CHAOS_SEED'] ?? Date.now() % 1_000_000);

const lines: string[] = [];
const say = (line: string): void => void lines.push(line);

describe(`operators and API that are killed while swaps come (ORB_CHAOS_SEED=${seed})`, function suite() {
  this.timeout(240_000);
  let world: World;

  before(async () => {
    world = await startWorld('swaps');
  });
  afterEach(function reportFailures() {
    if (this.currentTest?.state === 'failed') process.stdout.write(`${lines.join('\n')}\n`);
  });
  after(() => stopWorld(world));

  it('makes each swap once, with one Event and one receipt', async () => {
    const { faults, swaps, receipts } = await killSwaps(world, { kills: KILLS, random: seededRandom(seed), say });
    expect(faults).to.deep.equal([]);
    expect(receipts).to.equal(swaps);
  });
});
