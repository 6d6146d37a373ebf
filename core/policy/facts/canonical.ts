import { jcs } from '../../json/jcs.ts';
import type { JsonObject } from '../../json/json-value.ts';
import { HOLE } from '../../json/shared-text.ts';

interface Made {
  /** Names of the members with holes, in order. */
  readonly names: readonly string[];
  readonly text: string;
}

function textWithHoles(lasting: JsonObject, changing: readonly string[]): string {
  const members = [...Object.keys(lasting), ...changing].toSorted().map((name) => {
    const value = Object.hasOwn(lasting, name) ? lasting[name] : undefined;
    return `${jcs(name)}:${value === undefined ? HOLE : jcs(value)}`;
  });
  return `{${members.join(',')}}`;
}

const kept = new WeakMap<JsonObject, Made>();

/**
 * Canonical JSON of an object that gets further members for each run, with holes in place of their values. Most objects
 * get the same members all their life.
 * @param lasting outlives a run and does not change: its text is made once
 * @param changing names of members that are not in `lasting`, in order; the same array each time, so that the text is found
 */
export function canonicalWithHoles(lasting: JsonObject, changing: readonly string[]): string {
  const found = kept.get(lasting);
  if (found?.names === changing) return found.text;
  const text = textWithHoles(lasting, changing);
  kept.set(lasting, { names: changing, text });
  return text;
}
