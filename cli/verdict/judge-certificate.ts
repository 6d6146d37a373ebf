import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import { checkBadge, readBadge, type ReadBadge } from '../../core/badge/read-badge.ts';
import type { CredentialObject } from '../../core/certificate/credential.ts';
import { CERTIFICATE_ROWS, verification } from '../../core/verify/rows.ts';
import type { Verification } from '../../core/verify/verdict.ts';
import { verifyCertificate, type CertificateOptions } from '../../core/verify/verify-certificate.ts';
import type { VerifySubject } from '../../core/verify/verify.ts';
import type { Document } from './document.ts';
import type { KeyedDocument } from './judge-document.ts';
import type { Report } from './report.ts';

// Loaded only when a certificate is verified: receipts need none of it.

/** What all certificates of one call are judged by. */
export interface CertificateSettings {
  readonly allowUnlogged: boolean;
  /** The status list of `--status-list`, signed. */
  readonly statusList: string | undefined;
  /** Ms since epoch. */
  readonly now: () => number;
}

async function listOption(statusList: string | undefined): Promise<Pick<CertificateOptions, 'statusList'>> {
  if (statusList === undefined) return {};
  const { gunzip } = await import('../../adapters/gzip/gzip.ts');
  return { statusList: { jwt: statusList, gunzip } };
}

/** The library that draws badges is loaded only for a badge. */
async function badgeOption(badge: ReadBadge | undefined, jwt: string): Promise<Pick<CertificateOptions, 'badge'>> {
  if (badge === undefined) return {};
  const { drawFace } = await import('../../adapters/badge/draw-face.ts');
  return { badge: (credential: CredentialObject) => checkBadge(badge, { credential, jwt }, drawFace) };
}

/** A certificate, and the image that it was found in. */
export interface FoundCertificate {
  readonly document: KeyedDocument;
  readonly badge?: ReadBadge;
}

/** Verifies a certificate. One alone has no proof, so it needs none. */
export async function judgeCertificate(
  subject: VerifySubject,
  { document, badge }: FoundCertificate,
  settings: CertificateSettings,
): Promise<Verification> {
  const options: CertificateOptions = {
    allowUnlogged: settings.allowUnlogged || document.kind !== 'bundle',
    ...(await listOption(settings.statusList)),
    ...(await badgeOption(badge, subject.jws)),
  };
  return verifyCertificate(subject, options, { sha256, ed25519Verify, now: settings.now });
}

const reportOf = (judged: Verification): Report => ({ verification: judged, keys: undefined, next: [] });

/** The certificate of a file, which may be an image. @returns the report when the image has none */
export function certificateIn(
  file: Exclude<Document, { kind: 'malformed' }>,
): FoundCertificate | { readonly report: Report } {
  if (file.kind !== 'svg') return { document: file };
  const badge = readBadge(file.bytes);
  if (badge === undefined) return { report: reportOf(verification({ bundle: 'malformed' }, {}, CERTIFICATE_ROWS)) };
  const { jwt } = badge;
  if (jwt === undefined) return { report: reportOf(verification({ badge: 'not_certified' }, {}, CERTIFICATE_ROWS)) };
  return { document: { kind: 'certificate', jws: jwt }, badge };
}
