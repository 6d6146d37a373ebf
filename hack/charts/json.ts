/** A JSON object of unknown shape. */
export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows member names; undefined where one is missing. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((here, name) => (isJson(here) ? here[name] : undefined), value);

/** A text member; '' when there is none. */
export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
};

/** The members of an object; none when it is none. */
export const membersAt = (value: unknown, ...path: readonly string[]): readonly (readonly [string, unknown])[] => {
  const found = at(value, ...path);
  return isJson(found) ? Object.entries(found) : [];
};

/** The items of a list; none when it is none. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
};
