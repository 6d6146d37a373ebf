import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { ed25519Verify, sha256 } from '../../adapters/keys/primitives.ts';
import type { WebhookPrimitives } from '../../core/ingestion/verification/primitives.ts';

/** Cryptography of deliveries by Node's library. */
export const webhookPrimitives: WebhookPrimitives = {
  hmac: (algorithm, key, parts) => {
    const hmac = createHmac(algorithm, key);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  },
  sha256,
  md5: (bytes) => createHash('md5').update(bytes).digest(),
  ecdsaVerify: (spki, signature, message) => {
    try {
      const key = createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' });
      const isP256 = key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
      return isP256 && verify('sha256', message, key, signature);
    } catch {
      return false;
    }
  },
  ed25519Verify,
  timingSafeEqual,
};
