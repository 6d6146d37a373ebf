import { expect } from 'chai';
import { deletion } from '../../chaos/operator/deletion.ts';
import { failoverOfLeaders } from '../../chaos/operator/failover-of-leaders.ts';
import { idle } from '../../chaos/operator/idle.ts';
import { mutation } from '../../chaos/operator/mutation.ts';
import type { Procedure } from '../../chaos/operator/procedure.ts';
import type { Reference } from '../../chaos/operator/run-plan.ts';
import { summarise } from '../../chaos/operator/results.ts';
import { runPlanned } from '../../chaos/operator/run-test.ts';
import type { WorkloadName } from '../../chaos/operator/workloads.ts';
import { swapsOfLeaders } from '../../chaos/operator/swaps-of-leaders.ts';
import { startWorld, stopWorld, type World } from '../../chaos/operator/world.ts';

/** Test, what it shows, workloads, and plans of each. `npm run test:chaos -- --full` runs all of them. */
const PLANS: readonly (readonly [string, string, readonly WorkloadName[], number])[] = [
  ['R1', 'a crash at a write changes neither the end state nor the number of writes', ['W1', 'W4'], 2],
  ['R1', 'a crash while an Orb is swapped and goes back makes neither swap twice', ['W5'], 1],
  ['R2', 'a restart against a stale API server deletes and re-creates nothing', ['W4'], 1],
  ['R3', 'an event that is dropped, late or merged changes nothing in the end', ['W1', 'W4'], 1],
  ['R4', 'a fault of a watch changes nothing in the end', ['W1', 'W4'], 1],
  ['R5', 'refused requests lose and double no write', ['W1'], 2],
  ['R6', 'compaction and a killed API server change nothing in the end', ['W4'], 1],
];
const PROCEDURES: readonly (readonly [string, string, Procedure])[] = [
  [
    'R7',
    'a leader that dies, freezes or is cut off is replaced, and does nothing when it comes back',
    failoverOfLeaders,
  ],
  ['R7', 'a leader that stands still with a swap on its way swaps nothing twice', swapsOfLeaders],
  ['R10', 'the state depends on the spec, not on the way to it', mutation],
  ['R11', 'deletion leaves nothing', deletion],
  ['idle', 'without input nothing is written', idle],
];

const seed = Number(process.env['ORB_CHAOS_SEED'] ?? Date.now() % 1_000_000);

describe(`the operator under faults, a reduced plan (ORB_CHAOS_SEED=${seed})`, function () {
  this.timeout(180_000);
  let world: World;
  const references = new Map<WorkloadName, Reference>();
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);

  before(async () => {
    world = await startWorld('chaos');
  });
  afterEach(function tellFailures() {
    if (this.currentTest?.state === 'failed') process.stdout.write(`${lines.join('\n')}\n`);
    lines.length = 0;
  });
  after(async () => {
    await stopWorld(world);
  });

  for (const [test, what, workloads, most] of PLANS)
    it(`${test}: ${what}`, async () => {
      let reached = false;
      // One request in a hundred refused may be none of thirty: then with other chances.
      for (let more = 0; more < 5 && !reached; more += 1) {
        const results = await runPlanned(world, test, { seed: seed + more, most, say, workloads, references });
        const { faults } = summarise(test, { version: world.plane.version, seed: seed + more }, results);
        expect(faults).to.deep.equal([]);
        reached = results.some((result) => result.reached);
      }
      expect(reached).to.equal(true);
    });

  for (const [test, what, procedure] of PROCEDURES)
    it(`${test}: ${what}`, async () => {
      const results = await procedure(world, { seed, full: false, say });
      expect(results.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))).to.deep.equal([]);
    });
});
