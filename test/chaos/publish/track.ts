import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { jcs } from '../../../core/json/jcs.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { LogEntry } from '../../../core/log-entry/entry.ts';
import type { PlacedEntry } from './read-log.ts';
import type { Version } from './version.ts';

/** States that the test gives a version. */
export type Status = 'active' | 'deprecated' | 'yanked';

/** A version, and what was asked for it. */
export interface Track {
  readonly version: Version;
  /** SHA-256 of every report that was sent, in hex. */
  readonly reports: Set<string>;
  /** The status that it must have by all that is known. */
  status: Status;
  /** It is listed: from now on it may never be missing. */
  isListed: boolean;
  /** A check found that it lacks something: it is not used any more. */
  isBroken: boolean;
}

export const newTrack = (version: Version): Track => ({
  version,
  reports: new Set(),
  status: 'active',
  isListed: false,
  isBroken: false,
});

/** `report_sha256` of a submission (trust.md §8.4). */
export const reportDigestOf = ({ test_results: report = null }: JsonObject): string => sha256Hex(jcs(report));

/** Whether an entry is about a version. */
const isOf = (entry: LogEntry, orbId: string): boolean => 'orb_id' in entry && entry.orb_id === orbId;

/** Entries that name a version, in the order of the log. */
export const entriesOf = (
  { version }: Pick<Track, 'version'>,
  entries: readonly PlacedEntry[],
): readonly PlacedEntry[] => entries.filter(({ entry }) => isOf(entry, version.orbId));
