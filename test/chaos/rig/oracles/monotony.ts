import { metadataOf, textOf } from '../json.ts';
import { at } from '../../../../hack/control-plane/json.ts';
import type { Journal } from '../journal.ts';
import { objectKey } from '../kube-request.ts';

const DIGITS = /^\d+$/;

/** Revisions as integers of any size. */
const isBefore = (one: string, other: string): boolean =>
  DIGITS.test(one) && DIGITS.test(other) && BigInt(one) < BigInt(other);

/**
 * Oracle d, for one process: the base version of a writer's update is never older than that of its earlier update.
 * Writers of one object, by field manager, run concurrently: a retry of one may have an older base than the other's
 * update.
 */
export function checkPreconditions({ requests }: Journal): readonly string[] {
  const newest = new Map<string, string>();
  const faults: string[] = [];
  for (const { precondition, n, status, ...entry } of requests) {
    if (precondition === undefined || entry.resource === 'leases') continue;
    const writer = entry.fieldManager === undefined ? '' : ` (${entry.fieldManager})`;
    const key = `${entry.resource} ${objectKey(entry)}${writer}`;
    const last = newest.get(key);
    if (last !== undefined && isBefore(precondition, last))
      faults.push(`${key}: request ${n} (${status}) was made upon ${precondition}, after one upon ${last}`);
    else newest.set(key, precondition);
  }
  return faults;
}

/** Members that must not go back while an object lives, by JSON path below the object. */
const GROWING: readonly (readonly string[])[] = [
  ['metadata', 'generation'],
  ['status', 'observedGeneration'],
  ['status', 'failover', 'swapSeq'],
  ['status', 'failover', 'since'],
];

/** Whether a text or number went back; times are RFC 3339 in UTC, which sort as text. */
function wentBack(before: unknown, after: unknown): boolean {
  if (typeof before === 'number') return typeof after !== 'number' || after < before;
  const was = textOf(before);
  if (was === undefined) return false;
  const is = textOf(after);
  return is === undefined || is < was;
}

/**
 * Oracle d: `observedGeneration` and the counters of failover never go back while an object lives.
 * @param states of all objects, in their order: from an unedited watch of the rig itself
 */
export function checkMonotony(states: readonly unknown[]): readonly string[] {
  const last = new Map<string, unknown>();
  return states.flatMap((state) => {
    const { uid, namespace, name } = metadataOf(state);
    const before = last.get(String(uid));
    last.set(String(uid), state);
    if (before === undefined) return [];
    return GROWING.filter((path) => wentBack(at(before, ...path), at(state, ...path))).map(
      (path) =>
        `${textOf(at(state, 'kind')) ?? ''} ${textOf(namespace) ?? ''}/${textOf(name) ?? ''}: ${path.join('.')} went from ` +
        `${JSON.stringify(at(before, ...path))} back to ${JSON.stringify(at(state, ...path)) ?? 'nothing'}`,
    );
  });
}
