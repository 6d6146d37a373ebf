import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../core/json/json-value.ts';
import { publicKeyBytes, thumbprint, type KeysDocument, type PublicJwk } from '../../core/receipt/keys-document.ts';
import { openKeys } from '../../core/verify/keys.ts';
import {
  FILES,
  KeysError,
  readSecretKey,
  signingKeyOf,
  SECRET_KEYS,
  type PublishedRole,
  type SigningKey,
} from './key-folder.ts';
import type { PlatformKeys } from './port.ts';
import { ed25519Verify, publicKeyOf, sha256, signerOf } from './primitives.ts';
import { isTestKey } from './test-keys.ts';

type Root = PlatformKeys['root'];

async function readText(folder: string, file: string): Promise<string> {
  try {
    return await readFile(join(folder, file), 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    const advice =
      'Keys are made once, by `orb ledger init` or the first `npm start`; lost ones come from your backup only.';
    throw new KeysError('keys-missing', `There is no ${join(folder, file)}. ${advice}`);
  }
}

const invalid = (folder: string, file: string, what: string): KeysError =>
  new KeysError('keys-invalid', `${join(folder, file)} ${what}. Restore it from your backup.`);

function isJwk(value: unknown): value is PublicJwk {
  if (!isJsonObject(value)) return false;
  const { crv, kty, x } = value;
  return crv === 'Ed25519' && kty === 'OKP' && typeof x === 'string' && publicKeyBytes({ crv, kty, x }) !== undefined;
}

function parseJwk(text: string): Root | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJwk(value)) return undefined;
    const jwk = { crv: value.crv, kty: value.kty, x: value.x };
    return { kid: thumbprint(jwk, sha256), jwk };
  } catch {
    return undefined;
  }
}

function parsePem(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined; // the message of OpenSSL says nothing that helps
  }
}

async function readSigningKey(folder: string, role: PublishedRole): Promise<SigningKey> {
  const file = FILES.privateKey(role);
  const key = parsePem(await readText(folder, file));
  if (key?.asymmetricKeyType !== 'ed25519') throw invalid(folder, file, 'is no Ed25519 key in PEM');
  return signingKeyOf(key);
}

async function readSecret(folder: string, name: (typeof SECRET_KEYS)[number]): Promise<Uint8Array> {
  const file = FILES.secret(name);
  const bytes = readSecretKey(await readText(folder, file));
  if (bytes === undefined) throw invalid(folder, file, 'is not 32 bytes in base64url');
  return bytes;
}

async function readRoot(folder: string): Promise<Root> {
  const root = parseJwk(await readText(folder, FILES.rootJwk));
  if (root === undefined) throw invalid(folder, FILES.rootJwk, 'is no Ed25519 public key');
  return root;
}

async function openDocument(folder: string, keysJws: string, root: Root): Promise<KeysDocument> {
  const opened = await openKeys(keysJws, root, { sha256, ed25519Verify });
  if (!opened.ok) throw invalid(folder, FILES.keysJws, `is not signed by the root in ${FILES.rootJwk}`);
  return opened.document;
}

/** The public half of a key as the world knows it. */
function publishedHalf(document: KeysDocument, role: PublishedRole, { kid, jwk }: SigningKey): Uint8Array {
  const found = document.keys.find((key) => key.kid === kid && key.role === role && key.jwk.x === jwk.x);
  const bytes = found?.status === 'active' ? publicKeyBytes(found.jwk) : undefined;
  if (bytes !== undefined) return bytes;
  const state = found === undefined ? 'not in' : `${found.status} in`;
  throw new KeysError(
    'keys-not-published',
    `The ${role} key ${kid} is ${state} the keys document: nobody could verify with it.`,
  );
}

function refuseTestKeys(kids: readonly string[]): void {
  const found = kids.find(isTestKey);
  if (found === undefined) return;
  throw new KeysError(
    'keys-test',
    `The key ${found} is one of the published test vectors: everybody can sign with it.`,
  );
}

/**
 * Reads and checks the keys of a service (trust.md §3.1). The root's private key is not needed, and not read.
 * @throws KeysError `keys-missing`, `keys-invalid`, `keys-test`, or `keys-not-published`: don't start
 */
export async function loadKeys(folder: string): Promise<PlatformKeys> {
  const root = await readRoot(folder);
  const keysJws = (await readText(folder, FILES.keysJws)).trim();
  const keyEvents = (await readText(folder, FILES.keyEvents)).split('\n').filter((line) => line !== '');
  const receipt = await readSigningKey(folder, 'receipt');
  const log = await readSigningKey(folder, 'log');
  const certificate = await readSigningKey(folder, 'certificate');
  const [tagKey, dataKey] = [await readSecret(folder, 'tag'), await readSecret(folder, 'data')];
  await readSecret(folder, 'ingest-id');
  refuseTestKeys([root.kid, receipt.kid, log.kid, certificate.kid]);
  const document = await openDocument(folder, keysJws, root);
  publishedHalf(document, 'certificate', certificate);
  return {
    receipt: signerOf(receipt.kid, receipt.privateKey),
    receiptPublic: publicKeyOf(publishedHalf(document, 'receipt', receipt)),
    log: { kid: log.kid, privateKey: log.privateKey, publicKey: publishedHalf(document, 'log', log) },
    tagKey,
    dataKey,
    keysJws,
    root,
    issuer: document.issuer,
    logOrigin: document.log_origin,
    keyEvents,
  };
}
