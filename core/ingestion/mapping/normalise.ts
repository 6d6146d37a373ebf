import { isJsonObject, type JsonValue } from '../../json/json-value.ts';

const MAX_LABELS = 64;
const LABEL_LENGTH = 1024;
const EPOCH_MS = 1e11;
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);

/** Cuts a text, and marks where. @param most UTF-16 units */
export const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** A text of a text, a number or a boolean; a Datadog variable that was not replaced is absent. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' && !value.startsWith('$') ? value : undefined;
}

const EPOCH = /^\d{1,15}(?:\.\d{1,9})?$/;

/** Epoch seconds, or milliseconds from 10¹¹ on. */
function epochOf(value: number): number | null {
  if (value <= 0 || value >= 1e15) return null;
  return Math.floor(value < EPOCH_MS ? value * 1000 : value);
}

/** Milliseconds of RFC 3339, epoch seconds or epoch milliseconds; year 1, which means "not yet", and other texts are null. */
export function timeOf(value: JsonValue | undefined): number | null {
  if (typeof value === 'number') return epochOf(value);
  if (typeof value !== 'string') return null;
  if (EPOCH.test(value)) return epochOf(Number(value));
  if (!RFC_3339.test(value) || value.startsWith('0001-')) return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/** `k:v` as Datadog, Pingdom and StatusCake write tags; a pair of texts as Sentry does. */
function pairOf(tag: JsonValue): readonly (readonly [string, string])[] {
  if (isList(tag)) {
    const [name, value] = tag;
    const text = textOf(value);
    return typeof name === 'string' && text !== undefined ? [[name, text]] : [];
  }
  if (typeof tag !== 'string') return [];
  const at = tag.indexOf(':');
  return at > 0 ? [[tag.slice(0, at).trim(), tag.slice(at + 1).trim()]] : [];
}

function pairsOf(value: JsonValue | undefined): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return value.split(',').flatMap(pairOf);
  if (isList(value)) return value.flatMap(pairOf);
  return isJsonObject(value) ? Object.entries(value).flatMap(([name, found]) => pairOf([name, found])) : [];
}

/** Labels of an object, a list of tags or of pairs, or tags in one text; at most 64, values at most 1 KiB. */
export const labelsOf = (value: JsonValue | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pairsOf(value)
      .slice(0, MAX_LABELS)
      .map(([name, text]) => [cut(name, LABEL_LENGTH), cut(text, LABEL_LENGTH)]),
  );

/** Names of a text or a list of texts. */
export const namesOf = (value: JsonValue | undefined): readonly string[] =>
  (isList(value) ? value : [value]).flatMap((name) => textOf(name) ?? []).slice(0, MAX_LABELS);
