import type { Ledger } from '../../../adapters/ledger/port.ts';
import { entryText, type EntryOf, type LogEntry } from '../../../core/log-entry/entry.ts';
import { seeded } from '../../support/seeded.ts';
import { ORBS, publicationOf, testReport, type DaysAgo, type PublishedOrb } from './published-orbs.ts';
import { aBurst, aPrivateRun, aRun } from './runs-of-months.ts';

const DAY_MS = 86_400_000;
/** Entries of one transaction. */
const AT_ONCE = 1000;

const orbAt = (rank: number): PublishedOrb => {
  const orb = ORBS[rank];
  if (orb === undefined) throw new RangeError(`no Orb ${rank}`);
  return orb;
};

type Severity = EntryOf<'violation'>['severity'];
type Incident = EntryOf<'incident'>;

function violation(rank: number, severity: Severity, at: string): LogEntry {
  const { orbId, digest } = orbAt(rank);
  return {
    kind: 'violation',
    orb_id: orbId,
    manifest_digest: digest,
    rule: 'no-secrets',
    severity,
    receipt_id: null,
    at,
  };
}

function audit(rank: number, checked: number, invalid: number, at: string): LogEntry {
  const { orbId, digest } = orbAt(rank);
  return { kind: 'audit', orb_id: orbId, manifest_digest: digest, checked, invalid, at };
}

function incident(
  name: string,
  rank: number | null,
  [impact, event, attributed]: readonly [Incident['impact'], Incident['event'], boolean],
  at: string,
): LogEntry {
  const orbId = rank === null ? null : orbAt(rank).orbId;
  return { kind: 'incident', incident_id: `inc_${name}`, orb_id: orbId, impact, event, attributed, at };
}

const orgEvent = (org: string, event: EntryOf<'org'>['event'], at: string): LogEntry => ({
  kind: 'org',
  org,
  event,
  proof: 'operator',
  at,
});

/** What happened to Orbs and organisations beside runs. The first Orbs are spared, so that high tiers are reached. */
const events = (daysAgo: DaysAgo): readonly LogEntry[] => [
  violation(8, 'low', daysAgo(0)),
  violation(9, 'medium', daysAgo(40)),
  violation(10, 'high', daysAgo(90)),
  violation(11, 'high', daysAgo(91)),
  violation(12, 'critical', daysAgo(30)),
  violation(13, 'critical', daysAgo(31)),
  incident('open', 14, ['critical', 'opened', true], daysAgo(3)),
  incident('major', 15, ['minor', 'opened', true], daysAgo(9)),
  incident('major', 15, ['major', 'updated', true], daysAgo(8)),
  incident('over', 16, ['major', 'opened', true], daysAgo(60)),
  incident('over', 16, ['major', 'resolved', true], daysAgo(50)),
  incident('mistake', 17, ['critical', 'opened', true], daysAgo(5)),
  incident('mistake', 17, ['critical', 'withdrawn', true], daysAgo(4)),
  incident('foreign', 18, ['critical', 'opened', false], daysAgo(2)),
  incident('nobody', null, ['critical', 'opened', true], daysAgo(2)),
  audit(19, 200, 1, daysAgo(7)),
  audit(20, 400, 1, daysAgo(8)),
  audit(21, 10, 10, daysAgo(31)),
  audit(22, 10, 0, daysAgo(1)),
  // A later report of the same bytes counts in place of the first.
  testReport({ ...orbAt(23), passed: 5 }, daysAgo(1), daysAgo(1)),
  testReport({ ...orbAt(24), passed: 10 }, daysAgo(1), daysAgo(1)),
  orgEvent('meadow', 'unverified', daysAgo(1)),
  orgEvent('quarry', 'suspended', daysAgo(100)),
  orgEvent('quarry', 'restored', daysAgo(95)),
  orgEvent('summit', 'suspended', daysAgo(10)),
  orgEvent('summit', 'verified', daysAgo(9)),
];

