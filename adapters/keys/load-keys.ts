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

/** Where key files are: a folder, or the entries of a Secret. */
export interface KeySource {
  /** @returns undefined when there is no such file */
  readonly read: (file: string) => Promise<string | undefined>;
  /** How people call that file. */
  readonly place: (file: string) => string;
}

const folderSource = (folder: string): KeySource => ({
  place: (file) => join(folder, file),
  read: async (file) => {
    try {
      return await readFile(join(folder, file), 'utf8');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  },
});

async function readText(source: KeySource, file: string): Promise<string> {
  const text = await source.read(file);
  if (text !== undefined) return text;
  const advice =
    'Keys are made once, by `orb ledger init` or the first `npm start`; lost ones come from your backup only.';
  throw new KeysError('keys-missing', `There is no ${source.place(file)}. ${advice}`);
}

const invalid = (source: KeySource, file: string, what: string): KeysError =>
  new KeysError('keys-invalid', `${source.place(file)} ${what}. Restore it from your backup.`);

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

async function readSigningKey(source: KeySource, role: PublishedRole): Promise<SigningKey> {
  const file = FILES.privateKey(role);
  const key = parsePem(await readText(source, file));
  if (key?.asymmetricKeyType !== 'ed25519') throw invalid(source, file, 'is no Ed25519 key in PEM');
  return signingKeyOf(key);
}

async function readSecret(source: KeySource, name: (typeof SECRET_KEYS)[number]): Promise<Uint8Array> {
  const file = FILES.secret(name);
  const bytes = readSecretKey(await readText(source, file));
  if (bytes === undefined) throw invalid(source, file, 'is not 32 bytes in base64url');
  return bytes;
}

async function readRoot(source: KeySource): Promise<Root> {
  const root = parseJwk(await readText(source, FILES.rootJwk));
  if (root === undefined) throw invalid(source, FILES.rootJwk, 'is no Ed25519 public key');
  return root;
}

async function openDocument(source: KeySource, keysJws: string, root: Root): Promise<KeysDocument> {
  const opened = await openKeys(keysJws, root, { sha256, ed25519Verify });
  if (!opened.ok) throw invalid(source, FILES.keysJws, `is not signed by the root in ${FILES.rootJwk}`);
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
export const loadKeys = (folder: string): Promise<PlatformKeys> => loadKeysFrom(folderSource(folder));

/** The same from anywhere else. @throws KeysError as `loadKeys` */
export async function loadKeysFrom(source: KeySource): Promise<PlatformKeys> {
  const root = await readRoot(source);
  const keysJws = (await readText(source, FILES.keysJws)).trim();
  const keyEvents = (await readText(source, FILES.keyEvents)).split('\n').filter((line) => line !== '');
  const receipt = await readSigningKey(source, 'receipt');
  const log = await readSigningKey(source, 'log');
  const certificate = await readSigningKey(source, 'certificate');
  const [tagKey, dataKey] = [await readSecret(source, 'tag'), await readSecret(source, 'data')];
  await readSecret(source, 'ingest-id');
  refuseTestKeys([root.kid, receipt.kid, log.kid, certificate.kid]);
  const document = await openDocument(source, keysJws, root);
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
