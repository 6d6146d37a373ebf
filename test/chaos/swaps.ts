// `npm run chaos swaps [-- --kills 100 --seed N]`: kill -9 of operators and API at random points while swaps happen by
// hand and by metrics. Then every swap must have happened once, with one Event and one receipt.
import { parseArgs } from 'node:util';
import { storeResult } from './operator/results.ts';
import { startWorld, stopWorld } from './operator/world.ts';
import { seededRandom } from './seeded-random.ts';
import { killSwaps } from './swaps/kill-swaps.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);
// Started processes end with this process, but only on `exit`.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
say(`seed ${seed}, ${values.kills} kills`);
const began = performance.now();
const world = await startWorld('swaps');
try {
  const { faults, ...found } = await killSwaps(world, { kills: Number(values.kills), random: seededRandom(seed), say });
  say(JSON.stringify(found, undefined, 2));
  for (const fault of faults.slice(0, 40)) say(`FAULT ${fault}`);
  say(`${faults.length} faults, ${Math.round((performance.now() - began) / 1000)} s`);
  storeResult(`swaps-${seed}`, { test: 'swaps', version: world.plane.version, seed, ...found, faults });
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await stopWorld(world);
}
