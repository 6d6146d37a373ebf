import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { signingKeyFrom } from '../../adapters/keys/key-folder.ts';
import { errorCode } from '../../core/errors/error-code.ts';
import { decodeBase64Url, encodeBase64 } from '../../core/json/base64.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';

const MAX_BYTES = 16 * 1024;
const KEY_BYTES = 32;

/** The key that proves an organisation. */
export interface OrgKey {
  /** Base64 of the raw Ed25519 public key, as a TXT record holds it. */
  readonly publicKey: string;
  /** @returns base64 of the Ed25519 signature */
  readonly sign: (text: string) => string;
}

function orgKeyOf(privateKey: KeyObject, publicKey: Uint8Array): OrgKey {
  return {
    publicKey: encodeBase64(publicKey),
    sign: (text) => encodeBase64(sign(null, Buffer.from(text), privateKey)),
  };
}

function rawPublicKey(privateKey: KeyObject, path: string): Uint8Array {
  const { x } = privateKey.export({ format: 'jwk' });
  const raw = x === undefined ? undefined : decodeBase64Url(x);
  if (privateKey.asymmetricKeyType !== 'ed25519' || raw === undefined) throw invalid(`${path}: it is no Ed25519 key`);
  return raw;
}

function parsePem(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw invalid(`${path}: it is no private key in PEM`, 'orb org claim ORG --domain DOMAIN --new-key FILE makes one');
  }
}

/** Reads a private key. @throws Failure it is no Ed25519 key in PEM */
export async function readOrgKey(path: string, io: Io): Promise<OrgKey> {
  const privateKey = parsePem(await readText(path, MAX_BYTES, io), path);
  return orgKeyOf(privateKey, rawPublicKey(privateKey, path));
}

/** Makes a key and writes its private half, for its owner alone. @throws Failure the file exists, or can't be written */
export async function makeOrgKey(path: string, io: Io): Promise<OrgKey> {
  const { privateKey } = signingKeyFrom(io.random(KEY_BYTES));
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  try {
    await writeFile(path, pem, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = errorCode(error) ?? 'unknown';
    throw invalid(
      `${path}: ${code === 'EEXIST' ? 'it exists already; --key uses it' : `it can't be written (${code})`}`,
    );
  }
  return orgKeyOf(privateKey, rawPublicKey(privateKey, path));
}
