import { isJsonObject, type JsonObject, type JsonValue } from '../json/json-value.ts';
import { member } from '../json/members.ts';
import type { Checked, Finding } from '../manifest/finding.ts';
import { parseCidr, type Cidr } from '../network/cidr.ts';
import { parseRateLimit, type RateLimit } from '../rate-limit/rate.ts';
import { isLabelName } from '../reconcile/kube-name.ts';
import { isScope, type Scope } from './scopes.ts';

/** A stored key, in the form that requests are checked against. Times: ms since epoch. */
export interface ApiKeyRecord {
  readonly keyId: string;
  /** SHA-256 of the whole key text, 32 bytes. */
  readonly sha256: Uint8Array;
  /** Namespaces that the key acts for; `*` = all. */
  readonly tenants: readonly string[] | '*';
  readonly scopes: ReadonlySet<Scope>;
  /** `org.name` or `org.name@version`; undefined = all. */
  readonly orbs: readonly string[] | undefined;
  /** Addresses that the key may be used from; empty = any. */
  readonly cidrs: readonly Cidr[];
  /** Requests that it may send; absent: the rate that all keys have. */
  readonly rate?: RateLimit;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly createdBy: string;
}

/** The fields of a new key; texts as they are written in the document. */
export interface ApiKeyFields {
  readonly keyId: string;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly tenants: readonly string[];
  readonly scopes: readonly Scope[];
  readonly orbs?: readonly string[];
  readonly cidrs?: readonly string[];
  /** `100:200`, as `parseRateLimit` reads it. */
  readonly rate?: string;
  readonly notBefore: number;
  readonly expiresAt: number;
  readonly createdBy: string;
}

/** Marks the Secrets that are API keys. */
const LABEL = 'orbs.dev/api-key';
/** Label selector for API keys in a LIST or WATCH. */
export const API_KEY_SELECTOR = `${LABEL}=true`;
const DAY_MS = 86_400_000;
/** Longest lifetime of a key. */
export const MAX_LIFE_MS = 365 * DAY_MS;

const KEY_ID = /^[0-9A-Za-z]{8}$/;
const SHA256 = /^[0-9a-f]{64}$/;
const ORB = /^[a-z0-9][a-z0-9-]*\.[A-Za-z0-9][A-Za-z0-9._-]*(?:@[0-9A-Za-z.+-]+)?$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/;
const MAX_ITEMS = 256;

type Report = (name: string, detail: string) => undefined;

/** Decodes base64 of UTF-8, the form of `data` in a Secret. */
function decodeData(text: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** One field of the Secret as it is written: `stringData` wins over `data`, as on a server. */
function rawField(secret: JsonObject, name: string): { readonly part: string; readonly value: JsonValue } | undefined {
  for (const part of ['stringData', 'data']) {
    const value = member(secret[part], name);
    if (value !== undefined) return { part, value };
  }
  return undefined;
}

/** @returns undefined when the field is missing, not a string, or not base64 */
function fieldOf(secret: JsonObject, name: string): string | undefined {
  const raw = rawField(secret, name);
  if (typeof raw?.value !== 'string') return undefined;
  return raw.part === 'data' ? decodeData(raw.value) : raw.value;
}

function isLabelled(document: JsonObject): boolean {
  const { metadata } = document;
  const labels = isJsonObject(metadata) ? metadata['labels'] : undefined;
  return isJsonObject(labels) && labels[LABEL] === 'true';
}

interface Limit {
  readonly items?: readonly string[];
}

/** Reads the fields of one document. On a mistake, a method reports it and returns undefined. */
function reader(document: JsonObject, report: Report) {
  const text = (name: string, pattern: RegExp, what: string): string | undefined => {
    const value = fieldOf(document, name);
    return value !== undefined && pattern.test(value) ? value : report(name, `Give ${what}.`);
  };
  const time = (name: string): number | undefined => {
    const value = text(name, TIME, 'a UTC time such as 2027-01-31T00:00:00Z');
    if (value === undefined) return undefined;
    const at = Date.parse(value);
    return Number.isNaN(at) ? report(name, 'Give a date that exists.') : at;
  };
  const list = (name: string, accepts: (item: string) => boolean, what: string): readonly string[] | undefined => {
    const items = parseList(fieldOf(document, name));
    if (items === undefined || items.length > MAX_ITEMS)
      return report(name, `Give a JSON array of strings, at most ${MAX_ITEMS}.`);
    return items.every(accepts) ? items : report(name, `Every item must be ${what}.`);
  };
  /** Reads a limit; absent = no limit. An empty or unreadable limit is a fault: it must not count as absent. */
  const limit = (name: string, accepts: (item: string) => boolean, what: string): Limit | undefined => {
    if (rawField(document, name) === undefined) return {};
    const items = list(name, accepts, what);
    return items?.length === 0 ? report(name, 'Name at least one, or leave it out.') : items && { items };
  };
  return { text, time, list, limit };
}

function parseList(text: string | undefined): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
  } catch {
    return undefined;
  }
}

type Reader = ReturnType<typeof reader>;

function readTenants(read: Reader, report: Report): ApiKeyRecord['tenants'] | undefined {
  const tenants = read.list('tenants', (item) => item === '*' || isLabelName(item), 'a namespace or "*"');
  if (tenants?.length === 0) return report('tenants', 'Name at least one namespace.');
  if (!tenants?.includes('*')) return tenants;
  return tenants.length === 1 ? '*' : report('tenants', '"*" stands alone.');
}

