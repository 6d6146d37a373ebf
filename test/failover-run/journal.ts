import { latency, type CallerRun } from './load.ts';
import { ORBS } from './orbs.ts';

/** Something that happened, for the timeline. */
interface Entry {
  /** Ms since epoch. */
  readonly at: number;
  /** '' for what is of no one Orb. */
  readonly orb: string;
  readonly what: string;
}

/** What callers of one Orb saw in a quarter of a minute. */
interface Quarter {
  /** Ms since epoch. */
  readonly at: number;
  readonly orb: string;
  readonly runs: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** `alpha`, `beta`, or `alpha 44, beta 31`. */
  readonly providers: string;
}

/** What is promised, and whether it was so. */
interface Check {
  /** '' for what is of all legs. */
  readonly leg: string;
  readonly what: string;
  readonly passed: boolean;
  readonly seen: string;
}

/** Everything that a run of the test shows, printed as it comes. */
export interface Journal {
  readonly began: number;
  readonly entries: readonly Entry[];
  readonly quarters: readonly Quarter[];
  readonly checks: readonly Check[];
  /** What is checked from now on is of this leg. */
  readonly begin: (leg: string) => void;
  readonly record: (what: string, orb?: string, at?: number) => void;
  readonly check: (what: string, passed: boolean, seen: string) => void;
  /** Sums up the callers of each whole quarter that has gone by. */
  readonly sumUp: (runs: readonly CallerRun[]) => void;
}

const QUARTER_MS = 15_000;
/** A slow run is told with those that were asked for at its time. */
const LATE_MS = 3000;

const two = (value: number): string => String(value).padStart(2, '0');

/** `+07:42` */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return `+${two(Math.floor(seconds / 60))}:${two(seconds % 60)}`;
}

function providersText(runs: readonly CallerRun[]): string {
  const counts = new Map<string, number>();
  for (const { provider } of runs) if (provider !== '') counts.set(provider, (counts.get(provider) ?? 0) + 1);
  const sorted = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
  return sorted.length === 1 ? (sorted[0]?.[0] ?? '') : sorted.map(([name, count]) => `${name} ${count}`).join(', ');
}

function quarterOf(at: number, orb: string, runs: readonly CallerRun[]): Quarter {
  const own = runs.filter((run) => run.orb === orb && run.at >= at && run.at < at + QUARTER_MS);
  return {
    at,
    orb,
    runs: own.length,
    failed: own.filter(({ fault }) => fault !== '').length,
    p50Ms: Math.round(latency(own, 0.5)),
    p95Ms: Math.round(latency(own, 0.95)),
    providers: providersText(own),
  };
}

const quarterText = ({ runs, failed, p50Ms, p95Ms, providers }: Quarter): string =>
  `${runs} runs, p50 ${p50Ms} ms, p95 ${p95Ms} ms, ${providers}${failed === 0 ? '' : `, ${failed} FAILED`}`;

export function openJournal(say: (line: string) => void): Journal {
  const began = Date.now();
  const entries: Entry[] = [];
  const quarters: Quarter[] = [];
  const checks: Check[] = [];
  let summed = began;
  let current = '';
  const line = (at: number, orb: string, what: string): void =>
    say(`${clockText(at - began)}  ${orb.padEnd(6)}  ${what}`);
  return {
    began,
    entries,
    quarters,
    checks,
    begin: (leg) => {
      current = leg;
    },
    record: (what, orb = '', at = Date.now()) => {
      entries.push({ at, orb, what });
      line(at, orb, what);
    },
    check: (what, passed, seen) => {
      checks.push({ leg: current, what, passed, seen });
      say(`${passed ? 'ok  ' : 'FAIL'}    ${what}: ${seen}`);
    },
    sumUp: (runs) => {
      for (; summed + QUARTER_MS + LATE_MS <= Date.now(); summed += QUARTER_MS)
        for (const { name } of ORBS) {
          const quarter = quarterOf(summed, name, runs);
          if (quarter.runs === 0) continue;
          quarters.push(quarter);
          line(summed, name, `  ${quarterText(quarter)}`);
        }
    },
  };
}
