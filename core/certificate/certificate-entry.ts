import { entryText } from '../log-entry/entry.ts';
import { orbIdOf, statusIndexOf, type Credential } from './credential.ts';

const withMilliseconds = (secondsText: string): string => new Date(secondsText).toISOString();

/**
 * Log entry of a certificate (trust.md §2.1). All of it follows from the certificate, so a verifier makes it again.
 * @param certificateSha256 lower-case hex of the SHA-256 of the JWT string
 * @returns JCS text
 */
export const certificateEntry = (credential: Credential, certificateSha256: string): string =>
  entryText({
    kind: 'certificate',
    orb_id: orbIdOf(credential),
    manifest_digest: credential.credentialSubject.manifest_digest,
    certificate_sha256: certificateSha256,
    tier: credential.credentialSubject.tier,
    valid_until: withMilliseconds(credential.validUntil),
    status_index: statusIndexOf(credential),
    at: withMilliseconds(credential.validFrom),
  });
