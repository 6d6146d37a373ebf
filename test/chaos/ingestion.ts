// `npm run chaos ingestion [-- --kills 100 --seed N]`: kill -9 of a platform that receives, between row and answer,
// between answer and mapping, while it maps, in redrive and in retention. Then each delivery must be mapped once.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignal, withFolder } from '../../hack/bench/clean-end.ts';
import { checkIngestion } from './ingestion/check.ts';
import { ingestRounds } from './ingestion/rounds.ts';
import { seededRandom } from './seeded-random.ts';

const MOST_FAULTS = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [kills, seed] = [Number(values.kills), Number(values.seed)] as const;
if (![kills, seed].every(Number.isSafeInteger) || kills < 1) throw new Error('--kills and --seed are whole numbers');

endOnSignal();
const began = performance.now();
say(`seed ${seed}, ${kills} kills`);
await withFolder(join(tmpdir(), 'orb-chaos-'), async (folder) => {
  const seen = await ingestRounds({ folder, rounds: kills, random: seededRandom(seed), say });
  const { faults, ...counts } = await checkIngestion(folder, seen);
  const rows = [
    ...Object.entries(counts),
    ...Object.entries(seen.struck).map(([aim, hit]) => [`struck at ${aim}`, hit]),
  ];
  for (const [what, count] of [...rows, ['faults', faults.length]])
    say(`${String(what).padEnd(24)} ${String(count).padStart(8)}`);
  for (const fault of faults.slice(0, MOST_FAULTS)) say(`FAULT ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
});
say(`${Math.round((performance.now() - began) / 1000)} s`);
