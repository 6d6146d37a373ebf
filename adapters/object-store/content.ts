import {
  changedKeys,
  incompatibleKeys,
  fieldsOutside,
  fieldsOf,
  isSameField,
  type Fields,
  type Part,
} from './fields.ts';

/** A field manager, its operation, and the fields that it owns. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly part: Part;
  readonly keys: ReadonlySet<string>;
}

/** The fields of an object and their owners. Immutable: a write makes another one. */
export interface Content {
  readonly fields: Fields;
  /** Their keys are keys of `fields`. */
  readonly owners: readonly Owner[];
}

/** The manager that writes, and the part that it writes. */
export type Writer = Omit<Owner, 'keys'>;

export const EMPTY_CONTENT: Content = { fields: new Map(), owners: [] };

const isSameWriter = (one: Writer, other: Writer): boolean =>
  one.manager === other.manager && one.operation === other.operation && one.part === other.part;

const without = (keys: ReadonlySet<string>, taken: readonly string[]): ReadonlySet<string> =>
  taken.some((key) => keys.has(key)) ? new Set([...keys].filter((key) => !taken.includes(key))) : keys;

interface Claim {
  /** Fields that the writer owns from now on. */
  readonly keys: ReadonlySet<string>;
  /** Fields that other owners lose. */
  readonly taken: readonly string[];
}

/** An owner without fields is removed. */
function claimed(owners: readonly Owner[], writer: Writer, { keys, taken }: Claim): readonly Owner[] {
  const isKnown = owners.some((owner) => isSameWriter(owner, writer));
  return [...owners, ...(isKnown ? [] : [{ ...writer, keys }])]
    .map((owner) => (isSameWriter(owner, writer) ? { ...owner, keys } : { ...owner, keys: without(owner.keys, taken) }))
    .filter((owner) => owner.keys.size > 0);
}

/**
 * Managers whose values an apply would change. A field without an owner, such as one that a PUT wrote, counts as
 * `somebody`'s.
 */
export function conflictingManagers({ fields, owners }: Content, object: object, writer: Writer): readonly string[] {
  const wanted = fieldsOf(object, writer.part, fields);
  const changed = [...wanted.keys()].filter((key) => fields.has(key) && !isSameField(fields, wanted, key));
  const found = changed.flatMap((key) => {
    const having = owners.filter(({ keys }) => keys.has(key));
    return having.length === 0
      ? ['somebody']
      : having.filter((owner) => !isSameWriter(owner, writer)).map(({ manager }) => manager);
  });
  return [...new Set(found)];
}

const sameKeys = (one: ReadonlySet<string>, other: ReadonlyMap<string, unknown>): boolean =>
  one.size === other.size && [...one].every((key) => other.has(key));

/** Server-side apply with force. A field that its manager leaves out is removed, unless another manager owns it too. */
export function applied(content: Content, object: object, writer: Writer): Content {
  const { fields, owners } = content;
  const wanted = fieldsOf(object, writer.part, fields);
  const own = owners.find((owner) => isSameWriter(owner, writer))?.keys ?? new Set<string>();
  const different = [...wanted.keys()].filter((key) => !isSameField(fields, wanted, key));
  if (different.length === 0 && sameKeys(own, wanted)) return content;
  const others = owners.filter((owner) => !isSameWriter(owner, writer));
  const after = new Map(fields);
  for (const key of own) {
    if (!wanted.has(key) && !others.some(({ keys }) => keys.has(key))) after.delete(key);
  }
  const excluded = incompatibleKeys(wanted, after);
  for (const key of excluded) after.delete(key);
  for (const [key, value] of wanted) after.set(key, value);
  const claim = { keys: new Set(wanted.keys()), taken: [...excluded, ...different] };
  return { fields: after, owners: claimed(owners, writer, claim) };
}

/**
 * PUT and PATCH: `part` is replaced as a whole. The writer owns the fields that change. Without a manager they have no
 * owner.
 */
export function replaced(content: Content, object: object, part: Part, manager?: string): Content {
  const { fields, owners } = content;
  const after = new Map([...fieldsOutside(fields, part), ...fieldsOf(object, part, fields)]);
  const changed = changedKeys(fields, after);
  if (changed.length === 0) return content;
  const writer: Writer = { manager: manager ?? '', operation: 'Update', part };
  const known = owners.find((owner) => isSameWriter(owner, writer))?.keys ?? [];
  const keys = new Set(manager === undefined ? [] : [...known, ...changed].filter((key) => after.has(key)));
  return { fields: after, owners: claimed(owners, writer, { keys, taken: changed }) };
}
