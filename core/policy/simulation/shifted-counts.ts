import type { JsonObject } from '../../json/json-value.ts';
import { member, objectAt } from '../../json/members.ts';
import { laterFacts } from '../facts/build-facts.ts';
import type { Facts } from '../language/port.ts';
import type { RecordedRun } from './recorded-run.ts';

const DAY_MS = 86_400_000;

const textAt = (facts: Facts, root: string, name: string): string => {
  const value = member(objectAt(facts, root), name);
  return typeof value === 'string' ? value : '';
};

/** The counts that a run has, each with the runs that it counts. */
const COUNTS: readonly {
  readonly root: string;
  readonly name: string;
  readonly keyOf: (facts: Facts) => string;
}[] = [
  {
    root: 'caller',
    name: 'runs_today',
    keyOf: (facts) => `caller ${textAt(facts, 'caller', 'tenant')} ${textAt(facts, 'caller', 'id')}`,
  },
  { root: 'orbiset', name: 'runs_today', keyOf: (facts) => `orbiset ${textAt(facts, 'orbiset', 'name')}` },
  {
    root: 'orbiset',
    name: 'orb_runs_today',
    keyOf: (facts) => `orb ${textAt(facts, 'orbiset', 'name')} ${textAt(facts, 'orb', 'orb_id')}`,
  },
];

const dayOf = (facts: Facts): number => Math.floor(Date.parse(textAt(facts, 'run', 'started_at')) / DAY_MS);

/** A count as the replayed policies would have made it. An absent count stays absent: nobody knew it. */
const shifted = (recorded: unknown, by: number): number | undefined =>
  typeof recorded === 'number' && by !== 0 ? Math.max(0, recorded + by) : undefined;

/**
 * Counts of the day as they would be without the runs that the replayed policies deny, and with those that they newly
 * allow (policy.md §6). Kept as differences from the recorded counts, per UTC day: runs outside the window, the filter
 * or the sample count as they were.
 */
export class ShiftedCounts {
  readonly #days = new Map<number, Map<string, number>>();

  /** The run with the counts that it would have; the same object when nothing differs. */
  of(run: RecordedRun): RecordedRun {
    const [first, ...later] = run.snapshots;
    const shifts = first === undefined ? undefined : this.#days.get(dayOf(first.facts));
    if (first === undefined || shifts === undefined) return run;
    let added: JsonObject = {};
    for (const { root, name, keyOf } of COUNTS) {
      const count = shifted(member(objectAt(first.facts, root), name), shifts.get(keyOf(first.facts)) ?? 0);
      if (count !== undefined) added = { ...added, [root]: { ...objectAt(added, root), [name]: count } };
    }
    if (Object.keys(added).length === 0) return run;
    return { ...run, snapshots: [{ ...first, facts: laterFacts(first.facts, added) }, ...later] };
  }

  /** Notes that a run would not have started, or would have. @param by -1 or 1 */
  note(run: RecordedRun, by: number): void {
    const [first] = run.snapshots;
    if (first === undefined || by === 0) return;
    const day = dayOf(first.facts);
    const shifts = this.#days.get(day) ?? new Map<string, number>();
    this.#days.set(day, shifts);
    for (const { keyOf } of COUNTS) {
      const key = keyOf(first.facts);
      shifts.set(key, (shifts.get(key) ?? 0) + by);
    }
    // Runs end in nearly the order of their start, so the days before yesterday are over.
    for (const other of this.#days.keys()) if (other < day - 1) this.#days.delete(other);
  }
}
