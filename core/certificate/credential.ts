import type { JsonObject } from '../json/json-value.ts';

/** Seven days, ms: a certificate ends by itself soon after the evaluations stop (trust.md §6.1). */
const CERTIFICATE_MS = 7 * 24 * 3_600_000;

/** Bits of one status list; a full list is followed by the next one. */
export const LIST_BITS = 131_072;

/** The vocabulary of every verifiable credential. */
export const W3C_CONTEXT = 'https://www.w3.org/ns/credentials/v2';

/** Path of our own vocabulary, below the issuer. */
export const CONTEXT_PATH = '/.well-known/orb-context/v1';

/** Path of the status lists, below the issuer; the number of a list follows, from 1. */
const STATUS_LIST_PATH = '/.well-known/orb-status-list';

/** Tiers that a certificate can state, the lowest first. */
export const CERTIFIED_TIERS = ['bronze', 'silver', 'gold', 'platinum'] as const;

/** States of a tier that a certificate can state: a suspended Orb has none. */
export const CERTIFIED_STATUSES = ['stable', 'at_risk'] as const;

// Types, not interfaces: TypeScript accepts only types as JSON objects.

/** The part of the public log that a score was computed over. */
type CertificateEvidence = {
  readonly log_origin: string;
  readonly tree_size: number;
  /** Standard base64 of 32 bytes. */
  readonly root_hash: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly as_of: string;
};

/** What a certificate says about a version. */
export type CertificateSubject = {
  /** `urn:orb:{orb_id}` */
  readonly id: string;
  /** `sha256:` and 64 hexadecimal digits: another manifest does not inherit the certificate. */
  readonly manifest_digest: string;
  readonly tier: (typeof CERTIFIED_TIERS)[number];
  readonly tier_status: (typeof CERTIFIED_STATUSES)[number];
  /** 0–100 */
  readonly reputation_score: number;
  readonly algorithm: string;
  readonly evidence: CertificateEvidence;
  /** Stable codes of the criteria of the tiers that hold. */
  readonly criteria_met: readonly string[];
};

/** Certificate of a tier: a W3C Verifiable Credential 2.0, closed (trust.md §6.1). */
export type Credential = {
  readonly '@context': readonly string[];
  readonly type: readonly string[];
  readonly id: string;
  readonly issuer: string;
  /** UTC, whole seconds. */
  readonly validFrom: string;
  readonly validUntil: string;
  readonly credentialSubject: CertificateSubject;
  /** Bit of the status list that says whether it was revoked. */
  readonly credentialStatus: {
    readonly id: string;
    readonly type: 'BitstringStatusListEntry';
    readonly statusPurpose: 'revocation';
    /** Decimal, 0 … 131071: the place in its list. */
    readonly statusListIndex: string;
    readonly statusListCredential: string;
  };
};

/** What the issuer decides about a certificate. */
export interface CertificateFacts {
  readonly issuer: string;
  readonly orbId: string;
  /** Time of issue, ms since epoch; its part of a second is dropped. */
  readonly issuedAt: number;
  readonly subject: Omit<CertificateSubject, 'id'>;
  /** Number of the publication's bit among those of all lists, from 0. */
  readonly statusIndex: number;
}

/** `YYYY-MM-DDTHH:MM:SSZ`. @param at ms since epoch, of a year with four digits */
export const secondsText = (at: number): string => `${new Date(at).toISOString().slice(0, 19)}Z`;

/** Address of a status list. @param list from 1 */
export const statusListUrl = (issuer: string, list: number): string => `${issuer}${STATUS_LIST_PATH}/${list}`;

/** The status list that a bit belongs to, from 1. */
export const listOfIndex = (statusIndex: number): number => Math.floor(statusIndex / LIST_BITS) + 1;

function statusOf(issuer: string, statusIndex: number): Credential['credentialStatus'] {
  const list = statusListUrl(issuer, listOfIndex(statusIndex));
  const place = String(statusIndex % LIST_BITS);
  return {
    id: `${list}#${place}`,
    type: 'BitstringStatusListEntry',
    statusPurpose: 'revocation',
    statusListIndex: place,
    statusListCredential: list,
  };
}

/** The certificate of a version, valid for seven days from its time of issue (trust.md §6.1). */
export function makeCredential({ issuer, orbId, issuedAt, subject, statusIndex }: CertificateFacts): Credential {
  const validFrom = secondsText(issuedAt);
  return {
    '@context': [W3C_CONTEXT, `${issuer}${CONTEXT_PATH}`],
    type: ['VerifiableCredential', 'OrbCertificationCredential'],
    id: `${issuer}/reputation/${orbId}/certificate#${validFrom}`,
    issuer,
    validFrom,
    validUntil: secondsText(Date.parse(validFrom) + CERTIFICATE_MS),
    credentialSubject: { id: `urn:orb:${orbId}`, ...subject },
    credentialStatus: statusOf(issuer, statusIndex),
  };
}

/** Id of the Orb that a certificate is about. */
export const orbIdOf = ({ credentialSubject }: Credential): string => credentialSubject.id.slice('urn:orb:'.length);

/** Number of the certificate's bit among those of all lists, from 0. */
export function statusIndexOf({ credentialStatus }: Credential): number {
  const { statusListCredential: list, statusListIndex: place } = credentialStatus;
  return (Number(list.slice(list.lastIndexOf('/') + 1)) - 1) * LIST_BITS + Number(place);
}

/** A credential as a JSON object. */
export type CredentialObject = JsonObject & Credential;
