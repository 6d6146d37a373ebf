import { jcs } from '../json/jcs.ts';
import type { JsonObject } from '../json/json-value.ts';
import { signJws } from '../receipt/jws.ts';
import type { SealTools } from '../receipt/seal.ts';
import { certificateEntry } from './certificate-entry.ts';
import { isCredential } from './credential-schema.ts';
import type { Credential } from './credential.ts';
import { isStatusList, type StatusListCredential } from './status-list.ts';

/** A signed certificate. */
export interface SealedCertificate {
  /** Compact JWS, about 2 kB. */
  readonly jwt: string;
  /** JCS text of its log entry. */
  readonly entry: string;
}

const signed = (payload: JsonObject, { signer, encoding }: SealTools): string =>
  signJws(jcs(payload), 'vc+jwt', signer, encoding);

/**
 * Signs a certificate as `vc+jwt`: the payload is the credential itself (trust.md §6.1).
 * @param tools with the certificate key
 * @throws TypeError it does not fit the closed schema, so no verifier would accept it
 */
export function sealCertificate(credential: Credential, tools: SealTools): SealedCertificate {
  if (!isCredential(credential)) throw new TypeError('the certificate is not of its schema');
  const jwt = signed(credential, tools);
  return { jwt, entry: certificateEntry(credential, tools.sha256Hex(jwt)) };
}

/** Signs a status list as `vc+jwt`, with the certificate key. @throws TypeError as `sealCertificate` */
export function sealStatusList(list: StatusListCredential, tools: SealTools): string {
  if (!isStatusList(list)) throw new TypeError('the status list is not of its schema');
  return signed(list, tools);
}
