import { verify, type KeyObject } from 'node:crypto';
import { loadNativeEd25519, type NativeEd25519 } from '../../adapters/keys/native-ed25519.ts';

/** Checks compact JWS with one Ed25519 public key. */
export interface SignatureChecker {
  /** Whether the signature fits. Never throws, whatever the text is. */
  readonly fits: (jws: string) => boolean;
}

type VerifyBytes = (signature: Uint8Array, message: Uint8Array) => boolean;

const checkerOf =
  (verifies: VerifyBytes): SignatureChecker['fits'] =>
  (jws) => {
    const dot = jws.lastIndexOf('.');
    const text = jws.slice(dot + 1);
    const signature = Buffer.from(text, 'base64url');
    // One text alone stands for a signature: the decoder skips what is no letter of it. UTF-8, as Latin would take "ł" for "B".
    return signature.toString('base64url') === text && verifies(signature, Buffer.from(jws.slice(0, dot), 'utf8'));
  };

const withNode =
  (key: KeyObject): VerifyBytes =>
  (signature, message) => {
    try {
      return verify(null, message, key, signature);
    } catch {
      return false;
    }
  };

/** Of what libsodium checks, `node:crypto` checks the first too, and each sixteenth after it. */
const BOTH_EVERY = 16;
/** It also checks one that comes so many ms after the last one that both checked. */
const BOTH_AFTER_MS = 60_000;

type Monotonic = () => number;

function withBoth(one: VerifyBytes, other: VerifyBytes, monotonic: Monotonic): VerifyBytes {
  let since = BOTH_EVERY;
  let at = 0;
  return (signature, message) => {
    const now = monotonic();
    const both = since >= BOTH_EVERY || now - at >= BOTH_AFTER_MS;
    since = both ? 1 : since + 1;
    if (both) at = now;
    return one(signature, message) && (!both || other(signature, message));
  };
}

/**
 * Receipts are signed and checked by libsodium, and some are checked by `node:crypto` as well: a fault of libsodium that is in
 * each signature and its check shows with the first receipt; one that is in some may show later. Where libsodium can't be loaded, `node:crypto` does all, with the
 * same verdicts.
 * @param native default: libsodium, loaded for this thread @param monotonic ms
 */
export function signatureChecker(
  key: KeyObject,
  native: NativeEd25519 = loadNativeEd25519(),
  monotonic: Monotonic = () => performance.now(),
): SignatureChecker {
  if (!native.ok) return { fits: checkerOf(withNode(key)) };
  const raw = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
  const withNative: VerifyBytes = (signature, message) => native.verify(raw, signature, message);
  return { fits: checkerOf(withBoth(withNative, withNode(key), monotonic)) };
}
