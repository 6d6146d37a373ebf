import { writesOf, type Journal, type RequestEntry } from '../journal.ts';
import { objectKey } from '../kube-request.ts';

/** Writes of one object. */
interface WriteCount {
  creates: number;
  /** Updates that changed something. */
  updates: number;
  deletes: number;
  /** 409, whoever made it. */
  conflicts: number;
  /** Succeeded without effect. */
  noops: number;
}

/** `resource ns/name[/subresource]` → writes. */
export type WriteCounts = ReadonlyMap<string, Readonly<WriteCount>>;

type Counted = keyof WriteCount;

/** @returns undefined for a request that had no effect and is no conflict */
function kindOf({ verb, status, shown, changed }: RequestEntry): Counted | undefined {
  if (status === 409 || shown === 409) return 'conflicts';
  if (status < 200 || status >= 300) return undefined;
  if (changed === false) return 'noops';
  if (status === 201) return 'creates';
  return verb === 'delete' || verb === 'deletecollection' ? 'deletes' : 'updates';
}

/** What was written, over all journals of one run: each process that was started has its own. */
export function countWrites(journals: readonly Journal[]): WriteCounts {
  const counts = new Map<string, WriteCount>();
  for (const entry of journals.flatMap((journal) => writesOf(journal))) {
    const kind = kindOf(entry);
    if (kind === undefined) continue;
    const { resource, subresource } = entry;
    const name = `${resource} ${objectKey(entry)}${subresource === undefined ? '' : `/${subresource}`}`;
    const count = counts.get(name) ?? { creates: 0, updates: 0, deletes: 0, conflicts: 0, noops: 0 };
    count[kind] += 1;
    counts.set(name, count);
  }
  return counts;
}

const NONE: Readonly<WriteCount> = { creates: 0, updates: 0, deletes: 0, conflicts: 0, noops: 0 };

/** Conflicts and writes without effect change nothing: listed in the results, no fault (reliability.md §3 b). */
const COMPARED = ['creates', 'updates', 'deletes'] as const;

/** What a run may differ in. */
interface Allowed {
  /**
   * `fewer`: who sees two states as one writes the status once; right for faults that hold answers back. `any`: who sees a
   * state late may write of what is gone, too; right for faults of watches, whose pass figure is the end state alone.
   */
  readonly statusUpdates?: 'equal' | 'fewer' | 'any';
}

/** Oracle b: each object whose number of creates, effective updates or deletes is not that of the run without a fault. */
export function compareWriteCounts(
  reference: WriteCounts,
  found: WriteCounts,
  { statusUpdates = 'equal' }: Allowed = {},
): readonly string[] {
  return [...new Set([...reference.keys(), ...found.keys()])].flatMap((name) => {
    const expected = reference.get(name) ?? NONE;
    const got = found.get(name) ?? NONE;
    // Whoever is faster, the operator or the garbage collector; that it is gone, the end state says.
    const mayBeCollected = (kind: (typeof COMPARED)[number]): boolean =>
      kind === 'deletes' && name.startsWith('rolebindings ') && got.deletes + expected.deletes <= 2;
    const free = statusUpdates !== 'equal' && name.endsWith('/status') && got.updates > 0;
    const differs = (kind: (typeof COMPARED)[number]): boolean =>
      kind === 'updates' && free
        ? statusUpdates === 'fewer' && got[kind] > expected[kind]
        : got[kind] !== expected[kind];
    return COMPARED.filter((kind) => differs(kind) && !mayBeCollected(kind)).map(
      (kind) => `${name}: ${expected[kind]} ${kind} without the fault, ${got[kind]} with it`,
    );
  });
}
