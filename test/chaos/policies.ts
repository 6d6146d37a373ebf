// `npm run chaos policies [-- --kills 80 --seed N --only decisions|changes|cluster|away]`: kill -9 of a platform whose policies
// deny runs before, at and after their call; and while policies are replayed, promoted, replaced, approved for and
// deleted, in standalone and on a cluster. At the end it counts the kills, point by point.
import { parseArgs } from 'node:util';
import { endOnSignal } from '../../hack/bench/clean-end.ts';
import { KILL, MODES, type KilledPolicies, type Mode } from './policies/modes.ts';
import { pointTable, type PointCount } from './policies/points.ts';
import { seededRandom } from './seeded-random.ts';

const USAGE = `npm run chaos policies [-- --kills 80] [--seed N] [--only decisions|changes|cluster|away]
Kills a platform with policies by SIGKILL, restarts it, and checks what is left.
  --kills N   half of them at the decisions of runs, and a quarter each at changes of policies, in standalone and on a
              cluster; default 80
  --seed N    repeats the choices of an earlier run
  --only M    one mode gets all kills; away kills nothing: the API server is away for ten minutes, then the ledger
`;
const USAGE_EXIT = 64;
const MOST_FAULTS = 20;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function usage(problem: string): never {
  process.stderr.write(`${problem}\n${USAGE}`);
  process.exit(USAGE_EXIT);
}

/** How many kills each mode gets. */
function killsOf(kills: number, only: Mode | undefined): readonly (readonly [Mode, number])[] {
  if (only !== undefined) return [[only, kills]];
  const quarter = Math.floor(kills / 4);
  return [
    ['decisions', kills - 2 * quarter],
    ['changes', quarter],
    ['cluster', quarter],
  ];
}

function report(mode: Mode, { rows, faults }: KilledPolicies): void {
  for (const [what, count] of [...rows, ['faults', faults.length] as const])
    say(`${mode.padEnd(10)} ${what.padEnd(64)} ${String(count).padStart(6)}`);
  for (const fault of faults.slice(0, MOST_FAULTS)) say(`FAULT ${fault}`);
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '80' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const only = MODES.find((mode) => mode === values.only);
if (values.only !== undefined && only === undefined) usage(`there is no mode "${values.only}"`);
const [kills, seed] = [Number(values.kills), Number(values.seed)] as const;
if (![kills, seed].every(Number.isSafeInteger) || kills < 1) usage('--kills and --seed are whole numbers');

endOnSignal();
const random = seededRandom(seed);
const began = performance.now();
say(`seed ${seed}, ${kills} kills`);
let faults = 0;
const points: PointCount[] = [];
for (const [mode, count] of killsOf(kills, only).filter(([, some]) => some > 0)) {
  say(`${mode}: ${count} kills`);
  const killed = await KILL[mode]({ kills: count, random, say });
  report(mode, killed);
  faults += killed.faults.length;
  points.push(...killed.points.map((one) => (mode === 'cluster' ? { ...one, point: `${one.point}, cluster` } : one)));
}
if (points.length > 0) for (const line of pointTable(points)) say(line);
say(`${Math.round((performance.now() - began) / 1000)} s`);
process.exitCode = faults === 0 ? 0 : 1;
