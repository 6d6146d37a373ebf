import { decodeUtf8 } from '../../json/bytes.ts';
import { isJsonObject, type JsonValue } from '../../json/json-value.ts';
import { readBody } from '../../run/response-body.ts';
import { decodeForm } from './form.ts';
import { exceedsBounds, type PayloadBounds } from './json-bounds.ts';
import type { DeadLetter } from './signal.ts';

/** Deepest objects and lists of a payload, and most values in it. */
const BOUNDS: PayloadBounds = { depth: 32, values: 25_000, keys: 5000 };

export type ReadPayload =
  | { readonly ok: true; readonly payload: JsonValue }
  | { readonly ok: false; readonly deadLetter: DeadLetter };

const dead = (reason: DeadLetter['reason']): ReadPayload => ({ ok: false, deadLetter: { reason, pointer: '' } });

// The built-in guard turns a readonly array into any[].
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

type Judged = 'fits' | 'unsafe' | 'too-large';

const membersOf = (value: JsonValue): readonly JsonValue[] =>
  isList(value) ? value : isJsonObject(value) ? Object.values(value) : [];

/** Whether depth, values and names are within bounds. Level by level, because a hostile value may be very deep. */
function judge(payload: JsonValue): Judged {
  let level: readonly JsonValue[] = [payload];
  let values = 0;
  let keys = 0;
  let isUnsafe = false;
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: JsonValue[] = [];
    values += level.length;
    for (const value of level) {
      if (isJsonObject(value)) {
        const names = Object.keys(value);
        keys += names.length;
        isUnsafe ||= names.some((name) => UNSAFE.has(name));
      }
      for (const one of membersOf(value)) next.push(one);
    }
    if (depth > BOUNDS.depth || values > BOUNDS.values || keys > BOUNDS.keys) return 'too-large';
    level = next;
  }
  return isUnsafe ? 'unsafe' : 'fits';
}

/** A copy without members that could reach a prototype. */
function withoutUnsafe(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(withoutUnsafe);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => !UNSAFE.has(name));
  return Object.fromEntries(kept.map(([name, found]) => [name, withoutUnsafe(found)]));
}

/** Reads a verified body by the parser of its source's type: a body never selects its parser. Never throws. */
export function readPayload(body: Uint8Array, parser: 'json' | 'form'): ReadPayload {
  if (parser === 'form') {
    const fields = decodeForm(decodeUtf8(body) ?? '%');
    return fields === undefined ? dead('schema') : { ok: true, payload: withoutUnsafe(fields) };
  }
  // Before a parser runs: what it would make of a hostile body could hold the thread for half a second.
  if (exceedsBounds(body, BOUNDS)) return dead('limits');
  const read = readBody(body, 'application/json');
  if (!read.ok || read.body === undefined) return dead('bad_json');
  const judged = judge(read.body);
  if (judged === 'too-large') return dead('limits');
  return { ok: true, payload: judged === 'unsafe' ? withoutUnsafe(read.body) : read.body };
}