/** Entries that are then taken out again, and one that stays. */
const disputed = (daysAgo: DaysAgo): readonly LogEntry[] => [
  violation(25, 'critical', daysAgo(1)),
  incident('disputed', 26, ['critical', 'opened', true], daysAgo(1)),
  audit(27, 10, 10, daysAgo(1)),
  testReport({ ...orbAt(28), passed: 0 }, daysAgo(1), daysAgo(1)),
  violation(29, 'high', daysAgo(1)),
];

async function appendAll(ledger: Ledger, entries: readonly LogEntry[]): Promise<number> {
  return ledger.appendEntries(entries.map(entryText));
}

async function publishAll(ledger: Ledger, daysAgo: DaysAgo): Promise<void> {
  const claimed = new Set<string>();
  for (const orb of ORBS) {
    const { kind } = await ledger.publish(publicationOf(orb, daysAgo, !claimed.has(orb.org)));
    if (kind !== 'published') throw new Error(`${orb.orbId}: ${kind}`);
    claimed.add(orb.org);
  }
}

async function setStatus(
  ledger: Ledger,
  rank: number,
  status: 'deprecated' | 'suspended' | 'yanked',
  at: string,
): Promise<void> {
  const { orbId } = orbAt(rank);
  const reason = 'a test';
  const entry: LogEntry = { kind: 'orb_status', orb_id: orbId, status, reason, at };
  const change = { orbId, from: 'active', to: status, reason, entries: [entryText(entry)], revoke: null } as const;
  const { kind } = await ledger.setOrbStatus(change);
  if (kind !== 'done') throw new Error(`${orbId}: ${kind}`);
}

/**
 * Takes entries out, and tries what has no effect: again, another kind, an entry that comes later.
 * @param published index of the first publication's entries
 */
async function retract(ledger: Ledger, indexes: readonly number[], published: number, at: string): Promise<void> {
  const retraction = (index: number): LogEntry => ({ kind: 'retraction', index, reason: 'dispute', at });
  const first = await appendAll(ledger, [...indexes, ...indexes.slice(0, 1)].map(retraction));
  const size = await ledger.logSize();
  const ofOtherKinds = [published, published + 1, first]; // `org`, `publish` and `retraction`
  const ofLaterEntries = [size + 4, size + ofOtherKinds.length + 2];
  await appendAll(ledger, [...ofOtherKinds, ...ofLaterEntries].map(retraction));
  await appendAll(ledger, [violation(30, 'low', at)]);
}

/**
 * Fills a ledger: 56 published versions, runs of 60 callers over five months, violations, incidents, audits, later test
 * reports, suspensions, and retractions of all of them and of some runs.
 * @param runs entries of runs of these Orbs
 * @param now ms since epoch; all times are before it
 */
export async function fillMarketplace(ledger: Ledger, runs: number, now: number): Promise<void> {
  const daysAgo: DaysAgo = (days) => new Date(now - days * DAY_MS).toISOString();
  const random = seeded(15);
  const published = await ledger.logSize();
  await publishAll(ledger, daysAgo);
  const firstRun = await ledger.logSize();
  for (let done = 0; done < runs; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, runs - done);
    await appendAll(
      ledger,
      Array.from({ length: count }, (_, index) => aRun(done + index, daysAgo, random)),
    );
    await appendAll(ledger, [aPrivateRun(done, daysAgo(1)), aPrivateRun(done + 1, daysAgo(0))]);
  }
  await appendAll(ledger, aBurst(daysAgo(1)));
  await appendAll(ledger, events(daysAgo));
  await setStatus(ledger, 31, 'deprecated', daysAgo(1));
  await setStatus(ledger, 32, 'suspended', daysAgo(1));
  await setStatus(ledger, 33, 'yanked', daysAgo(1));
  const taken = await appendAll(ledger, disputed(daysAgo));
  const someRuns = Array.from({ length: 40 }, (_, index) => firstRun + index * 7);
  await retract(ledger, [taken, taken + 1, taken + 2, taken + 3, ...someRuns], published, daysAgo(0));
}

/** Appends entries that change every score, in a log that was evaluated before. */
export async function growMarketplace(ledger: Ledger, now: number): Promise<void> {
  const at = new Date(now).toISOString();
  await appendAll(
    ledger,
    ORBS.map((_, rank) => violation(rank, 'critical', at)),
  );
}
