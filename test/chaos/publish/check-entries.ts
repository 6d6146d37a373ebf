import type { LogEntry } from '../../../core/log-entry/entry.ts';
import type { PlacedEntry } from './read-log.ts';
import { entriesOf, type Track } from './track.ts';

/**
 * Name of the act that an entry is of: a version has one entry of each name. An `audit` entry has no name: a report that
 * was refused or lost is presented again.
 */
function actOf(entry: LogEntry): string | undefined {
  if (entry.kind === 'publish') return 'publish';
  if (entry.kind === 'test_report') return `test_report ${entry.report_sha256}`;
  if (entry.kind === 'orb_status') return `orb_status ${entry.status}`;
  if (entry.kind === 'certificate') return `certificate of ${entry.at.slice(0, 10)}`; // it is renewed each day
  return entry.kind === 'tier_change' ? `tier_change to ${entry.to} ${entry.tier_status}` : undefined;
}

const twice = (names: readonly string[]): readonly string[] => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index)),
];

function orderFaults({ version: { orbId } }: Track, own: readonly PlacedEntry[]): readonly string[] {
  const published = own.find(({ entry }) => entry.kind === 'publish')?.index ?? Number.POSITIVE_INFINITY;
  return own
    .filter(({ index, entry }) => entry.kind !== 'audit' && index < published)
    .map(({ index, entry }) => `${orbId}: entry ${index} is a ${entry.kind} before its publish entry`);
}

function reportFaults({ version: { orbId }, reports }: Track, own: readonly PlacedEntry[]): readonly string[] {
  return own.flatMap(({ index, entry }) =>
    entry.kind === 'test_report' && !reports.has(entry.report_sha256)
      ? [`${orbId}: entry ${index} is a test_report that was never sent`]
      : [],
  );
}

/** Revocations beyond the first of a certificate. */
function revokedTwice(entries: readonly PlacedEntry[]): readonly string[] {
  const revoked = entries.flatMap(({ entry }) => (entry.kind === 'revocation' ? [entry.sha256] : []));
  return twice(revoked).map((sha256) => `the certificate ${sha256} was revoked twice`);
}

const claimedTwice = (entries: readonly PlacedEntry[]): readonly string[] =>
  twice(entries.flatMap(({ entry }) => (entry.kind === 'org' ? [`${entry.org} ${entry.event}`] : []))).map(
    (what) => `two org entries: ${what}`,
  );

/** Acts that the log holds twice, in the wrong order, or that were never asked for. */
export function entryFaults(entries: readonly PlacedEntry[], tracks: readonly Track[]): readonly string[] {
  const ofVersions = tracks.flatMap((track) => {
    const own = entriesOf(track, entries);
    const acts = own.flatMap(({ entry }) => actOf(entry) ?? []);
    const doubled = twice(acts).map((act) => `${track.version.orbId}: two entries for one act: ${act}`);
    return [...doubled, ...orderFaults(track, own), ...reportFaults(track, own)];
  });
  return [...ofVersions, ...revokedTwice(entries), ...claimedTwice(entries)];
}
