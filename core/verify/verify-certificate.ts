import { certificateEntry } from '../certificate/certificate-entry.ts';
import { isCredential } from '../certificate/credential-schema.ts';
import type { CredentialObject } from '../certificate/credential.ts';
import type { Gunzip } from '../certificate/status-list.ts';
import { parseJws } from '../receipt/jws.ts';
import type { PublishedKey } from '../receipt/keys-document.ts';
import { checkInclusion } from './inclusion.ts';
import { inclusionRow, passIf, placeOf, statusRow, windowRow, type Logged } from './key-rows.ts';
import { openingRows, openJws } from './open-jws.ts';
import { CERTIFICATE_ROWS, verification, type CheckRow, type VerifiedFacts } from './rows.ts';
import { checkStatusList } from './status-list-row.ts';
import { validityRow } from './validity-row.ts';
import type { Verification } from './verdict.ts';
import type { VerifierPrimitives, VerifySubject } from './verify.ts';

/** What a certificate is judged by, beside the keys. */
export interface CertificateOptions {
  /** Accepts a certificate without proof. A proof that is present must still be good. */
  readonly allowUnlogged?: boolean;
  /** The status list as it was served; without it a revoked certificate passes until its end. */
  readonly statusList?: { readonly jwt: string; readonly gunzip: Gunzip };
  /** Compares the image around the certificate with what the certificate looks like. Injected: it needs a renderer. */
  readonly badge?: (credential: CredentialObject) => 'pass' | 'badge_mismatch' | 'badge_unknown';
}

async function loggedOf(
  { jws, proof, document }: VerifySubject,
  credential: CredentialObject,
  { allowUnlogged = false }: CertificateOptions,
  primitives: VerifierPrimitives,
): Promise<Logged> {
  if (proof === null) return allowUnlogged ? 'none' : 'not_in_log';
  return checkInclusion(jws, (sha256) => [certificateEntry(credential, sha256)], { proof, document }, primitives);
}

async function listRow(
  { document }: VerifySubject,
  credential: CredentialObject,
  { statusList }: CertificateOptions,
  primitives: VerifierPrimitives,
): Promise<CheckRow> {
  return statusList === undefined ? 'none' : checkStatusList(statusList, credential, document, primitives);
}

/** Rows 7 and 10 to 12, then those of certificates, for one whose signature and form are good. */
async function judge(
  subject: VerifySubject,
  { credential, key }: { readonly credential: CredentialObject; readonly key: PublishedKey },
  options: CertificateOptions,
  primitives: VerifierPrimitives,
): Promise<Verification> {
  const logged = await loggedOf(subject, credential, options, primitives);
  const rows = {
    jws: 'pass',
    record: 'pass',
    issuer: passIf(credential.issuer === subject.document.issuer, 'issuer'),
    inclusion: inclusionRow(logged),
    key_window: windowRow(credential.validFrom, key),
    key_status: statusRow(key, logged),
    ...(options.badge === undefined ? {} : { badge: options.badge(credential) }),
    validity: validityRow(credential, primitives.now()),
    status_list: await listRow(subject, credential, options, primitives),
  } as const;
  const facts: VerifiedFacts = {
    certificate: credential,
    key: { kid: key.kid, status: key.status },
    ...placeOf(logged, subject.document.log_origin),
  };
  return verification(rows, facts, CERTIFICATE_ROWS);
}

/**
 * Verifies a certificate with an opened keys document (trust.md §3.2, "A certificate or badge"). It never throws on any
 * input, as long as what is injected does not.
 * @param subject `jws` is the JWT
 */
export async function verifyCertificate(
  subject: VerifySubject,
  options: CertificateOptions,
  primitives: VerifierPrimitives,
): Promise<Verification> {
  const expected = { type: 'vc+jwt', role: 'certificate' } as const;
  const opened = await openJws(parseJws(subject.jws), expected, subject.document.keys, primitives);
  const found = opened.key === undefined ? {} : { key: { kid: opened.key.kid, status: opened.key.status } };
  if (!opened.ok) return verification(openingRows(opened.code), found, CERTIFICATE_ROWS);
  const { payload, key } = opened;
  if (!isCredential(payload)) return verification({ jws: 'pass', record: 'schema' }, found, CERTIFICATE_ROWS);
  return judge(subject, { credential: payload, key }, options, primitives);
}
