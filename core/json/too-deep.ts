/** Most levels of objects and arrays. Real documents have ten; with this bound every walk over a value may recurse. */
export const MAX_DEPTH = 128;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** By name: of an object with many members, `Object.values` takes twice the time. */
function membersOf(value: unknown): readonly unknown[] {
  if (isObject(value)) return Object.keys(value).map((name) => value[name]);
  return isList(value) ? value : [];
}

/** Whether a value has more than 128 levels. It does not recurse, because a hostile value may be very deep. */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(membersOf);
  }
  return false;
}
