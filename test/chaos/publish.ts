// `npm run chaos publish [-- --kills 200 --seed N --only standalone|cluster]`: kill -9 at every step of publishing,
// testing again, deprecating and yanking, over HTTP and with objects of a cluster, also while the Kubernetes API is away.
// Then each act must be done once and whole, or have left nothing.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignal, withFolder } from '../../hack/bench/clean-end.ts';
import { checkKilled } from './check-killed.ts';
import { storeResult } from './operator/results.ts';
import { startWorld, stopWorld } from './operator/world.ts';
import { openClusterSubject } from './publish/cluster-subject.ts';
import { PublishRounds } from './publish/publish-rounds.ts';
import { openStandaloneSubject } from './publish/standalone-subject.ts';
import type { Aim } from './publish/aims.ts';
import { stepsNeverHit, type StepCount } from './publish/steps.ts';
import { seededRandom } from './seeded-random.ts';
import { emptyWitness, type Observations } from './witness.ts';

const USAGE = `npm run chaos publish [-- --kills 200] [--seed N] [--only standalone|cluster]
Kills the platform by SIGKILL at every step of a publication, restarts it, and checks what is left.
  --kills N   of both modes together: three of four are of standalone; default 200
  --seed N    repeats the choices of an earlier run
  --only M    one mode gets all kills
  --within S  seconds until everything of a version must be there after a restart; default 60
`;
/** A shorter run does not have to hit every step. In one of the modes is enough: both have most steps. */
const ALL_STEPS_KILLS = 150;
const MODES = ['standalone', 'cluster'] as const;
type Mode = (typeof MODES)[number];
const USAGE_EXIT = 64;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The result of one mode. */
interface Killed {
  /** How often each step was hit. */
  readonly steps: readonly StepCount[];
  readonly counts: readonly (readonly [string, number])[];
  readonly faults: readonly string[];
}

interface Finished {
  readonly rounds: PublishRounds;
  readonly aims: readonly Aim[];
  readonly seen: Observations;
  /** Folder of the platform's data. */
  readonly data: string;
  readonly tenant: string;
}

async function killed({ rounds, aims, seen, data, tenant }: Finished): Promise<Killed> {
  const ledger = await checkKilled(data, seen, tenant);
  const steps = rounds.counts.rows([...new Set(aims.map(({ kind }) => kind))]);
  return {
    steps,
    counts: [
      ['versions listed', rounds.tracks.all().filter(({ isListed }) => isListed).length],
      ['entries in the log', ledger.logSize],
      ['checkpoints served and recomputed', ledger.signed],
    ],
    faults: ledger.faults,
  };
}

/** The kills of one mode. */
interface Run {
  readonly kills: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly withinMs: number;
}

async function killStandalone({ kills, random, withinMs }: Run): Promise<Killed> {
  return withFolder(join(tmpdir(), 'orb-chaos-'), async (folder) => {
    const subject = await openStandaloneSubject(folder);
    const seen = emptyWitness();
    const rounds = new PublishRounds({ subject, random, seen, say, withinMs });
    try {
      await rounds.run(kills);
      return await killed({ rounds, aims: subject.aims, seen, data: subject.data, tenant: 'default' });
    } finally {
      await subject.close();
    }
  });
}

async function killCluster({ kills, random, withinMs }: Run): Promise<Killed> {
  return withFolder(join(tmpdir(), 'orb-chaos-'), async (folder) => {
    // Everything that the control plane and the processes put aside goes with this folder, however the run ends.
    process.env['TMPDIR'] = folder;
    const world = await startWorld('publish');
    try {
      const seen = emptyWitness();
      const subject = await openClusterSubject(world, random, seen.faults);
      const rounds = new PublishRounds({ subject, random, seen, say, withinMs });
      try {
        await rounds.run(kills);
        return await killed({ rounds, aims: subject.aims, seen, data: subject.data, tenant: world.namespace });
      } finally {
        await subject.close();
      }
    } finally {
      await stopWorld(world);
    }
  });
}

const RUN: Readonly<Record<Mode, (run: Run) => Promise<Killed>>> = {
  standalone: killStandalone,
  cluster: killCluster,
};

function killsOf(kills: number, only: Mode | undefined): readonly (readonly [Mode, number])[] {
  if (only !== undefined) return [[only, kills]];
  const clustered = Math.floor(kills / 4);
  return [
    ['standalone', kills - clustered],
    ['cluster', clustered],
  ];
}

function usage(problem: string): never {
  process.stderr.write(`${problem}\n${USAGE}`);
  process.exit(USAGE_EXIT);
}

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
    within: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const only = MODES.find((mode) => mode === values.only);
if (values.only !== undefined && only === undefined) usage(`there is no mode "${values.only}"`);
const [kills, seed, withinMs] = [Number(values.kills), Number(values.seed), Number(values.within) * 1000] as const;
if (![kills, seed, withinMs].every(Number.isSafeInteger) || kills < 1 || withinMs < 1)
  usage('--kills, --seed and --within are whole numbers');

endOnSignal();
const random = seededRandom(seed);
const began = performance.now();
say(`seed ${seed}, ${kills} kills`);
const results = new Map<Mode, Killed>();
for (const [mode, count] of killsOf(kills, only).filter(([, some]) => some > 0)) {
  say(`${mode}: ${count} kills`);
  results.set(mode, await RUN[mode]({ kills: count, random, withinMs }));
}
for (const [mode, { steps, counts, faults }] of results) {
  for (const [what, count] of [...steps, ...counts, ['faults', faults.length] as const])
    say(`${mode.padEnd(12)} ${what.padEnd(56)} ${String(count).padStart(6)}`);
  for (const fault of faults.slice(0, 40)) say(`FAULT ${fault}`);
}
const missed = kills < ALL_STEPS_KILLS ? [] : stepsNeverHit([...results.values()].flatMap(({ steps }) => steps));
for (const step of missed) say(`FAULT no kill hit the step ${step}`);
say(`${Math.round((performance.now() - began) / 1000)} s`);
storeResult(`publish-${seed}`, { test: 'publish', seed, kills, missed, results: Object.fromEntries(results) });
process.exitCode = missed.length === 0 && [...results.values()].every(({ faults }) => faults.length === 0) ? 0 : 1;
