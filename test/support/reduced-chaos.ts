import { expect } from 'chai';
import type { Procedure } from '../chaos/operator/procedure.ts';
import { summarise } from '../chaos/operator/results.ts';
import type { Reference } from '../chaos/operator/run-plan.ts';
import { runPlanned } from '../chaos/operator/run-test.ts';
import type { WorkloadName } from '../chaos/operator/workloads.ts';
import { startWorld, stopWorld, type World } from '../chaos/operator/world.ts';

/**
 * Test, what it shows, workloads, and the number of plans of each. `npm run chaos operator -- --full` runs all of them.
 */
type ReducedPlan = readonly [string, string, readonly WorkloadName[], number];
type ReducedProcedure = readonly [string, string, Procedure];

const seed = Number(process.env['ORB_CHAOS_SEED'] ?? Date.now() % 1_000_000);

/** A suite with its own control plane; it starts and ends operators at chosen moments. */
export function describeReduced(
  what: string,
  {
    plans = [],
    procedures = [],
  }: { readonly plans?: readonly ReducedPlan[]; readonly procedures?: readonly ReducedProcedure[] },
): void {
  describe(`the operator under faults, ${what} (ORB_CHAOS_SEED=${seed})`, function suite() {
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

    for (const [test, title, workloads, most] of plans)
      it(`${test}: ${title}`, async () => {
        let reached = false;
        // When one in a hundred requests is refused, thirty requests may have no refusal: then use further seeds.
        for (let more = 0; more < 5 && !reached; more += 1) {
          const results = await runPlanned(world, test, { seed: seed + more, most, say, workloads, references });
          const { faults } = summarise(test, { version: world.plane.version, seed: seed + more }, results);
          expect(faults).to.deep.equal([]);
          reached = results.some((result) => result.reached);
        }
        expect(reached).to.equal(true);
      });

    for (const [test, title, procedure] of procedures)
      it(`${test}: ${title}`, async () => {
        const results = await procedure(world, { seed, full: false, say });
        expect(results.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`))).to.deep.equal([]);
      });
  });
}
