import type { Ledger } from '../../adapters/ledger/port.ts';
import type { DayRow, LineEvidence } from '../../core/reputation/derive.ts';
import { foldEntry, type DayCounts, type DayKey, type FoldTables, type LogEvent } from '../../core/reputation/fold.ts';

type Counts = { -readonly [Name in keyof DayCounts]: number };

interface MemoryDay {
  readonly key: DayKey;
  readonly counts: Counts;
}

interface MemoryEvent {
  readonly event: LogEvent;
  readonly line: string | null;
  readonly org: string;
}

/** What a log folds into, in maps. */
interface FoldedLog {
  readonly lines: readonly string[];
  readonly evidence: (line: string, org: string) => LineEvidence;
  readonly retracted: ReadonlySet<number>;
}

const idOf = ({ manifestDigest, callerTag, day, self }: Omit<DayKey, 'line'>): string =>
  [manifestDigest, callerTag, day, self ? 1 : 0].join('\0');

const byId = (a: DayRow, b: DayRow): number => (idOf(a) < idOf(b) ? -1 : 1);

/** Folds a whole log, entry by entry. */
function foldInMemory(entries: readonly string[]): FoldedLog {
  const days = new Map<string, MemoryDay>();
  const events = new Map<number, MemoryEvent>();
  const retracted = new Set<number>();
  const tables: FoldTables = {
    addRuns: (key, counts) => {
      const id = `${key.line}\0${idOf(key)}`;
      const none = { success: 0, within_slo: 0, failed: 0, caller_error: 0, platform_error: 0, policy_denied: 0 };
      const day = days.get(id) ?? { key, counts: none };
      days.set(id, day);
      day.counts.success += counts.success ?? 0;
      day.counts.within_slo += counts.within_slo ?? 0;
      day.counts.failed += counts.failed ?? 0;
      day.counts.caller_error += counts.caller_error ?? 0;
      day.counts.platform_error += counts.platform_error ?? 0;
      day.counts.policy_denied += counts.policy_denied ?? 0;
    },
    addEvent: (event, line, org) => void events.set(event.index, { event, line, org }),
    retractEvent: (index) => void events.delete(index),
    entryAt: (index) => entries[index],
    noteRetraction: (index) => {
      const isNew = !retracted.has(index);
      retracted.add(index);
      return isNew;
    },
  };
  entries.forEach((entry, index) => foldEntry(tables, index, entry));
  return {
    lines: [
      ...new Set(
        [...days.values()].map(({ key }) => key.line).concat([...events.values()].flatMap(({ line }) => line ?? [])),
      ),
    ],
    retracted,
    evidence: (line, org) => ({
      days: [...days.values()]
        .filter(({ key }) => key.line === line)
        .map(({ key: { line: _line, ...key }, counts }) => ({ ...key, ...counts }))
        .toSorted(byId),
      events: [...events.values()]
        .filter((one) => one.line === line || (one.event.entry.kind === 'org' && one.org === org))
        .map(({ event }) => event),
    }),
  };
}

async function allEntries(ledger: Pick<Ledger, 'entries' | 'logSize'>): Promise<readonly string[]> {
  const size = await ledger.logSize();
  const all: string[] = [];
  while (all.length < size) all.push(...(await ledger.entries(all.length, size)));
  return all;
}

type Folding = Pick<Ledger, 'entries' | 'logSize' | 'lineEvidence' | 'isRetracted'>;

/** What the tables of a ledger hold, and what they should: its own log, folded in memory. */
export async function foldedTwice(ledger: Folding): Promise<readonly [found: unknown, expected: unknown]> {
  const entries = await allEntries(ledger);
  const folded = foldInMemory(entries);
  const found = new Map<string, LineEvidence>();
  const expected = new Map<string, LineEvidence>();
  for (const line of folded.lines) {
    const org = line.slice(0, line.indexOf('.'));
    const { days, events } = await ledger.lineEvidence(line, org);
    found.set(line, { days, events });
    expected.set(line, folded.evidence(line, org));
  }
  const retracted = await Promise.all(entries.map((_, index) => ledger.isRetracted(index)));
  const indexes = entries.map((_, index) => folded.retracted.has(index));
  return [
    [found, retracted],
    [expected, indexes],
  ];
}
