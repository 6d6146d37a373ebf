import { median } from '../../../test/support/rank.ts';
import { OverloadedError } from './measurement.ts';
import { SUBJECTS, type Round } from './round.ts';
import { valuesOf } from './within-rounds.ts';

/** performance.md §6. */
const FOREIGN_CORES = 0.5;
const CPU_SHARE = 0.2;
const SHOWN = 3;
/** Too short to judge, and not among the results. */
const WARM_UP = 'warm-up';

/**
 * Why a round is disturbed: other processes used more than half a core during a load, or the CPU of a request is more
 * than a fifth off its median over all rounds.
 * @returns the reasons, empty for a round that can be trusted
 */
export function reasonsOf(round: Round, all: readonly Round[]): readonly string[] {
  const reasons: string[] = [];
  for (const subject of SUBJECTS)
    for (const { name, foreignCores, serverCpu } of round[subject] ?? []) {
      if (name === WARM_UP) continue;
      const where = `${subject}, ${name}`;
      if (foreignCores > FOREIGN_CORES) reasons.push(`${where}: others used ${foreignCores.toFixed(1)} cores`);
      const usual = median(valuesOf(all, [subject, name], (row) => row.serverCpu));
      const off = serverCpu / usual - 1;
      if (Math.abs(off) > CPU_SHARE) reasons.push(`${where}: CPU ${(off * 100).toFixed(0)} % off its median`);
    }
  return reasons;
}

/** The first reasons, for one line: a busy machine disturbs every load of a round. */
function brief(reasons: readonly string[]): string {
  const more = reasons.length - SHOWN;
  return `${reasons.slice(0, SHOWN).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** A round after its repetition, if it had one. */
export interface JudgedRound {
  /** Undefined: it was refused as overload. */
  readonly round: Round | undefined;
  /** Counts from 1. */
  readonly number: number;
  readonly repeated: boolean;
  /** Still disturbed, because of this. */
  readonly reasons: readonly string[];
}

interface Rounds {
  readonly count: number;
  /** @throws OverloadedError the platform refused requests */
  readonly run: (index: number) => Promise<Round>;
  readonly say: (line: string) => void;
}

type Attempt = { readonly round: Round } | { readonly refused: string };

const roundsOf = (attempts: readonly Attempt[]): readonly Round[] =>
  attempts.flatMap((attempt) => ('round' in attempt ? [attempt.round] : []));

const judge = (attempt: Attempt, all: readonly Attempt[]): readonly string[] =>
  'round' in attempt ? reasonsOf(attempt.round, roundsOf(all)) : [attempt.refused];

/**
 * Runs the rounds, then each disturbed round once more. The repetition takes the place of the round, unless it was
 * refused as overload: a disturbed round tells more than none.
 */
export async function runRounds({ count, run, say }: Rounds): Promise<readonly JudgedRound[]> {
  const attempt = (index: number): Promise<Attempt> =>
    run(index).then(
      (round) => ({ round }),
      (error: unknown) => {
        if (error instanceof OverloadedError) return { refused: error.message };
        throw error;
      },
    );
  const first: Attempt[] = [];
  for (let index = 0; index < count; index += 1) {
    first.push(await attempt(index));
    say(`round ${index + 1} of ${count} done`);
  }
  const last = [...first];
  const repeated = new Set<number>();
  for (const [index, one] of first.entries()) {
    const reasons = judge(one, first);
    if (reasons.length === 0) continue;
    say(`round ${index + 1} is disturbed and repeated: ${brief(reasons)}`);
    const again = await attempt(index);
    if ('round' in again || !('round' in one)) last[index] = again;
    repeated.add(index);
  }
  return last.map((one, index) => ({
    round: 'round' in one ? one.round : undefined,
    number: index + 1,
    repeated: repeated.has(index),
    reasons: judge(one, last),
  }));
}

/** What the medians are taken of, and what the reader must know about it. */
export interface Selection {
  readonly rounds: readonly Round[];
  readonly notes: readonly string[];
  /** Whether these rounds are undisturbed. */
  readonly trusted: boolean;
}

/** Leaves out rounds that are disturbed again, as long as the others are the majority. */
export function selectRounds(judged: readonly JudgedRound[]): Selection {
  const notes = judged
    .filter(({ reasons }) => reasons.length > 0)
    .map(
      ({ number, repeated, reasons }) =>
        `DISTURBED round ${number}${repeated ? ', also when repeated' : ''}: ${brief(reasons)}`,
    );
  const measured = judged.flatMap(({ round, reasons }) => (round === undefined ? [] : [{ round, reasons }]));
  const good = measured.filter(({ reasons }) => reasons.length === 0).map(({ round }) => round);
  if (notes.length === 0) return { rounds: good, notes, trusted: true };
  if (good.length * 2 > judged.length) {
    return { rounds: good, notes: [...notes, `The results are of the other ${good.length} rounds.`], trusted: true };
  }
  const warning = `Only ${good.length} of ${judged.length} rounds are undisturbed: the results are of all rounds. Don't compare them.`;
  return { rounds: measured.map(({ round }) => round), notes: [...notes, warning], trusted: false };
}
