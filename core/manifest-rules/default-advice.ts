import type { ValueType } from '../../crds/manifest.ts';
import { isOfType } from '../manifest/value-type.ts';

/** What a default of each type looks like. */
const FORMS: Readonly<Record<ValueType, string>> = {
  string: 'text in quotes',
  number: 'a number without quotes, such as 0.5',
  integer: 'a whole number without quotes, such as 5',
  boolean: 'true or false, without quotes',
  object: 'an object, such as {}',
  array: 'a list, such as []',
};

/** A number or a word that a text holds; a longer text is not shown. */
const LITERAL = /^(?:-?(?:0|[1-9][0-9]{0,15})(?:[.][0-9]{1,15})?|true|false)$/;

/** The literal of the declared type that the author meant, when the value shows it. */
function literalOf(value: unknown, type: ValueType): string | undefined {
  if (type === 'string')
    return typeof value === 'boolean' || Number.isSafeInteger(value) ? `"${String(value)}"` : undefined;
  if (typeof value !== 'string' || !LITERAL.test(value)) return undefined;
  const literal: unknown = JSON.parse(value);
  return isOfType(literal, type) ? `${value} without quotes` : undefined;
}

/** One sentence about a default of another type than its input declares: which literal to write. */
export function adviseDefault(value: unknown, type: ValueType): string {
  const literal = literalOf(value, type);
  const words = type === 'string' && typeof value === 'boolean' ? ' (YAML 1.1 reads words such as no as booleans)' : '';
  return `The default must be of type ${type}: write ${literal ?? FORMS[type]}${words}.`;
}
