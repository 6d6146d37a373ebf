import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { closed, digest, httpsOrigin, integer, listOf, matching, oneOf, text, type Shape } from '../json/shape.ts';
import { orbId } from '../receipt/record-schema.ts';
import {
  CERTIFIED_STATUSES,
  CERTIFIED_TIERS,
  CONTEXT_PATH,
  LIST_BITS,
  W3C_CONTEXT,
  orbIdOf,
  statusListUrl,
  type Credential,
} from './credential.ts';

const MAX_CRITERIA = 100;
const URN = 'urn:orb:';

/** `YYYY-MM-DDTHH:MM:SSZ` with a time that exists. */
export const seconds: Shape = (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(value)) return false;
  const parsed = new Date(value);
  return !Number.isNaN(parsed.getTime()) && parsed.toISOString() === `${value.slice(0, 19)}.000Z`;
};

const day: Shape = (value) => typeof value === 'string' && seconds(`${value}T00:00:00Z`);

const subjectId: Shape = (value) =>
  typeof value === 'string' && value.startsWith(URN) && orbId(value.slice(URN.length));

const subject = closed({
  id: subjectId,
  manifest_digest: digest,
  tier: oneOf(...CERTIFIED_TIERS),
  tier_status: oneOf(...CERTIFIED_STATUSES),
  reputation_score: integer(0, 100),
  algorithm: matching(/^orb-reputation\/[1-9]\d{0,3}$/),
  evidence: closed({
    log_origin: text(512),
    tree_size: integer(1, Number.MAX_SAFE_INTEGER),
    root_hash: matching(/^[A-Za-z0-9+/]{43}=$/),
    as_of: day,
  }),
  criteria_met: listOf(matching(/^[A-Z0-9_]{1,64}$/), MAX_CRITERIA),
});

/** A list of exactly these texts, in this order. */
export const exactly =
  (...texts: readonly string[]): Shape =>
  (value: JsonValue) =>
    Array.isArray(value) && value.length === texts.length && texts.every((item, index) => value[index] === item);

const members = closed({
  '@context': listOf(text(512), 2),
  type: exactly('VerifiableCredential', 'OrbCertificationCredential'),
  id: text(1024),
  issuer: httpsOrigin,
  validFrom: seconds,
  validUntil: seconds,
  credentialSubject: subject,
  credentialStatus: closed({
    id: text(1024),
    type: oneOf('BitstringStatusListEntry'),
    statusPurpose: oneOf('revocation'),
    statusListIndex: matching(/^(?:0|[1-9]\d{0,5})$/),
    statusListCredential: text(512),
  }),
});

const hasMembers = (value: JsonObject): value is JsonObject & Credential => members(value);

/** Number of the list in its address; NaN: not an address of a list of this issuer. */
function listNumber(issuer: string, url: string): number {
  const list = Number(/\/([1-9]\d{0,8})$/.exec(url)?.[1]);
  return url === statusListUrl(issuer, list) ? list : Number.NaN;
}

/** Whether the addresses are those of this issuer, Orb and time, as the issuer writes them. */
function addressesFit(credential: Credential): boolean {
  const { id, issuer, validFrom, validUntil, credentialStatus: status } = credential;
  return (
    exactly(W3C_CONTEXT, `${issuer}${CONTEXT_PATH}`)(credential['@context']) &&
    id === `${issuer}/reputation/${orbIdOf(credential)}/certificate#${validFrom}` &&
    Date.parse(validUntil) > Date.parse(validFrom) &&
    status.id === `${status.statusListCredential}#${status.statusListIndex}` &&
    Number(status.statusListIndex) < LIST_BITS &&
    !Number.isNaN(listNumber(issuer, status.statusListCredential))
  );
}

/** Whether a payload is a certificate: a closed object, whose addresses belong to its issuer (trust.md §6.1). */
export const isCredential = (value: JsonObject): value is JsonObject & Credential =>
  hasMembers(value) && addressesFit(value);
