import type { ReputationReader, Standing } from '../../../../../api-server/reputation/reputation-reader.ts';
import type { IssuedCertificate } from '../../../../../api-server/reputation/reputation-reader.ts';
import { certificateEntry } from '../../../../../core/certificate/certificate-entry.ts';
import { credentialIn } from '../../../../../core/certificate/read-credential.ts';
import { parseTlogProof } from '../../../../../core/merkle/tlog-proof.ts';
import type { Ledger } from '../../../../../adapters/ledger/port.ts';
import { sha256Hex } from '../../../../../hack/vectors/primitives.ts';
import { INDEX, keys, keysJwsOf, proofOf } from '../../../core/verify/a-world.ts';
import { aJwt, aStatusList, certificateKeys } from '../../../core/verify/a-certificate.ts';

export const ORB = 'acme.echo@1.2.0';

/** The standing of a gold Orb. */
export const aStanding = (changes: Partial<Standing> = {}): Standing => ({
  orbId: ORB,
  status: 'active',
  tier: 'gold',
  tierStatus: 'stable',
  missing: [],
  ...changes,
});

export const anIssued = (changes: Partial<IssuedCertificate> = {}): IssuedCertificate => ({
  jwt: aJwt(),
  logIndex: INDEX,
  revoked: false,
  ...changes,
});

/** What the reader holds; members that are absent are not there. */
export interface Held {
  readonly standing?: Standing;
  readonly issued?: IssuedCertificate;
  readonly list?: string;
}

/** A reader that knows one Orb, whose only active version is `ORB`. */
export const aReader = (held: () => Held): ReputationReader => ({
  standing: async (orbId) => (orbId === held().standing?.orbId ? held().standing : undefined),
  highestActive: async (name) => (name === 'acme.echo' ? held().standing?.orbId : undefined),
  certificateOf: async (orbId) => (orbId === ORB ? held().issued : undefined),
  statusListOf: async (list) => (list === 1 ? (held().list ?? aStatusList()) : undefined),
});

/** The ledger of a-world.ts, which holds the entry of a certificate at `INDEX`. */
export function aLedger(jwt: string): Pick<Ledger, 'checkpointCovering' | 'inclusionProof'> {
  const credential = credentialIn(jwt);
  if (credential === undefined) throw new TypeError('no certificate');
  const proof = parseTlogProof(proofOf(certificateEntry(credential, sha256Hex(jwt)), keys.log));
  if (proof === undefined) throw new TypeError('no proof');
  return {
    checkpointCovering: async () => ({ size: 11, note: proof.checkpoint }),
    inclusionProof: async () => [...proof.hashes],
  };
}

export const certificateKeyring = {
  keysJws: keysJwsOf(certificateKeys(), keys.root),
  document: certificateKeys(),
};
