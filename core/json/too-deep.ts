/** Most levels of objects and arrays. Real documents have ten; with this bound every walk over a value may recurse. */
export const MAX_DEPTH = 128;

const membersOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];

/** Whether a value has more than 128 levels. It does not recurse, because a hostile value may be very deep. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(membersOf);
  }
  return false;
}
