import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withFolder } from '../../../hack/bench/clean-end.ts';
import { checkKilled } from '../check-killed.ts';
import { startWorld, stopWorld } from '../operator/world.ts';
import { emptyWitness, type Observations } from '../witness.ts';
import { policiesWhileAway, setFaults } from './away.ts';
import { changeRounds } from './changes/change-rounds.ts';
import { openClusterSubject } from './changes/cluster-subject.ts';
import { openStandaloneSubject } from './changes/standalone-subject.ts';
import type { ChangeSubject } from './changes/subject.ts';
import { checkDecisions } from './check-decisions.ts';
import { countPoints, missedPoints, type PointCount } from './points.ts';
import { policyRounds, RUN_TIMEOUT_MS } from './policy-rounds.ts';

/** What is killed, and while it does what. */
export const MODES = ['decisions', 'changes', 'cluster', 'away'] as const;
export type Mode = (typeof MODES)[number];

export interface ModeOptions {
  readonly kills: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly say: (line: string) => void;
}

/** The result of one mode. */
export interface KilledPolicies {
  readonly rows: readonly (readonly [what: string, count: number])[];
  /** The points that kills were aimed at. */
  readonly points: readonly PointCount[];
  /** Empty when nothing was lost, doubled or let through, and every point was hit. */
  readonly faults: readonly string[];
}

// The sweeper closes a lost run 60 s after its deadline and runs every 15 s (trust.md §1.5).
const SWEPT_AFTER_MS = 77_000;
/** Runs that every replay decides again, so that a kill can hit it while it works. */
const SEED_RUNS = 400;
const WATCH_AWAY_MS = 600_000;
const LEDGER_AWAY_MS = 30_000;
const FOLDER = join(tmpdir(), 'orb-chaos-');

/** Kills at the decisions of runs, on one data folder of standalone. */
const killDecisions = ({ kills, random, say }: ModeOptions): Promise<KilledPolicies> =>
  withFolder(FOLDER, async (folder) => {
    const observed = emptyWitness();
    const seen = await policyRounds(
      { folder, rounds: kills, random, seen: observed, say },
      async (platform, lastKillAt) => {
        await delay(lastKillAt + RUN_TIMEOUT_MS + SWEPT_AFTER_MS - Date.now());
        const code = await platform.stop();
        if (code !== 0) observed.faults.push(`the last stop ended with ${code}`);
      },
    );
    const data = join(folder, 'data');
    const ledger = await checkKilled(data, seen);
    const found = await checkDecisions(data, seen);
    const points = countPoints(found.kills);
    const open = ledger.open === 0 ? [] : [`${ledger.open} runs were left open`];
    return {
      rows: [
        ['answers with a receipt', seen.answers.size],
        ['runs', ledger.runs],
        ['decisions', found.decisions],
        ...Object.entries(found.denied).map(([phase, count]) => [`  denied in ${phase}`, count] as const),
        ['calls of the provider', seen.called.size],
        ['receipts', ledger.receipts],
        ['  closed by the sweeper', ledger.swept],
        ...Object.entries(found.struck).map(([where, count]) => [`struck at ${where}`, count] as const),
      ],
      points,
      faults: [...ledger.faults, ...found.faults, ...open, ...missedPoints(points)],
    };
  });

async function killChanges(
  subject: ChangeSubject,
  seen: Observations,
  { kills, random, say }: ModeOptions,
): Promise<KilledPolicies> {
  try {
    const { struck, kills: struckAt } = await changeRounds({
      subject,
      rounds: kills,
      random,
      seen,
      say,
      runs: SEED_RUNS,
    });
    const ledger = await checkKilled(subject.data, seen, subject.namespace);
    const points = countPoints(struckAt);
    return {
      rows: [
        ['answers with a receipt', seen.acknowledged.size],
        ['receipts', ledger.receipts],
        ...[...struck].map(([where, count]) => [`struck at ${where}`, count] as const),
      ],
      points,
      faults: [...ledger.faults, ...missedPoints(points)],
    };
  } finally {
    await subject.close();
  }
}

/** Kills of standalone while policies are replayed, promoted, replaced, approved for and deleted. */
const killStandalone = (options: ModeOptions): Promise<KilledPolicies> =>
  withFolder(FOLDER, async (folder) => killChanges(await openStandaloneSubject(folder), emptyWitness(), options));

/** The same for the API of a cluster, also around each write to an object. */
const killCluster = (options: ModeOptions): Promise<KilledPolicies> =>
  withFolder(FOLDER, async (folder) => {
    // Everything that the control plane and the processes put aside goes with this folder, however the run ends.
    process.env['TMPDIR'] = folder;
    const { plane, ...world } = await startWorld('policies');
    try {
      const seen = emptyWitness();
      return await killChanges(await openClusterSubject(plane, world.namespace, seen.faults), seen, options);
    } finally {
      await stopWorld({ plane, ...world });
    }
  });

/** The API server is away for ten minutes, and the ledger for half a minute; no operator runs. Nothing is killed. */
const takeAway = ({ say }: ModeOptions): Promise<KilledPolicies> =>
  withFolder(FOLDER, async (folder) => {
    process.env['TMPDIR'] = folder;
    const { plane, ...world } = await startWorld('policies');
    try {
      const seen = emptyWitness();
      const subject = await openClusterSubject(plane, world.namespace, seen.faults);
      try {
        const absences = await policiesWhileAway({
          subject,
          seen,
          watchMs: WATCH_AWAY_MS,
          ledgerMs: LEDGER_AWAY_MS,
          say,
        });
        const { faults, receipts } = await checkKilled(subject.data, absences.seen, world.namespace);
        const found = await checkDecisions(subject.data, absences.seen, world.namespace);
        return {
          rows: [
            ['receipts', receipts],
            ['  of runs while the API server was away', absences.away.length],
            ...Object.entries(found.denied).map(([phase, count]) => [`  denied in ${phase}`, count] as const),
            ['runs refused while the ledger was away', absences.unrecorded.length],
          ],
          points: [],
          faults: [...faults, ...found.faults, ...(await setFaults(subject.data, world.namespace, absences))],
        };
      } finally {
        await subject.close();
      }
    } finally {
      await stopWorld({ plane, ...world });
    }
  });

export const KILL: Readonly<Record<Mode, (options: ModeOptions) => Promise<KilledPolicies>>> = {
  decisions: killDecisions,
  changes: killStandalone,
  cluster: killCluster,
  away: takeAway,
};
