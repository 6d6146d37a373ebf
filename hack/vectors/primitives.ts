import { createHmac, createPrivateKey, createPublicKey, hash, sign, verify } from 'node:crypto';
import { thumbprint, type PublicJwk } from '../../core/receipt/keys-document.ts';
import type { Signer } from '../../core/receipt/signer.ts';
import { fromHex } from './read.ts';

// Uses the primitives of Node, so that vectors do not depend on adapters.

export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer');
export const sha256Hex = (data: Uint8Array | string): string => hash('sha256', data, 'hex');

export const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array =>
  createHmac('sha256', key).update(message).digest();

export function ed25519Verify(publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean {
  try {
    const x = Buffer.from(publicKey).toString('base64url');
    return verify(null, message, createPublicKey({ key: { crv: 'Ed25519', kty: 'OKP', x }, format: 'jwk' }), signature);
  } catch {
    return false; // bytes that are not a point of the curve are not a key
  }
}

export interface TestKey extends Signer {
  readonly jwk: PublicJwk;
  readonly publicKey: Uint8Array;
}

// PKCS #8 around a 32-byte Ed25519 seed (RFC 8410 §7).
const PKCS8_PREFIX = '302e020100300506032b657004220420';

/** A signing key from its seed, as in vector files. */
export function keyOfSeed(seedHex: string): TestKey {
  const der = Buffer.from(PKCS8_PREFIX + seedHex, 'hex');
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const jwk: PublicJwk = { crv: 'Ed25519', kty: 'OKP', x };
  const publicKey = fromHex(Buffer.from(x, 'base64url').toString('hex'));
  return { jwk, publicKey, kid: thumbprint(jwk, sha256), sign: (bytes) => sign(null, bytes, key) };
}

/** 32 bytes of the `x` of a public key. */
export const publicBytes = (x: string): Uint8Array => Uint8Array.from(Buffer.from(x, 'base64url'));
