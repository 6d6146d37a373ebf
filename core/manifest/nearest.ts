const MAX_LENGTH = 64;

/** Number of edits between two short words: insert, delete, replace, swap two neighbours. */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= from.length; row += 1) {
    rows.push([row]);
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const edits = [
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (same ? 0 : 1),
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      ];
      rows[row]?.push(Math.min(...edits));
    }
  }
  return at(from.length, to.length);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '');

/**
 * The known name that was probably meant: at most one edit in three letters, ignoring letter case and separators.
 * @returns undefined when nothing is near
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = plain(name);
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(wanted, plain(candidate)) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : undefined;
}
