import { encodeUtf8 } from '../../../core/json/bytes.ts';
import { isJsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import { anyValue } from '../ingestion/bodies.ts';
import { anyText, below, pick, type Random } from '../ingestion/random.ts';

/** Share of values that are replaced whole, though something in them could be changed. */
const REPLACED = 0.15;

function otherValue(random: Random): JsonValue {
  const read = readJson(encodeUtf8(JSON.stringify(anyValue(random, 3)) ?? 'null'));
  return read.ok ? read.value : null;
}

/** The value with one member, at any place, that is another one. @param extra names that it may have got as well */
export function changedIn(random: Random, value: JsonValue, depth: number, extra: readonly string[] = []): JsonValue {
  if (depth === 0 || random() < REPLACED) return otherValue(random);
  if (Array.isArray(value)) {
    const at = below(random, value.length);
    return value.map((item: JsonValue, index) => (index === at ? changedIn(random, item, depth - 1, extra) : item));
  }
  if (!isJsonObject(value)) return otherValue(random);
  const name = random() < 0.1 ? anyText(random) : pick(random, [...Object.keys(value), ...extra]);
  return { ...value, [name]: changedIn(random, value[name] ?? {}, depth - 1, extra) };
}
