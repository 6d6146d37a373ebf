import { createRequire } from 'node:module';
import { isKeyAndSignature, SEED_BYTES, SIGNATURE_BYTES } from './primitives.ts';

/** Verifies by a raw public key. Malformed input gives false and never throws. */
export type VerifyEd25519 = (publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array) => boolean;

/** A signature of 64 bytes. */
export type SignEd25519 = (message: Uint8Array) => Uint8Array;

/** Signs and verifies with libsodium, or says why libsodium can't be used on this machine. */
export type NativeEd25519 =
  | {
      readonly ok: true;
      readonly verify: VerifyEd25519;
      /**
       * Copies the private key to memory that libsodium guards: read-only, locked where the limit of the process allows it, in no
       * core dump of Linux, cleared when it is freed.
       * @param seed 32 bytes, for the caller to clear @throws RangeError it has another length
       */
      readonly signWith: (seed: Uint8Array) => SignEd25519;
    }
  | { readonly ok: false; readonly reason: string };

/** Exports of a native module. @throws Error it can't be loaded */
export type LoadModule = (path: string) => unknown;

type Bytes = ArrayBufferLike | Uint8Array | number;
/** Checks nothing: with a wrong type or length it reads and writes beyond what it is given. */
type Raw = (...given: readonly Bytes[]) => unknown;

const RAW_NAMES = [
  'crypto_sign_verify_detached',
  'crypto_sign_detached',
  'crypto_sign_seed_keypair',
  'sodium_malloc',
  'sodium_mprotect_readonly',
] as const;
type RawFunctions = Readonly<Record<(typeof RAW_NAMES)[number], Raw>>;

const SECRET_BYTES = 64;

interface KnownAnswer {
  readonly seed: string;
  readonly key: string;
  readonly message: string;
  readonly signature: string;
}

/** RFC 8032 §7.1, tests 1 and 3; then the key of test 1 with a message as long as a receipt, as `node:crypto` signs it. */
const KNOWN_ANSWERS: readonly KnownAnswer[] = [
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '',
    signature:
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  },
  {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    key: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  {
    seed: '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    key: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    message: '61'.repeat(2300),
    signature:
      'ab4c6d042bdd9b129b87d40fc44016efb118ed821bedca2836f1f45ba733beafd59047655b3d14b6e1eece72c04fcbd1400adfbf2314ead3b198551016ace305',
  },
];

const isRaw = (value: unknown): value is Raw => typeof value === 'function';

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isRawFunctions = (exported: unknown): exported is RawFunctions =>
  isRecord(exported) && RAW_NAMES.every((name) => isRaw(exported[name]));

const verifierOf =
  ({ crypto_sign_verify_detached: raw }: RawFunctions): VerifyEd25519 =>
  (key, signature, message) => {
    if (!isKeyAndSignature(key, signature)) return false;
    const { buffer: signatureIn, byteOffset: signatureAt, byteLength: signatureLength } = signature;
    const { buffer: messageIn, byteOffset: messageAt, byteLength: messageLength } = message;
    const { buffer: keyIn, byteOffset: keyAt, byteLength: keyLength } = key;
    const spans = [signatureIn, signatureAt, signatureLength, messageIn, messageAt, messageLength] as const;
    return raw(...spans, keyIn, keyAt, keyLength) === true;
  };

/** Without memory Node ends the process. */
function guardedMemory({ sodium_malloc: allocate }: RawFunctions): Uint8Array<ArrayBuffer> {
  const memory = allocate(SECRET_BYTES);
  if (!(memory instanceof ArrayBuffer) || memory.byteLength !== SECRET_BYTES) throw new Error('no memory for a key');
  return new Uint8Array(memory);
}

function signerWith(raw: RawFunctions, seed: Uint8Array): SignEd25519 {
  if (seed.length !== SEED_BYTES) throw new RangeError('the seed of a key has 32 bytes');
  const secret = guardedMemory(raw);
  const made = raw.crypto_sign_seed_keypair(new Uint8Array(seed.length), secret, seed);
  if (made !== 0) throw new Error('libsodium made no key');
  if (raw.sodium_mprotect_readonly(secret.buffer) !== 0) throw new Error('the memory of a key can not be protected');
  return (message) => {
    if (!(message instanceof Uint8Array)) throw new TypeError('libsodium signs bytes');
    const signature = new Uint8Array(SIGNATURE_BYTES);
    if (raw.crypto_sign_detached(signature, message, secret) !== 0) throw new Error('libsodium did not sign');
    return signature;
  };
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

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

/** Whether it makes the signatures of the standard. */
const makesAnswers = (raw: RawFunctions): boolean =>
  KNOWN_ANSWERS.every(
    ({ seed, message, signature }) =>
      hexOf(signerWith(raw, Buffer.from(seed, 'hex'))(Buffer.from(message, 'hex'))) === signature,
  );

/**
 * The Ed25519 of libsodium: it verifies in half the time of `node:crypto`, and signs in 0.55 to 0.75 of it (performance.md §8). Only its binary is loaded, by its
 * path: of the package's JavaScript and the packages that it asks for, nothing runs. The binary answers known cases first.
 * The package is optional. Without it, on a machine that it has no binary for, or with musl, the result says so.
 */
export function loadNativeEd25519(load: LoadModule = createRequire(import.meta.url)): NativeEd25519 {
  const path = `sodium-native/prebuilds/${process.platform}-${process.arch}/sodium-native.node`;
  try {
    const raw = load(path);
    if (!isRawFunctions(raw)) return { ok: false, reason: `${path} lacks a function to sign or to verify with` };
    const verify = verifierOf(raw);
    if (!knowsAnswers(verify) || !makesAnswers(raw)) return { ok: false, reason: `${path} gives wrong answers` };
    return { ok: true, verify, signWith: (seed) => signerWith(raw, seed) };
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return { ok: false, reason };
  }
}
