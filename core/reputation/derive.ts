import type { EntryOf } from '../log-entry/entry.ts';
import type { DayCounts, DayKey, EventEntry, LogEvent } from './fold.ts';
import type { IncidentEvidence, ReputationInput, RunGroup, TestEvidence, ViolationEvidence } from './input.ts';
import { orgOf } from './line.ts';

const DAY_MS = 86_400_000;

/** Whole days from the day of a time to a day, at least 0. Both begin with `YYYY-MM-DD`, in UTC. */
export const daysBetween = (time: string, asOf: string): number =>
  Math.max(0, (Date.parse(asOf.slice(0, 10)) - Date.parse(time.slice(0, 10))) / DAY_MS);

/** Runs of a line on a day. */
export type DayRow = Omit<DayKey, 'line'> & DayCounts;

/** What the fold holds for one line, without entries that were retracted. */
export interface LineEvidence {
  readonly days: readonly DayRow[];
  /** Of the line, and the `org` entries of its organisation, in the order of the log. */
  readonly events: readonly LogEvent[];
}

/** The version that is scored, and when. */
export interface Subject {
  readonly orbId: string;
  readonly manifestDigest: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** Whether independent witnesses signed the log; null: none are configured. */
  readonly logWitnessed: boolean | null;
}

const compare = <T extends string | number | boolean>(a: T, b: T): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Order of the groups. The sums are floating point, so the order is part of the result. */
const byGroup = (a: RunGroup, b: RunGroup): number =>
  compare(a.caller, b.caller) ||
  compare(a.epoch, b.epoch) ||
  compare(a.age_days, b.age_days) ||
  compare(a.version, b.version) ||
  compare(a.self, b.self);

function groupsOf(days: readonly DayRow[], { manifestDigest, asOf }: Subject): readonly RunGroup[] {
  const groups = new Map<string, RunGroup>();
  for (const row of days) {
    const runs = row.success + row.failed;
    if (runs === 0) continue;
    const group: RunGroup = {
      caller: row.callerTag,
      epoch: row.day.slice(0, 7),
      age_days: daysBetween(row.day, asOf),
      version: row.manifestDigest === manifestDigest ? 'same' : 'same_major',
      self: row.self,
      runs,
      success: row.success,
      within_slo: row.within_slo,
    };
    const key = JSON.stringify([group.caller, group.epoch, group.age_days, group.version, group.self]);
    const known = groups.get(key);
    groups.set(key, known === undefined ? group : added(known, group));
  }
  return [...groups.values()].toSorted(byGroup);
}

const added = (a: RunGroup, b: RunGroup): RunGroup => ({
  ...a,
  runs: a.runs + b.runs,
  success: a.success + b.success,
  within_slo: a.within_slo + b.within_slo,
});

/** An event of one kind, with its place in the log. */
export interface EventOf<K extends EventEntry['kind']> {
  readonly index: number;
  readonly entry: EntryOf<K>;
}

/** Events of one kind, in the order of the log. */
export const eventsOf = <K extends EventEntry['kind']>(events: readonly LogEvent[], kind: K): readonly EventOf<K>[] => {
  const isKind = (event: LogEvent): event is LogEvent & EventOf<K> => event.entry.kind === kind;
  return events.filter(isKind);
};

const ofKind = <K extends EventEntry['kind']>(events: readonly LogEvent[], kind: K): readonly EntryOf<K>[] =>
  eventsOf(events, kind).map(({ entry }) => entry);

function testsOf(events: readonly LogEvent[], { manifestDigest, asOf }: Subject): TestEvidence | null {
  const report = ofKind(events, 'test_report').findLast((entry) => entry.manifest_digest === manifestDigest);
  if (report === undefined) return null;
  const { required, passed, provenance, tested_at: testedAt } = report;
  return { required, passed, age_days: daysBetween(testedAt, asOf), digest_match: true, provenance };
}

/** An incident that lowers the score, by its last entry. */
export interface CountedIncident extends IncidentEvidence {
  readonly index: number;
}

/** Incidents that are attributed to the Orb and not withdrawn, in the order of their first entries. */
export function countedIncidents(events: readonly LogEvent[], asOf: string): readonly CountedIncident[] {
  const last = new Map<string, EventOf<'incident'>>();
  for (const event of eventsOf(events, 'incident')) last.set(event.entry.incident_id, event);
  const counted = [...last.values()].filter(({ entry }) => entry.attributed && entry.event !== 'withdrawn');
  return counted.map(({ index, entry: { impact, event, at } }) => {
    const open = event !== 'resolved';
    return { index, impact, age_days: open ? 0 : daysBetween(at, asOf), open };
  });
}

const incidentsOf = (events: readonly LogEvent[], asOf: string): readonly IncidentEvidence[] =>
  countedIncidents(events, asOf).map(({ index: _index, ...incident }) => incident);

const violationsOf = (events: readonly LogEvent[], asOf: string): readonly ViolationEvidence[] =>
  ofKind(events, 'violation').map(({ severity, at }) => ({ severity, age_days: daysBetween(at, asOf) }));

/** Days for which audits count. */
export const AUDIT_DAYS = 30;

function receiptsOf(events: readonly LogEvent[], asOf: string): ReputationInput['receipts'] {
  const audits = ofKind(events, 'audit').map((entry) => ({ ...entry, age: daysBetween(entry.at, asOf) }));
  const sum = (member: 'checked' | 'invalid', days: number): number =>
    audits.filter(({ age }) => age <= days).reduce((total, audit) => total + audit[member], 0);
  return { total: sum('checked', AUDIT_DAYS), invalid: sum('invalid', AUDIT_DAYS), invalid_7d: sum('invalid', 7) };
}

/** What the `org` entries of an organisation say. */
interface OrgStanding {
  readonly verified: boolean;
  /** Suspended and not restored: a later `verified` does not end a suspension. */
  readonly suspended: boolean;
  /** Time of the last suspension. */
  readonly lastSuspension: string | null;
}

/** State of an organisation after these entries, in the order of the log (trust.md §5.2). */
function standingOf(entries: readonly EntryOf<'org'>[]): OrgStanding {
  const suspension = entries.findLast(({ event }) => event === 'suspended' || event === 'restored');
  const suspended = suspension?.event === 'suspended';
  const last = entries.at(-1)?.event;
  return {
    verified: !suspended && (last === 'verified' || last === 'restored'),
    suspended,
    lastSuspension: entries.findLast(({ event }) => event === 'suspended')?.at ?? null,
  };
}

/** Computes the input of the formula for one version at one day (trust.md §5.2). */
export function deriveInput({ days, events }: LineEvidence, subject: Subject): ReputationInput {
  const { orbId, asOf, logWitnessed } = subject;
  const org = standingOf(ofKind(events, 'org').filter((entry) => entry.org === orgOf(orbId)));
  const status = ofKind(events, 'orb_status').findLast((entry) => entry.orb_id === orbId);
  const first = ofKind(events, 'publish').at(0);
  return {
    groups: groupsOf(days, subject),
    tests: testsOf(events, subject),
    violations: violationsOf(events, asOf),
    incidents: incidentsOf(events, asOf),
    receipts: receiptsOf(events, asOf),
    suspended: status?.status === 'suspended' || org.suspended,
    meta: {
      namespace_verified: org.verified,
      age_days: first === undefined ? 0 : daysBetween(first.at, asOf),
      namespace_suspension_age_days: org.lastSuspension === null ? null : daysBetween(org.lastSuspension, asOf),
      log_witnessed: logWitnessed,
    },
  };
}
