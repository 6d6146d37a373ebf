import { median } from '../../../test/support/rank.ts';
import { runRounds, selectRounds } from './disturbance.ts';
import { callersName, type Row } from './measurement.ts';
import type { Round } from './round.ts';
import { PAGE } from './recorded-ratio.ts';
import { compared, spread } from './within-rounds.ts';

/** Below this share of the recorded ratio the cause is a change of the code, not a busy machine. */
const BOUND = 0.5;
const NAME = callersName(32);

interface ShortRun {
  readonly count: number;
  readonly run: (index: number) => Promise<Round>;
  /** Rate at 32 callers ÷ pass-through, from the page. */
  readonly recorded: number;
  readonly print: (line: string) => void;
}

const shown = (row: Row | undefined): string =>
  row === undefined
    ? '–'
    : `${row.rps.toFixed(0)}/s, CPU ${row.serverCpu.toFixed(0)} µs, others ${row.foreignCores.toFixed(1)} cores`;

/**
 * The check at the end of CI: the rate at 32 callers ÷ pass-through, compared with what the page records. The median
 * counts. When most rounds are disturbed, also after their repetition, the best round counts: slower code is slow in
 * every round, a busy machine is not.
 * @returns whether it is at least half of what the page records
 */
export async function shortRun({ count, run, recorded, print }: ShortRun): Promise<boolean> {
  const judged = await runRounds({ count, run, say: print });
  for (const { round, number, repeated } of judged) {
    const of = (subject: 'platform' | 'pass-through'): string =>
      shown(round?.[subject]?.find((row) => row.name === NAME));
    print(
      `round ${number}${repeated ? ', repeated' : ''}: platform ${of('platform')}; pass-through ${of('pass-through')}`,
    );
  }
  const { rounds, notes, trusted } = selectRounds(judged);
  for (const note of notes) print(note);
  const pair = [
    ['platform', NAME],
    ['pass-through', NAME],
  ] as const;
  const ratios = compared(rounds, pair, (platform, floor) => platform.rps / floor.rps);
  const bound = recorded * BOUND;
  const passed = (trusted ? median(ratios) : Math.max(...ratios)) >= bound;
  print(
    `rate at 32 callers ÷ pass-through: ${spread(ratios, 3)}; ${PAGE} records ${recorded}, ` +
      `${passed ? 'passed' : 'FAILED'}: ${trusted ? 'the median' : 'the best round'} must be at least ${bound.toFixed(3)}`,
  );
  return passed;
}
