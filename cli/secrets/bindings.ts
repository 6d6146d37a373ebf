import { isJsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { textAt } from '../io/output.ts';

/** One Secret that an Orbiset binds. */
export interface Binding {
  /** Position in `spec.vault.secrets`. */
  readonly index: number;
  readonly secret: string;
  readonly hosts: readonly string[];
  /** How `keys` is written; `all` when it is absent. */
  readonly form: 'all' | 'list' | 'map';
  /** Entry of the vault → key of the Secret, as written in the document; empty for `all`. */
  readonly keys: ReadonlyMap<string, string>;
}

const texts = (values: readonly JsonValue[]): readonly string[] =>
  values.filter((value): value is string => typeof value === 'string');

function keysOf(binding: JsonValue): Pick<Binding, 'form' | 'keys'> {
  const keys = member(binding, 'keys');
  if (keys === undefined) return { form: 'all', keys: new Map() };
  if (!isJsonObject(keys))
    return { form: 'list', keys: new Map(texts(listAt(binding, 'keys')).map((key) => [key, key])) };
  return { form: 'map', keys: new Map(Object.keys(keys).map((entry) => [entry, textAt(keys, entry)])) };
}

/** The Secrets that an Orbiset binds, in the order of the document. */
export const bindingsOf = (orbiset: JsonValue): readonly Binding[] =>
  listAt(objectAt(objectAt(orbiset, 'spec'), 'vault'), 'secrets').map((binding, index) => ({
    index,
    secret: textAt(binding, 'name'),
    hosts: texts(listAt(binding, 'allowedHosts')),
    ...keysOf(binding),
  }));
