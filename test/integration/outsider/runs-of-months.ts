import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { EntryOf, LogEntry } from '../../../core/log-entry/entry.ts';
import { ORBS, type DaysAgo } from './published-orbs.ts';

type Outcome = EntryOf<'receipt'>['outcome'];

const CALLERS = 60;
const OLDEST_DAYS = 150;
const SLO_MS = 500;
/** Of a thousand runs, by the rank of the Orb. */
const FAILURES = [1, 10, 50, 300];
const SLOW = [5, 20, 400];
const NOT_COUNTED: readonly Outcome[] = ['policy_denied', 'caller_error', 'platform_error'];

const WEIGHTS = ORBS.map((_, rank) => (rank + 1) ** -1.5);
const TOTAL = WEIGHTS.reduce((sum, weight) => sum + weight, 0);

/** Some Orbs have most of the runs. */
function chosen(point: number): number {
  let left = point * TOTAL;
  return Math.max(
    0,
    WEIGHTS.findIndex((weight) => (left -= weight) < 0),
  );
}

function outcomeOf(rank: number, random: () => number): Outcome {
  const failures = (FAILURES[rank % FAILURES.length] ?? 0) / 1000;
  const point = random();
  if (point < failures) return point < failures / 2 ? 'timeout' : 'orb_error';
  if (point > 0.97) return NOT_COUNTED[Math.floor(random() * NOT_COUNTED.length)] ?? 'caller_error';
  return 'success';
}

/** A caller has another tag each month. */
const tagOf = (caller: number, time: string): string => `ct_${sha256Hex(`${caller} ${time.slice(0, 7)}`).slice(0, 16)}`;

function runOf(number: number, rank: number, daysAgo: DaysAgo, random: () => number): LogEntry {
  const orb = ORBS[rank];
  if (orb === undefined) throw new RangeError(`no Orb ${rank}`);
  const time = daysAgo(Math.min(OLDEST_DAYS, orb.ageDays) * random() ** 3);
  const isSlow = random() < (SLOW[rank % SLOW.length] ?? 0) / 1000;
  return {
    kind: 'receipt',
    receipt_id: `rcpt_${number}`,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    caller_tag: tagOf(Math.floor(random() * CALLERS), time),
    self: random() < 0.03,
    outcome: outcomeOf(rank, random),
    duration_ms: isSlow ? SLO_MS + 1 + Math.floor(random() * 1000) : 1 + Math.floor(random() * SLO_MS),
    slo_ms: SLO_MS,
    finished_at: time,
    jws_sha256: sha256Hex(String(number)),
  };
}

/**
 * A run of the last months, not in the order of time.
 * @param number of the run, its identity
 * @param random numbers 0 ≤ n < 1
 */
export const aRun = (number: number, daysAgo: DaysAgo, random: () => number): LogEntry =>
  runOf(number, chosen(random()), daysAgo, random);

/** A run of a private Orb: the log says of it only that it was. */
export const aPrivateRun = (number: number, at: string): LogEntry => ({
  kind: 'receipt_private',
  receipt_id: `rcpt_private_${number}`,
  finished_at: at,
  jws_sha256: sha256Hex(`private ${number}`),
});

/** Many runs of one caller on one day, a third of them failed: more than one caller may count for. */
export function aBurst(time: string): readonly LogEntry[] {
  const orb = ORBS[1];
  if (orb === undefined) throw new RangeError('no second Orb');
  return Array.from({ length: 150 }, (_, number) => ({
    kind: 'receipt',
    receipt_id: `rcpt_burst_${number}`,
    orb_id: orb.orbId,
    manifest_digest: orb.digest,
    caller_tag: tagOf(CALLERS, time),
    self: false,
    outcome: number % 3 === 0 ? 'timeout' : 'success',
    duration_ms: SLO_MS,
    slo_ms: SLO_MS,
    finished_at: time,
    jws_sha256: sha256Hex(`burst ${number}`),
  }));
}
