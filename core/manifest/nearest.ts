const MAX_LENGTH = 64;

const at = (row: Uint16Array, column: number): number => row[column] ?? Number.POSITIVE_INFINITY;

/**
 * Number of edits between two short words: insert, delete, replace, swap two neighbours.
 * @param most a larger number may be answered by any number above this one
 */
export function editDistance(from: string, to: string, most = Number.POSITIVE_INFINITY): number {
  const width = to.length + 1;
  // Edits from the letters of `from` so far to each beginning of `to`; then the same for one and for two letters fewer.
  let row = Uint16Array.from({ length: width }, (_, column) => column);
  let last = new Uint16Array(width);
  let beforeLast = new Uint16Array(width);
  let least = 0;
  for (let letter = 1; letter <= from.length; letter += 1) {
    [beforeLast, last, row] = [last, row, beforeLast];
    const leastBefore = least;
    row[0] = letter;
    least = letter;
    for (let column = 1; column < width; column += 1) {
      const replaced = at(last, column - 1) + (from.charCodeAt(letter - 1) === to.charCodeAt(column - 1) ? 0 : 1);
      let edits = Math.min(replaced, at(last, column) + 1, at(row, column - 1) + 1);
      if (isSwapped(from, letter, to, column)) edits = Math.min(edits, at(beforeLast, column - 2) + 1);
      row[column] = edits;
      if (edits < least) least = edits;
    }
    // Each further row grows from this one or from the one before it.
    if (least > most && leastBefore >= most) return least;
  }
  return at(row, to.length);
}

/** Whether the two letters up to these places are the same in the other order. */
const isSwapped = (from: string, letter: number, to: string, column: number): boolean =>
  letter > 1 &&
  column > 1 &&
  from.charCodeAt(letter - 1) === to.charCodeAt(column - 2) &&
  from.charCodeAt(letter - 2) === to.charCodeAt(column - 1);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_. ]/g, '');

/**
 * The known name that was probably meant: at most one edit in three letters, ignoring letter case and separators. It
 * takes up to 20 µs for each known name.
 * @returns undefined when nothing is near
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const wanted = plain(name);
  const most = Math.max(1, Math.floor(wanted.length / 3));
  let best: { readonly candidate: string; readonly edits: number } | undefined;
  for (const candidate of known) {
    const other = plain(candidate);
    // So many letters have to be inserted or deleted at the least.
    if (Math.abs(other.length - wanted.length) > most) continue;
    const edits = editDistance(wanted, other, most);
    if (edits <= most && edits < (best?.edits ?? Number.POSITIVE_INFINITY)) best = { candidate, edits };
  }
  return best?.candidate;
}
