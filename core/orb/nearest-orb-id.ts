import { nearestName } from '../manifest/nearest.ts';
import type { OrbId } from '../manifest/orb-id.ts';
import { compareOrbIds } from './compare-orb-ids.ts';
import { nameOfId } from './invalid-source.ts';

/** Names that are compared, at most 20 µs each: a wrong id must not cost more than a run. */
const MAX_NAMES = 500;

const highest = (ids: readonly OrbId[]): OrbId | undefined => ids.toSorted(compareOrbIds).at(-1);

/**
 * The known id that was probably meant: the highest version of the Orb of this name, else of the Orb with the nearest
 * name.
 * @param orbId as somebody wrote it; may be malformed
 */
export function nearestOrbId(orbId: string, known: ReadonlySet<OrbId>): OrbId | undefined {
  const byName = new Map<string, OrbId[]>();
  for (const id of known) {
    const versions = byName.get(nameOfId(id));
    if (versions === undefined) byName.set(nameOfId(id), [id]);
    else versions.push(id);
  }
  const name = nameOfId(orbId);
  const near = byName.has(name) ? name : nearestName(name, [...byName.keys()].slice(0, MAX_NAMES));
  return near === undefined ? undefined : highest(byName.get(near) ?? []);
}
