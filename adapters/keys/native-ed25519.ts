import { createRequire } from 'node:module';
import { isKeyAndSignature } from './primitives.ts';

/** Verifies by a raw public key. Malformed input gives false and never throws. */
export type VerifyEd25519 = (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean;

/** Verifies with libsodium, or says why libsodium can't be used on this machine. */
export type NativeEd25519 =
  | { readonly ok: true; readonly verify: VerifyEd25519 }
  | { readonly ok: false; readonly reason: string };

/** Exports of a native module. @throws Error it can't be loaded */
export type LoadModule = (path: string) => unknown;

/** Three buffers, each with the offset and the length of what counts. It reads beyond them when a length is wrong. */
type Raw = (...spans: readonly (ArrayBufferLike | number)[]) => unknown;

interface KnownAnswer {
  readonly key: string;
  readonly message: string;
  readonly signature: string;
}

/** RFC 8032 §7.1, tests 1 and 3. */
const KNOWN_ANSWERS: readonly KnownAnswer[] = [
  {
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
];

const isRaw = (value: unknown): value is Raw => typeof value === 'function';

function rawOf(exported: unknown): Raw | undefined {
  if (typeof exported !== 'object' || exported === null) return undefined;
  const found: unknown = Reflect.get(exported, 'crypto_sign_verify_detached');
  return isRaw(found) ? found : undefined;
}

const checked =
  (raw: Raw): VerifyEd25519 =>
  (key, signature, message) => {
    if (!isKeyAndSignature(key, signature)) return false;
    const { buffer: signatureIn, byteOffset: signatureAt, byteLength: signatureLength } = signature;
    const { buffer: messageIn, byteOffset: messageAt, byteLength: messageLength } = message;
    const { buffer: keyIn, byteOffset: keyAt, byteLength: keyLength } = key;
    const spans = [signatureIn, signatureAt, signatureLength, messageIn, messageAt, messageLength] as const;
    return raw(...spans, keyIn, keyAt, keyLength) === true;
  };

/** Whether it accepts the answers of the standard, and none with another signature, message or key. */
function knowsAnswers(verify: VerifyEd25519): boolean {
  return KNOWN_ANSWERS.every(({ key, message, signature }) => {
    const parts = [key, signature, `${message}00`].map((text) => Buffer.from(text, 'hex'));
    const [publicKey, made, longer] = parts;
    if (publicKey === undefined || made === undefined || longer === undefined) return false;
    const signed = longer.subarray(0, -1);
    const altered = Buffer.from(made);
    altered[0] = (altered[0] ?? 0) ^ 1;
    const otherKey = publicKey.toReversed();
    const wrong = [verify(publicKey, altered, signed), verify(publicKey, made, longer), verify(otherKey, made, signed)];
    return verify(publicKey, made, signed) && !wrong.includes(true);
  });
}

/**
 * The Ed25519 of libsodium: it verifies in half the time of `node:crypto` (performance.md). Only its binary is loaded, by its
 * path: of the package's JavaScript and the packages that it asks for, nothing runs. The binary answers known cases first.
 * The package is optional. Without it, on a machine that it has no binary for, or with musl, the result says so.
 */
export function loadNativeEd25519(load: LoadModule = createRequire(import.meta.url)): NativeEd25519 {
  const path = `sodium-native/prebuilds/${process.platform}-${process.arch}/sodium-native.node`;
  try {
    const raw = rawOf(load(path));
    if (raw === undefined) return { ok: false, reason: `${path} has no function to verify with` };
    const verify = checked(raw);
    return knowsAnswers(verify) ? { ok: true, verify } : { ok: false, reason: `${path} gives wrong answers` };
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { ok: false, reason };
  }
}
