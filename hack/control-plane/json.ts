/** A JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

/** True for objects only: not for `null`, not for arrays. */
export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of member names; undefined where a member is missing. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((here, name) => (isRecord(here) ? here[name] : undefined), value);

/** A text member; '' when it is missing. */
export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

/** The members of an object; empty for any other value. */
export const membersAt = (value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...path);
  return isRecord(found) ? Object.entries(found) : [];
};

/** The items of a list; empty for any other value. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
