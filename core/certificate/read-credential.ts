import { readPayload } from '../receipt/payload.ts';
import { parseJws } from '../receipt/jws.ts';
import { isCredential } from './credential-schema.ts';
import type { CredentialObject } from './credential.ts';

/** The certificate in a JWT, not verified: for JWTs that this platform sealed. @returns undefined: it is none */
export function credentialIn(jwt: string): CredentialObject | undefined {
  const parts = parseJws(jwt);
  const payload = parts === undefined ? undefined : readPayload(parts.payload, false);
  return payload?.ok === true && isCredential(payload.value) ? payload.value : undefined;
}
