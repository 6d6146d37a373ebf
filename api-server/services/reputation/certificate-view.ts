import { gunzip } from '../../../adapters/gzip/gzip.ts';
import { ed25519Verify, sha256 } from '../../../adapters/keys/primitives.ts';
import type { Clock } from '../../../adapters/time/clock.ts';
import type { CredentialObject } from '../../../core/certificate/credential.ts';
import { listOfIndex, statusIndexOf } from '../../../core/certificate/credential.ts';
import { credentialIn } from '../../../core/certificate/read-credential.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';
import type { KeysDocument } from '../../../core/receipt/keys-document.ts';
import type { Verification } from '../../../core/verify/verdict.ts';
import { verifyCertificate } from '../../../core/verify/verify-certificate.ts';
import type { Proof } from '../receipts/receipt-view.ts';
import type { Proofs } from './proofs.ts';
import type { IssuedCertificate, ReputationReader, Standing } from '../../reputation/reputation-reader.ts';

/** Parts that certificates are read and verified with. */
export interface CertificateSource {
  readonly reader: ReputationReader;
  readonly proofs: Proofs;
  readonly keys: { readonly keysJws: string; readonly document: KeysDocument };
  readonly clock: Pick<Clock, 'now'>;
}

/** State of a certificate at this time (trust.md §6.1). */
type CertificateStatus = 'active' | 'suspended' | 'revoked' | 'expired';

/** A certificate with its proof, state and verdict at this time. */
export interface CertificateView {
  readonly standing: Standing;
  readonly jwt: string;
  readonly credential: CredentialObject;
  readonly status: CertificateStatus;
  /** Absent: its entry is not in a signed tree yet. */
  readonly proof: Proof | undefined;
  readonly verification: Verification;
}

/** The certificate that this platform stored. @throws TypeError the ledger holds something else */
export function storedCredential({ jwt }: IssuedCertificate): CredentialObject {
  const credential = credentialIn(jwt);
  if (credential === undefined) throw new TypeError('a stored certificate can not be read');
  return credential;
}

/**
 * A version that is suspended itself, or by its organisation. One that was yanked stays yanked, also while its tier is
 * still that of a suspension before.
 */
export const isSuspended = ({ status, tierStatus }: Standing): boolean =>
  status === 'suspended' || (status !== 'yanked' && tierStatus === 'suspended');

function statusOf(
  standing: Standing,
  { revoked }: IssuedCertificate,
  { validUntil }: CredentialObject,
  now: number,
): CertificateStatus {
  if (isSuspended(standing)) return 'suspended';
  if (revoked) return 'revoked';
  return now > Date.parse(validUntil) ? 'expired' : 'active';
}

/** Verifies like an outsider who has the newest status list. */
async function verified(
  source: CertificateSource,
  jwt: string,
  credential: CredentialObject,
  proof: Proof | undefined,
): Promise<Verification> {
  const list = await source.reader.statusListOf(listOfIndex(statusIndexOf(credential)));
  return verifyCertificate(
    { jws: jwt, proof: proof?.text ?? null, document: source.keys.document },
    { allowUnlogged: true, ...(list === undefined ? {} : { statusList: { jwt: list, gunzip } }) },
    { sha256, ed25519Verify, now: source.clock.now },
  );
}

/**
 * The newest certificate of a published version.
 * @param needsProof false: a certificate is also shown while the ledger is away
 * @returns undefined: it never had one
 */
export async function loadCertificate(
  source: CertificateSource,
  standing: Standing,
  needsProof: boolean,
): Promise<CertificateView | undefined> {
  const issued = await source.reader.certificateOf(standing.orbId);
  if (issued === undefined) return undefined;
  const credential = storedCredential(issued);
  const { jwt } = issued;
  const proof = await (needsProof ? source.proofs.of : source.proofs.ifKnown)(issued.logIndex);
  const status = statusOf(standing, issued, credential, source.clock.now());
  return { standing, jwt, credential, status, proof, verification: await verified(source, jwt, credential, proof) };
}

/** The JSON form of trust.md §6.1. Tier and its state are those that the Orb holds now, as in its profile. */
export function certificateJson(view: CertificateView, { clock }: CertificateSource): JsonObject {
  const { standing, credential, status, jwt, verification } = view;
  return {
    status,
    tier: standing.tier,
    tier_status: standing.tierStatus,
    valid_from: credential.validFrom,
    valid_until: credential.validUntil,
    credential,
    jwt,
    verification: {
      verdict: verification.verdict,
      code: verification.code,
      checks: verification.checks
        .filter(({ id }) => id !== 'bundle' && id !== 'keys')
        .map(({ id, ok }) => ({ id, ok })),
      key: verification.key ? { kid: verification.key.kid, status: verification.key.status } : null,
      verified_at: new Date(clock.now()).toISOString(),
    },
  };
}

/** The bundle of trust.md §1.6, of a certificate. */
export const certificateBundle = ({ jwt, proof }: CertificateView, { keys }: CertificateSource): JsonObject => ({
  format: 'orb-bundle/1',
  jws: jwt,
  tlog_proof: proof?.text ?? null,
  keys_jws: keys.keysJws,
});
