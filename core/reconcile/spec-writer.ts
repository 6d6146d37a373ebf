import { isJsonObject } from '../json/json-value.ts';
import type { KubeObject } from './kube-object.ts';

/** A field manager that wrote the spec of an object, as an entry of managedFields. */
interface SpecWriter {
  readonly manager: string;
  /** RFC 3339; '' when the entry has none. */
  readonly time: string;
  readonly fieldsV1: { readonly 'f:spec': object };
}

/** The writer that an entry names, without the fields themselves; undefined: it wrote nothing of the spec. */
export function specWriterIn(entry: unknown): SpecWriter | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { manager, time, subresource, fieldsV1 } = entry;
  if (typeof manager !== 'string' || subresource !== undefined) return undefined;
  if (!isJsonObject(fieldsV1) || !Object.hasOwn(fieldsV1, 'f:spec')) return undefined;
  return { manager, time: typeof time === 'string' ? time : '', fieldsV1: { 'f:spec': {} } };
}

/** The field manager that wrote the spec last; undefined when the object does not say. */
export function specWriterOf({ metadata }: KubeObject): string | undefined {
  const { managedFields } = metadata;
  const entries: readonly unknown[] = Array.isArray(managedFields) ? managedFields : [];
  const writers = entries.map(specWriterIn).filter((writer) => writer !== undefined);
  return writers.toSorted((one, other) => (one.time < other.time ? 1 : -1))[0]?.manager;
}
