import { isJsonObject } from '../../core/json/json-value.ts';

/** Members that are `undefined` are absent, as in JSON. */
const names = (value: object): readonly string[] =>
  Object.entries(value).flatMap(([name, member]) => (member === undefined ? [] : [name]));

const has = (value: object, name: string): boolean => Object.hasOwn(value, name);

/** The same JSON? Order of members and prototypes do not count, order of items does. */
export function jsonEqual(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => jsonEqual(item, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return one === other;
  const members = names(one);
  return (
    members.length === names(other).length &&
    members.every((name) => has(other, name) && jsonEqual(one[name], other[name]))
  );
}
