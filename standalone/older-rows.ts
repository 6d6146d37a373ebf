import { isDigest, type Digest } from '../core/json/digest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/json-value.ts';
import { readJson } from '../core/manifest/read-json.ts';

// Rows of `state` as written before the resources of standalone were objects. Keys: `valid-orb` by `namespace/name`,
// `valid-orbiset` by `namespace.name`, `pin` and `failover` by `namespace/orb_id`.

/** Kinds of rows that are still written, with the uid of their object. */
export const VALID_ORB = 'valid-orb';
export const VALID_ORBISET = 'valid-orbiset';

/** An Orb of an older data folder. */
export interface OlderOrb {
  readonly namespace: string;
  readonly name: string;
  readonly digest: Digest;
  /** Ms since epoch. */
  readonly since: number;
  /** Name of its file. */
  readonly file: string;
}

/** An Orbiset of an older data folder. */
export interface OlderOrbiset {
  readonly namespace: string;
  readonly name: string;
  readonly spec: JsonObject;
  readonly file: string;
}

/** Stored failover state of an Orb. */
export interface OlderFailover {
  readonly uid: string;
  /** `status.failover` in its written form. */
  readonly status: JsonObject;
}

/** A pin that the API set, or the id of a pin in a file that the API removed. */
export type OlderPin =
  | { readonly kind: 'set'; readonly pin: JsonObject }
  | { readonly kind: 'removed'; readonly id: string };

function membersOf(json: string): JsonObject {
  const read = readJson(Buffer.from(json));
  return read.ok && isJsonObject(read.value) ? read.value : {};
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === 'string' ? value : undefined);

/** @returns undefined when it can't be read, or when it is a current row, which names the object's uid */
export function olderOrb(key: string, json: string): OlderOrb | undefined {
  const { digest, since, file, uid } = membersOf(json);
  const slash = key.indexOf('/');
  if (uid !== undefined || typeof digest !== 'string' || !isDigest(digest)) return undefined;
  return {
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
    digest,
    since: typeof since === 'number' ? since : 0,
    file: textOf(file) ?? '',
  };
}

/** @returns as `olderOrb` */
export function olderOrbiset(json: string): OlderOrbiset | undefined {
  const { document, file, uid } = membersOf(json);
  if (uid !== undefined || !isJsonObject(document)) return undefined;
  const { namespace, name, spec } = document;
  if (typeof namespace !== 'string' || typeof name !== 'string' || !isJsonObject(spec)) return undefined;
  return { namespace, name, spec, file: textOf(file) ?? '' };
}

export function olderFailover(json: string): OlderFailover | undefined {
  const { uid, ...status } = membersOf(json);
  return typeof uid === 'string' ? { uid, status } : undefined;
}

/**
 * @param now ms since epoch
 * @returns undefined also for a pin that has ended: then the file's pin counts
 */
export function olderPin(json: string, now: number): OlderPin | undefined {
  const { pin, hidden } = membersOf(json);
  if (typeof hidden === 'string') return { kind: 'removed', id: hidden };
  if (!isJsonObject(pin)) return undefined;
  return Date.parse(textOf(pin['expires_at']) ?? '') > now ? { kind: 'set', pin } : undefined;
}
