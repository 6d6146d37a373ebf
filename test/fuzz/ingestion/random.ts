/** Numbers 0 ≤ n < 1, the same for the same seed. */
export type Random = () => number;

/** A whole number, 0 ≤ n < below. */
export const below = (random: Random, bound: number): number => Math.floor(random() * bound);

export function pick<T>(random: Random, list: readonly T[]): T {
  const found = list[below(random, list.length)];
  if (found === undefined) throw new RangeError('an empty list');
  return found;
}

const CHARACTERS = [
  ...Array.from('v10=,.:;af{}[]"\\ \t\n\r%&+/-_AZz'),
  '\u0000',
  '\u00e9',
  '\u{1f600}',
  '\ud800',
  '\u2028',
];

/** A short text of characters that parsers trip over. */
export const anyText = (random: Random, most = 12): string =>
  Array.from({ length: below(random, most) }, () => pick(random, CHARACTERS)).join('');

/** The text with one to three small changes; now and then the same one. */
export function mutated(random: Random, text: string): string {
  let changed = text;
  for (let count = 1 + below(random, 3); count > 0; count -= 1) {
    const at = below(random, changed.length + 1);
    const end = Math.min(changed.length, at + below(random, random() < 0.2 ? changed.length + 1 : 4));
    const [before, cut, after] = [changed.slice(0, at), changed.slice(at, end), changed.slice(end)];
    const CHANGES = [
      before + after,
      before + anyText(random, 4) + after,
      before + cut + cut + after,
      before + cut.toUpperCase() + after,
    ] as const;
    changed = pick(random, CHANGES);
  }
  return changed;
}
