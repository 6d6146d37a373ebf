import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import { anyValue } from '../ingestion/bodies.ts';
import { anyText, pick, type Random } from '../ingestion/random.ts';

/** The value with one member, at any place, that is another one. @param extra names that it may have got as well */
export function changedIn(random: Random, value: JsonValue, depth: number, extra: readonly string[] = []): JsonValue {
  if (Array.isArray(value) && value.length > 0 && depth > 0 && random() > 0.15) {
    const at = Math.floor(random() * value.length);
    return value.map((item: JsonValue, index) => (index === at ? changedIn(random, item, depth - 1, extra) : item));
  }
  if (!isJsonObject(value) || depth === 0 || random() < 0.15) {
    const read = readJson(encodeUtf8(JSON.stringify(anyValue(random, 3)) ?? 'null'));
    return read.ok ? read.value : null;
  }
  const names = Object.keys(value);
  const name = random() < 0.1 ? anyText(random) : pick(random, [...names, ...extra]);
  return { ...value, [name]: changedIn(random, value[name] ?? {}, depth - 1, extra) };
}
