import { isJsonObject, type JsonValue } from './json-value.ts';

/** Whether one value has the shape; never throws. */
export type Shape = (value: JsonValue) => boolean;

/** An object with exactly these members: all are present, and there are no others. */
export const closed =
  (members: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isJsonObject(value) &&
    Object.keys(value).length === Object.keys(members).length &&
    Object.entries(members).every(([name, shape]) => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      return member !== undefined && shape(member);
    });

/** An array of at most `most` values of one shape. */
export const listOf =
  (shape: Shape, most: number): Shape =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every(shape);

export const oneOf =
  (...values: readonly JsonValue[]): Shape =>
  (value) =>
    values.includes(value);

export const matching =
  (pattern: RegExp): Shape =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

/** An integer of a closed range. */
export const integer =
  (least: number, most: number): Shape =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;

export const boolean: Shape = (value) => typeof value === 'boolean';

/** A text of 1 to `most` UTF-16 units. */
export const text =
  (most: number): Shape =>
  (value) =>
    typeof value === 'string' && value.length >= 1 && value.length <= most;

export const nullable =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);

/** `YYYY-MM-DDTHH:MM:SS.mmmZ` with a day that exists. */
export const time: Shape = (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(value)) return false;
  const parsed = new Date(value);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === value;
};

/** `sha256:` and 64 lower-case hexadecimal digits. */
export const digest = matching(/^sha256:[0-9a-f]{64}$/);

/** `https://` and an authority, without a path. */
export const httpsOrigin = matching(/^https:\/\/[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[1-9]\d{0,4})?$/);
