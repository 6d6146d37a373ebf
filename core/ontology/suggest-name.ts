import { editDistance } from '../manifest/nearest.ts';

const MAX_EDITS = 2;

const lastSegment = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/**
 * The known name that was probably meant (trust.md §8.2): the nearest one with at most two edits, else the nearest one
 * with the same last segment, as in `mail.send` for `message.email.send`. Of equally near names the first.
 * @param name at most 128 characters, as the schema of manifests allows
 */
export function suggestName(name: string, known: readonly string[]): string | undefined {
  const segment = lastSegment(name);
  const ranked = known
    .filter((candidate) => Math.abs(candidate.length - name.length) <= MAX_EDITS || lastSegment(candidate) === segment)
    .map((candidate) => ({ candidate, edits: editDistance(name, candidate) }))
    .toSorted((one, other) => one.edits - other.edits);
  const [nearest] = ranked;
  if (nearest !== undefined && nearest.edits <= MAX_EDITS) return nearest.candidate;
  return ranked.find(({ candidate }) => lastSegment(candidate) === segment)?.candidate;
}
