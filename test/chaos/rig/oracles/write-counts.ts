import { writesOf, type Journal, type RequestEntry } from '../journal.ts';
import { objectKey } from '../kube-request.ts';

/** Writes of one object. */
interface WriteCount {
  creates: number;
  /** Updates that changed something. */
  updates: number;
  deletes: number;
  /** 409 from the server or from the rig. */
  conflicts: number;
  /** Writes that succeeded without effect. */
  noops: number;
}

/** `resource ns/name[/subresource]` → writes. */
export type WriteCounts = ReadonlyMap<string, Readonly<WriteCount>>;

type Counted = keyof WriteCount;

/** @returns undefined for a request that had no effect and is not a conflict */
function kindOf({ verb, status, shown, changed }: RequestEntry): Counted | undefined {
  if (status === 409 || shown === 409) return 'conflicts';
  if (status < 200 || status >= 300) return undefined;
  if (changed === false) return 'noops';
  if (status === 201) return 'creates';
  return verb === 'delete' || verb === 'deletecollection' ? 'deletes' : 'updates';
}

/** Writes of all journals of one run: each started process has its own journal. */
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

/**
 * Conflicts and writes without effect change nothing: they are listed in the results, but are not faults
 * (reliability.md §3 b).
 */
const COMPARED = ['creates', 'updates', 'deletes'] as const;

/** Allowed differences of a run. */
interface Allowed {
  /**
   * `fewer`: an operator that sees two states as one writes the status once; for faults that delay answers. `any`: an
   * operator that sees a state late may also write about deleted objects; for faults of watches, where only the end
   * state must match.
   */
  readonly statusUpdates?: 'equal' | 'fewer' | 'any';
}

/** Oracle b: each object whose number of creates, effective updates or deletes differs from the run without a fault. */
export function compareWriteCounts(
  reference: WriteCounts,
  found: WriteCounts,
  { statusUpdates = 'equal' }: Allowed = {},
): readonly string[] {
  return [...new Set([...reference.keys(), ...found.keys()])].flatMap((name) => {
    const expected = reference.get(name) ?? NONE;
    const got = found.get(name) ?? NONE;
    // The operator or the garbage collector may delete it first; the end state checks that it is gone.
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
