// `npm run chaos steps [-- --kills 50 --seed N --only policy,send]`: kill -9 of the platform at each step of a run that R9
// of docs/design/reliability.md names, on one data folder, with a repeat of every killed run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endOnSignal } from '../../hack/bench/clean-end.ts';
import { checkKilled, type KilledLedger } from './check-killed.ts';
import { seededRandom } from './seeded-random.ts';
import { AIMS, STEPS, type Aim, type Step } from './steps/aims.ts';
import { RUN_TIMEOUT_MS, StepKiller, type StepsSeen } from './steps/step-rounds.ts';
import { emptyWitness } from './witness.ts';

const USAGE = `npm run chaos steps [-- --kills 50] [--seed N] [--only STEP,STEP] [--keep]
Kills standalone by SIGKILL at each step of a run, restarts it, and repeats the run with its Idempotency-Key.
  --kills N    kills at each step; default 50
  --seed N     repeats the order of an earlier run
  --only S,S   steps, separated by commas: ${STEPS.join(', ')}
  --keep       keeps the data folder
`;
const USAGE_EXIT = 64;
const MOST_FAULTS = 20;
// The sweeper closes a lost run 60 s after its deadline and runs every 15 s (trust.md §1.5).
const SWEPT_AFTER_MS = 75_000;
const MARGIN_MS = 5000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function usage(problem: string): never {
  process.stderr.write(`${problem}\n${USAGE}`);
  process.exit(USAGE_EXIT);
}

/** Every step so many times, in a random order. */
function aimsOf(kills: number, steps: readonly Step[], random: () => number): readonly Aim[] {
  const all = steps.flatMap((step) => {
    const aims = AIMS.filter((aim) => aim.step === step);
    return Array.from({ length: kills }, (_, number) => aims[number % aims.length] ?? AIMS[0]).flatMap((aim) =>
      aim === undefined ? [] : [{ aim, order: random() }],
    );
  });
  return all.toSorted((one, other) => one.order - other.order).map(({ aim }) => aim);
}

function report(steps: readonly Step[], { killed, stepOf }: StepsSeen, { faults }: KilledLedger): void {
  const lost = new Set(faults);
  const columns = ['kills that hit', 'acknowledged', 'lost', 'receipts a run', 'closed by the sweeper'];
  say(['step'.padEnd(16), ...columns].join('  '));
  for (const step of steps) {
    const runs = killed.filter(({ aim }) => aim.step === step);
    const acknowledged = [...stepOf].filter(([, of]) => of === step).map(([id]) => id);
    const receipts = runs.reduce((sum, run) => sum + run.receipts.size, 0);
    const figures = [
      runs.length,
      acknowledged.length,
      acknowledged.filter((id) => lost.has(`${id} was acknowledged and is lost`)).length,
      receipts / runs.length,
      runs.filter(({ isClosedBySweeper }) => isClosedBySweeper).length,
    ];
    say(
      [step.padEnd(16), ...figures.map((figure, at) => String(figure).padStart(columns[at]?.length ?? 0))].join('  '),
    );
  }
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: STEPS.join(',') },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const named = values.only.split(',');
const steps = STEPS.filter((step) => named.includes(step));
if (steps.length < named.length) usage(`--only takes ${STEPS.join(', ')}`);
const [kills, seed] = [Number(values.kills), Number(values.seed)] as const;
if (![kills, seed].every(Number.isSafeInteger) || kills < 1) usage('--kills and --seed are whole numbers');

endOnSignal();
const folder = mkdtempSync(join(tmpdir(), 'orb-chaos-'));
const seen: StepsSeen = { ...emptyWitness(), killed: [], stepOf: new Map() };
const began = performance.now();
say(`seed ${seed}, ${kills} kills at each of ${steps.length} steps, data in ${folder}`);
const killer = await StepKiller.open({ folder, aims: aimsOf(kills, steps, seededRandom(seed)), seen, say });
try {
  const lastKillAt = await killer.run();
  const platform = await killer.start();
  await delay(Math.max(0, lastKillAt + RUN_TIMEOUT_MS + SWEPT_AFTER_MS + MARGIN_MS - Date.now()));
  await killer.repeatAll(platform);
  const code = await platform.stop();
  if (code !== 0) seen.faults.push(`the last stop ended with ${code}`);
  const ledger = await checkKilled(join(folder, 'data'), seen);
  const faults = ledger.open === 0 ? ledger.faults : [...ledger.faults, `${ledger.open} runs were left open`];
  report(steps, seen, ledger);
  say(
    `${ledger.runs} runs, ${ledger.receipts} receipts, ${ledger.logSize} entries of the log, ${faults.length} faults`,
  );
  for (const fault of faults.slice(0, MOST_FAULTS)) say(`FAULT ${fault}`);
  say(`${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  killer.close();
  if (!values.keep) rmSync(folder, { recursive: true });
}
