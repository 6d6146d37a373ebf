import { generateKeyPairSync, sign } from 'node:crypto';
import { claimText } from '../../core/publication/dns-proof.ts';

/** A key of an organisation: its TXT record, and its signatures of challenges. */
export interface TestOrgKey {
  readonly record: (org: string) => string;
  readonly sign: (org: string, tenant: string, nonce: string) => string;
}

export function anOrgKey(): TestOrgKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64');
  return {
    record: (org) => `v=ORBv1; org=${org}; k=ed25519; p=${raw}`,
    sign: (org, tenant, nonce) => sign(null, Buffer.from(claimText(org, tenant, nonce)), privateKey).toString('base64'),
  };
}
