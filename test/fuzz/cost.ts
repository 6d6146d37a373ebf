// `npm run fuzz -- cost`, or `node test/fuzz/cost.ts [--policies 10000 --seed N]`: random accepted
// policies on the largest facts. A unit of the compiler's estimate must take at most 0.1 µs, and a decision of a set that fills the budget at most 5 ms.
import { parseArgs } from 'node:util';
import { measureCosts } from '../support/policy-cost.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const MAX_DECISION_MICROS = 5000;

const { values } = parseArgs({
  options: {
    policies: { type: 'string', default: process.env['ORB_PROPERTY_RUNS'] ?? '10000' },
    seed: { type: 'string', default: process.env['ORB_SEED'] ?? '20261120' },
  },
});
const found = measureCosts(Number(values.policies), Number(values.seed));
say(`${found.accepted} policies, ${found.sets} sets that fill the budget, seed ${values.seed}`);
say(`slowest evaluation: ${found.worstShare.toFixed(2)} of its estimate: ${found.worst}`);
say(`slowest decision: ${(found.slowestDecision / 1000).toFixed(2)} ms`);
process.exitCode = found.worstShare <= 1 && found.slowestDecision <= MAX_DECISION_MICROS ? 0 : 1;
