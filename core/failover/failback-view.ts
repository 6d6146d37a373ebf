import type { FailoverStatus, ResolvedSwapConfig } from './types.ts';

/** Reasons why an Orb does not go back to its primary. */
export const BLOCKS = ['no_primary', 'manual_mode', 'metrics', 'pin', 'freeze', 'ramp', 'streak', 'hold_down'] as const;
type FailbackBlock = (typeof BLOCKS)[number];

/** The data that a failback depends on (failover.md §5.3 rule 5). Times in ms since epoch. */
export interface FailbackInput {
  readonly now: number;
  readonly config: ResolvedSwapConfig;
  readonly active: string;
  /** Whether the primary has an execution. */
  readonly primaryResolved: boolean;
  readonly failover: Pick<FailoverStatus, 'holds' | 'frozen' | 'ramp'> | undefined;
  /** End of the pin that is followed. */
  readonly pinnedUntil: number | undefined;
  /** Time and streak of the last evaluation; undefined when unknown. */
  readonly evaluation: { readonly at: number; readonly recovered: number } | undefined;
}

export interface FailbackView {
  /** The failback waits only for the next evaluation, or for a person with `failback.mode: manual`. */
  readonly ready: boolean;
  /** Earliest time, ms since epoch; null when it is unknown or a failback needs another change first. */
  readonly nextPossible: number | null;
  readonly blockedBy: readonly FailbackBlock[];
}

const NOT_AWAY: FailbackView = { ready: false, nextPossible: null, blockedBy: [] };

/** Blocks that do not end with time. */
const UNTIMED: ReadonlySet<FailbackBlock> = new Set(['no_primary', 'manual_mode', 'metrics', 'ramp']);

/** Number of good evaluations that are missing; without probes the end of the hold is enough. */
function missingStreak({ config, evaluation }: FailbackInput): number {
  if (config.probe.mode === 'none' || evaluation === undefined) return 0;
  return Math.max(0, config.failback.consecutive - evaluation.recovered);
}

/** Time at which the missing evaluations are made, if they are good. */
function streakEnd(input: FailbackInput): number {
  const missing = missingStreak(input);
  if (missing === 0) return 0;
  const { now, config, evaluation } = input;
  return Math.max((evaluation?.at ?? now) + missing * config.latency.evaluationIntervalMs, now + 1);
}

/** Each block that ends with time, and when it ends. */
function waits(input: FailbackInput): readonly (readonly [block: FailbackBlock, until: number])[] {
  const { now, config, failover, pinnedUntil = 0 } = input;
  const { holds = [], frozen = null } = failover ?? {};
  const all: readonly (readonly [FailbackBlock, number])[] = [
    ['pin', pinnedUntil],
    ['freeze', frozen?.until ?? 0],
    ['streak', streakEnd(input)],
    ['hold_down', holds.find(({ provider }) => provider === config.primary)?.until ?? 0],
  ];
  return all.filter(([, until]) => until > now);
}

function untimed({ config, primaryResolved, failover, evaluation }: FailbackInput): readonly FailbackBlock[] {
  const all: readonly (readonly [FailbackBlock, boolean])[] = [
    ['no_primary', !primaryResolved],
    ['manual_mode', config.failback.mode === 'manual'],
    ['metrics', evaluation === undefined],
    ['ramp', failover?.ramp?.trial === true],
  ];
  return all.flatMap(([block, holds]) => (holds ? [block] : []));
}

/**
 * Whether and when an Orb may go back to its primary. It is derived from the last evaluation for people to read, and is
 * never used for a decision. The earliest time assumes that the primary stays as healthy as it is.
 */
export function failbackView(input: FailbackInput): FailbackView {
  const { now, config, active, failover } = input;
  const underWay = failover?.ramp !== null && failover?.ramp !== undefined && !failover.ramp.trial;
  if (active === config.primary || underWay) return NOT_AWAY;
  const timed = waits(input);
  const blockedBy = [...untimed(input), ...timed.map(([block]) => block)];
  const lasting = blockedBy.filter((block) => UNTIMED.has(block));
  return {
    ready: blockedBy.every((block) => block === 'manual_mode'),
    nextPossible: lasting.length > 0 ? null : Math.max(now, ...timed.map(([, until]) => until)),
    blockedBy,
  };
}
