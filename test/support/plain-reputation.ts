import type { EntryOf, LogEntry } from '../../core/log-entry/entry.ts';

/** The version that is scored. */
interface PlainSubject {
  readonly orbId: string;
  readonly manifestDigest: string;
  readonly asOf: string;
}

const RETRACTABLE = ['receipt', 'violation', 'incident', 'test_report', 'audit'];

/** Entries that count: without those that a later retraction names. */
function remaining(log: readonly LogEntry[]): readonly LogEntry[] {
  return log.filter(
    (entry, index) =>
      !RETRACTABLE.includes(entry.kind) ||
      !log.some((other, at) => other.kind === 'retraction' && at > index && other.index === index),
  );
}

function sameLine(a: string, b: string): boolean {
  const [[nameA, versionA], [nameB, versionB]] = [a.split('@'), b.split('@')];
  const [majorA, minorA] = (versionA ?? '').split('.');
  const [majorB, minorB] = (versionB ?? '').split('.');
  return nameA === nameB && majorA === majorB && (majorA !== '0' || minorA === minorB);
}

const dayNumber = (time: string): number => Math.floor(Date.parse(`${time.slice(0, 10)}T00:00:00Z`) / 86_400_000);
const ageOf = (time: string, asOf: string): number => Math.max(0, dayNumber(asOf) - dayNumber(time));

const only = <K extends LogEntry['kind']>(log: readonly LogEntry[], kind: K): readonly EntryOf<K>[] =>
  log.filter((entry): entry is LogEntry & EntryOf<K> => entry.kind === kind);

export interface PlainGroup {
  readonly caller: string;
  readonly epoch: string;
  readonly age_days: number;
  readonly version: string;
  readonly self: boolean;
  runs: number;
  success: number;
  within_slo: number;
}

function plainGroups(receipts: readonly EntryOf<'receipt'>[], subject: PlainSubject): readonly PlainGroup[] {
  const groups: PlainGroup[] = [];
  for (const entry of receipts) {
    if (!['success', 'orb_error', 'timeout'].includes(entry.outcome)) continue;
    const key = {
      caller: entry.caller_tag,
      epoch: entry.finished_at.slice(0, 7),
      age_days: ageOf(entry.finished_at, subject.asOf),
      version: entry.manifest_digest === subject.manifestDigest ? 'same' : 'same_major',
      self: entry.self,
    };
    const same = (group: PlainGroup): boolean =>
      Object.entries(key).every(([name, value]) => Object.entries(group).some(([n, v]) => n === name && v === value));
    let group = groups.find(same);
    if (group === undefined) {
      group = { ...key, runs: 0, success: 0, within_slo: 0 };
      groups.push(group);
    }
    group.runs += 1;
    if (entry.outcome === 'success') group.success += 1;
    if (entry.outcome === 'success' && entry.duration_ms <= entry.slo_ms) group.within_slo += 1;
  }
  const name = (group: PlainGroup): string =>
    [group.caller, group.epoch, String(group.age_days).padStart(9, '0'), group.version, String(group.self)].join(' ');
  return groups.toSorted((a, b) => (name(a) < name(b) ? -1 : 1));
}

function plainIncidents(
  entries: readonly EntryOf<'incident'>[],
  asOf: string,
): readonly { readonly impact: string; readonly age_days: number; readonly open: boolean }[] {
  const ids = [...new Set(entries.map((entry) => entry.incident_id))];
  return ids.flatMap((id) => {
    const last = entries.findLast((entry) => entry.incident_id === id);
    if (last === undefined || !last.attributed || last.event === 'withdrawn') return [];
    const open = last.event !== 'resolved';
    return [{ impact: last.impact, age_days: open ? 0 : ageOf(last.at, asOf), open }];
  });
}

function isOrgSuspended(events: readonly EntryOf<'org'>[]): boolean {
  let suspended = false;
  for (const { event } of events) {
    if (event === 'suspended') suspended = true;
    if (event === 'restored') suspended = false;
  }
  return suspended;
}

export interface PlainInput {
  readonly groups: readonly PlainGroup[];
  readonly tests: {
    readonly required: number;
    readonly passed: number;
    readonly age_days: number;
    readonly digest_match: boolean;
    readonly provenance: string;
  } | null;
  readonly violations: readonly { readonly severity: string; readonly age_days: number }[];
  readonly incidents: readonly { readonly impact: string; readonly age_days: number; readonly open: boolean }[];
  readonly receipts: { readonly total: number; readonly invalid: number; readonly invalid_7d: number };
  readonly suspended: boolean;
  readonly meta: {
    readonly namespace_verified: boolean;
    readonly age_days: number;
    readonly namespace_suspension_age_days: number | null;
    readonly log_witnessed: null;
  };
}

function plainMeta(orgs: readonly EntryOf<'org'>[], published: string | undefined, asOf: string): PlainInput['meta'] {
  const suspension = orgs.findLast(({ event }) => event === 'suspended');
  const last = orgs.at(-1)?.event;
  return {
    namespace_verified: !isOrgSuspended(orgs) && (last === 'verified' || last === 'restored'),
    age_days: published === undefined ? 0 : ageOf(published, asOf),
    namespace_suspension_age_days: suspension === undefined ? null : ageOf(suspension.at, asOf),
    log_witnessed: null,
  };
}

/**
 * The input of the formula, in the form of the vectors, from all entries at once: slow, and independent of
 * `core/reputation`. It follows the text of trust.md §5.2 rule by rule.
 */
export function plainInput(log: readonly LogEntry[], subject: PlainSubject): PlainInput {
  const { orbId, manifestDigest, asOf } = subject;
  const entries = remaining(log);
  const ofLine = <T extends { readonly orb_id: string | null }>(list: readonly T[]): readonly T[] =>
    list.filter((entry) => entry.orb_id !== null && sameLine(entry.orb_id, orbId));
  const report = ofLine(only(entries, 'test_report')).findLast((entry) => entry.manifest_digest === manifestDigest);
  const audits = ofLine(only(entries, 'audit'));
  const young = (days: number): readonly EntryOf<'audit'>[] => audits.filter(({ at }) => ageOf(at, asOf) <= days);
  const orgs = only(entries, 'org').filter(({ org }) => org === orbId.split('.')[0]);
  const [published] = ofLine(only(entries, 'publish'));
  const status = only(entries, 'orb_status').findLast((entry) => entry.orb_id === orbId);
  return {
    groups: plainGroups(ofLine(only(entries, 'receipt')), subject),
    tests:
      report === undefined
        ? null
        : {
            required: report.required,
            passed: report.passed,
            age_days: ageOf(report.tested_at, asOf),
            digest_match: true,
            provenance: report.provenance,
          },
    violations: ofLine(only(entries, 'violation')).map(({ severity, at }) => ({ severity, age_days: ageOf(at, asOf) })),
    incidents: plainIncidents(ofLine(only(entries, 'incident')), asOf),
    receipts: {
      total: young(30).reduce((sum, { checked }) => sum + checked, 0),
      invalid: young(30).reduce((sum, { invalid }) => sum + invalid, 0),
      invalid_7d: young(7).reduce((sum, { invalid }) => sum + invalid, 0),
    },
    suspended: status?.status === 'suspended' || isOrgSuspended(orgs),
    meta: plainMeta(orgs, published?.at, asOf),
  };
}
