import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';

/** JSON text that this program wrote, as an object. @throws TypeError it holds something else: a bug, or another program's row */
export function parsedObject(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  if (!isJsonObject(value)) throw new TypeError('an object was stored, and something else is read');
  return value;
}