function readScopes(read: Reader, report: Report): ReadonlySet<Scope> | undefined {
  const scopes = read.list('scopes', isScope, 'a scope of the API')?.filter(isScope);
  return scopes?.length === 0 ? report('scopes', 'Name at least one scope.') : scopes && new Set(scopes);
}

function readLife(
  read: Reader,
  report: Report,
): { readonly notBefore: number; readonly expiresAt: number } | undefined {
  const notBefore = read.time('not_before');
  const expiresAt = read.time('expires_at');
  if (notBefore === undefined || expiresAt === undefined) return undefined;
  const life = expiresAt - notBefore;
  if (life > 0 && life <= MAX_LIFE_MS) return { notBefore, expiresAt };
  return report('expires_at', 'Expiry must come after not_before, at most 365 days.');
}

const bytesOfHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) => Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16));

function readRecord(document: JsonObject, report: Report): ApiKeyRecord | undefined {
  const read = reader(document, report);
  const keyId = read.text('keyid', KEY_ID, 'the 8 characters of the key id');
  const sha256 = read.text('sha256', SHA256, 'the SHA-256 of the key in 64 lower-case hexadecimal digits');
  const tenants = readTenants(read, report);
  const scopes = readScopes(read, report);
  const life = readLife(read, report);
  const createdBy = read.text('created_by', /^[\x20-\x7e]{1,256}$/, 'who made it, printable ASCII');
  const orbs = read.limit('orbs', (item) => ORB.test(item), 'org.name or org.name@version');
  const cidrs = read.limit('cidrs', isCidr, 'ADDRESS/PREFIX without host bits');
  const rate = readRate(document, report);
  const known = { keyId, sha256, tenants, scopes, life, createdBy, orbs, cidrs, rate };
  return allDefined(known) ? build(known) : undefined;
}

/** Absent: the key has the rate of all. A rate that can't be read must not count as absent. */
function readRate(document: JsonObject, report: Report): { readonly limit?: RateLimit } | undefined {
  if (rawField(document, 'rate') === undefined) return {};
  const limit = parseRateLimit(fieldOf(document, 'rate') ?? '');
  return limit === undefined
    ? report('rate', 'Give requests a second and at once, such as 100:200, or 0 for no limit.')
    : { limit };
}

const isCidr = (item: string): boolean => parseCidr(item) !== undefined;

type AllDefined<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };
const allDefined = <T extends object>(fields: T): fields is T & AllDefined<T> =>
  Object.values(fields).every((value) => value !== undefined);

interface Parts extends Pick<ApiKeyRecord, 'keyId' | 'tenants' | 'scopes' | 'createdBy'> {
  readonly sha256: string;
  readonly life: { readonly notBefore: number; readonly expiresAt: number };
  readonly orbs: Limit;
  readonly cidrs: Limit;
  readonly rate: { readonly limit?: RateLimit };
}

const build = ({ keyId, tenants, scopes, createdBy, sha256, life, orbs, cidrs, rate }: Parts): ApiKeyRecord => ({
  keyId,
  sha256: bytesOfHex(sha256),
  tenants,
  scopes,
  orbs: orbs.items,
  cidrs: (cidrs.items ?? []).flatMap((block) => parseCidr(block) ?? []),
  ...(rate.limit === undefined ? {} : { rate: rate.limit }),
  ...life,
  createdBy,
});

/**
 * Checks a stored key: a `v1` Secret with the label `orbs.dev/api-key: "true"`, on a cluster or in standalone's files.
 * A key with a missing or malformed field is refused; no field is guessed. Findings hold no value.
 */
export function parseApiKeyRecord(document: JsonValue): Checked<ApiKeyRecord> {
  const findings: Finding[] = [];
  const add = (pointer: string, detail: string): undefined => {
    findings.push({ code: 'api-key-invalid', pointer, detail, severity: 'error' });
    return undefined;
  };
  if (!isJsonObject(document) || document['kind'] !== 'Secret' || document['apiVersion'] !== 'v1') {
    add('', 'An API key is stored as a v1 Secret.');
  } else if (!isLabelled(document)) add('/metadata/labels', `An API key has the label ${LABEL}: "true".`);
  else {
    const value = readRecord(document, (name, detail) => add(`/stringData/${name}`, detail));
    if (value !== undefined) return { ok: true, value, findings };
  }
  return { ok: false, findings };
}

const isoTime = (at: number): string => new Date(at).toISOString();

/** Writes the key id in hexadecimal: names hold lower case only, and key ids may differ by case alone. */
const nameOf = (keyId: string): string =>
  `orb-api-key-${Array.from(keyId, (unit) => unit.charCodeAt(0).toString(16)).join('')}`;

/** The Secret that stores a key; `parseApiKeyRecord` reads it back. */
export function apiKeyDocument(fields: ApiKeyFields, namespace: string): JsonObject {
  const { keyId, sha256, tenants, scopes, orbs, cidrs, rate, notBefore, expiresAt, createdBy } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: nameOf(keyId), namespace, labels: { [LABEL]: 'true' } },
    type: 'orbs.dev/api-key',
    stringData: {
      keyid: keyId,
      sha256,
      tenants: JSON.stringify(tenants),
      scopes: JSON.stringify(scopes),
      ...(orbs === undefined ? {} : { orbs: JSON.stringify(orbs) }),
      ...(cidrs === undefined ? {} : { cidrs: JSON.stringify(cidrs) }),
      ...(rate === undefined ? {} : { rate }),
      not_before: isoTime(notBefore),
      expires_at: isoTime(expiresAt),
      created_by: createdBy,
    },
  };
}
