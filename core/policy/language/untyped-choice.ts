import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import type { Node } from './tree.ts';
import { memberAt, pathOf, valueAt } from './untyped-path.ts';
import { MAX_TEXT } from './untyped-values.ts';

/** Reads a value of some roots. @returns undefined where the evaluator gives an error */
type Read<Value> = (roots: JsonObject) => Value | undefined;

/** `has(item.values.A)`: an error when there is no `item.values`, and false when that is no object or A is null. */
function presenceOf(node: Node): Read<boolean> | undefined {
  if (node.kind !== 'select' || !node.isTest) return undefined;
  const path = pathOf(node.of);
  const { field } = node;
  if (path === undefined) return undefined;
  return (roots) => {
    const object = memberAt(roots, path);
    if (object === undefined) return undefined;
    return isJsonObject(object) && Object.hasOwn(object, field) && object[field] !== null;
  };
}

function constantOf(node: Node): Read<JsonValue> | undefined {
  if (node.kind !== 'constant' || typeof node.value !== 'string' || node.value.length > MAX_TEXT) return undefined;
  const { value } = node;
  return () => value;
}

/**
 * A plain path, or a choice by what is present: `has(item.values.B) ? "B" : item.values.A`. Vendors' templates have many of
 * them, and the evaluator would first bring the whole payload into its own form.
 * @returns undefined: it is another expression
 */
export function choiceOf(node: Node): Read<JsonValue> | undefined {
  const path = pathOf(node);
  if (path !== undefined) return (roots) => valueAt(roots, path);
  if (node.kind !== 'call' || node.name !== '_?_:_') return constantOf(node);
  const [test, one, other] = node.args;
  const isPresent = test && presenceOf(test);
  const [then, otherwise] = [one && choiceOf(one), other && choiceOf(other)];
  if (isPresent === undefined || then === undefined || otherwise === undefined) return undefined;
  return (roots) => {
    const found = isPresent(roots);
    if (found === undefined) return undefined;
    return found ? then(roots) : otherwise(roots);
  };
}
