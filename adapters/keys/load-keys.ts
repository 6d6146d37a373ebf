import { createPrivateKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { isJsonObject } from '../../core/json/json-value.ts';
import { publicKeyBytes, thumbprint, type KeysDocument, type PublicJwk } from '../../core/receipt/keys-document.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { exposure } from '../private-file/exposed.ts';
import { readIfExists } from '../private-file/read-if-exists.ts';
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

/** Thumbprints of the Ed25519 keys of the published test vectors. Their private halves are public. */
const TEST_KIDS: ReadonlySet<string> = new Set([
  'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  'IpgXOrtTtqJU2N8RmSdZLiTsR0Tc0VV6RBL_p4B-t5o',
  'RJE9rDe3Uwu4yADb2qIcVjTtnHDWy8OjdxF3l1WD7ZM',
  'y3Fg2-xVO_ZbafK5KRnHLbf180c9tvRDKF4-gwJw0Ko',
  'Ydt4-gVAKz5C4pvjaP2YeRpEiU1rLUPkBm8cJ7Y9UKo',
  'zvtS9PMqK-W51RklTbn1sWfcPAgPuObuv6CRXRKxFnE',
  'w5V1nV44d4gXncA7L3AUsOf17qq0_Tw-yK-ung3zX5Q',
  'oTUnGVIWhhqfg1S_rg-g92HkG3NmpID9tWMirRkJ2PM',
]);

/** True for a key that no service may run with (trust.md §3.1). */
const isTestKey = (kid: string): boolean => TEST_KIDS.has(kid);

type Root = PlatformKeys['root'];

/** Source of key files: a folder, or the entries of a Secret. */
export interface KeySource {
  /** @returns undefined when the file does not exist */
  readonly read: (file: string) => Promise<string | undefined>;
  /** The command that takes a file from others; undefined: only this process may read it. */
  readonly exposure: (file: string) => Promise<string | undefined>;
  /** Name of that file in messages. */
  readonly place: (file: string) => string;
}

const folderSource = (folder: string): KeySource => ({
  place: (file) => join(folder, file),
  read: (file) => readIfExists(join(folder, file)),
  exposure: (file) => exposure(join(folder, file)),
});

async function readText(source: KeySource, file: string): Promise<string> {
  const text = await source.read(file);
  if (text !== undefined) return text;
  const advice =
    'Keys are created once, by `orb ledger init` or the first `npm start`; lost keys can only come from your backup.';
  throw new KeysError('keys-missing', `There is no ${source.place(file)}. ${advice}`);
}

/** Like `readText`, for a file that holds a private or secret key. */
async function readPrivate(source: KeySource, file: string): Promise<string> {
  const command = await source.exposure(file);
  if (command === undefined) return readText(source, file);
  const next = `Run ${command}. A volume of a Secret needs defaultMode: 0440.`;
  const risk = 'When others could read it before, the key may be known: then it must be replaced.';
  throw new KeysError('keys-exposed', `Other users may read ${source.place(file)}. ${next} ${risk}`);
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
    return undefined; // the message of OpenSSL does not help
  }
}

async function readSigningKey(source: KeySource, role: PublishedRole): Promise<SigningKey> {
  const file = FILES.privateKey(role);
  const key = parsePem(await readPrivate(source, file));
  if (key?.asymmetricKeyType !== 'ed25519') throw invalid(source, file, 'is no Ed25519 key in PEM');
  return signingKeyOf(key);
}

async function readSecret(source: KeySource, name: (typeof SECRET_KEYS)[number]): Promise<Uint8Array> {
  const file = FILES.secret(name);
  const bytes = readSecretKey(await readPrivate(source, file));
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

/** The public half of a key, as the keys document publishes it. */
function publishedHalf(document: KeysDocument, role: PublishedRole, { kid, jwk }: SigningKey): Uint8Array {
  const found = document.keys.find((key) => key.kid === kid && key.role === role && key.jwk.x === jwk.x);
  const bytes = found?.status === 'active' ? publicKeyBytes(found.jwk) : undefined;
  if (bytes !== undefined) return bytes;
  const state = found === undefined ? 'not in' : `${found.status} in`;
  throw new KeysError(
    'keys-not-published',
    `The ${role} key ${kid} is ${state} the keys document: its signatures could not be verified.`,
  );
}

function refuseTestKeys(kids: readonly string[]): void {
  const found = kids.find(isTestKey);
  if (found === undefined) return;
  throw new KeysError('keys-test', `The key ${found} is one of the published test vectors: anyone can sign with it.`);
}

/**
 * Reads and checks the keys of a service (trust.md §3.1). The root's private key is not needed, and not read.
 * @throws KeysError `keys-missing`, `keys-invalid`, `keys-exposed`, `keys-test`, or `keys-not-published`: don't start
 */
export const loadKeys = (folder: string): Promise<PlatformKeys> => loadKeysFrom(folderSource(folder));

/** Like `loadKeys`, from any source. @throws KeysError as `loadKeys` */
export async function loadKeysFrom(source: KeySource): Promise<PlatformKeys> {
  const root = await readRoot(source);
  const keysJws = (await readText(source, FILES.keysJws)).trim();
  const keyEvents = (await readText(source, FILES.keyEvents)).split('\n').filter((line) => line !== '');
  const receipt = await readSigningKey(source, 'receipt');
  const log = await readSigningKey(source, 'log');
  const certificate = await readSigningKey(source, 'certificate');
  const [tagKey, dataKey] = [await readSecret(source, 'tag'), await readSecret(source, 'data')];
  const ingestIdKey = await readSecret(source, 'ingest-id');
  refuseTestKeys([root.kid, receipt.kid, log.kid, certificate.kid]);
  const document = await openDocument(source, keysJws, root);
  publishedHalf(document, 'certificate', certificate);
  return {
    receipt: { kid: receipt.kid, privateKey: receipt.privateKey },
    receiptPublic: publicKeyOf(publishedHalf(document, 'receipt', receipt)),
    certificate: signerOf(certificate.kid, certificate.privateKey),
    log: { kid: log.kid, privateKey: log.privateKey, publicKey: publishedHalf(document, 'log', log) },
    tagKey,
    dataKey,
    ingestIdKey,
    keysJws,
    root,
    issuer: document.issuer,
    logOrigin: document.log_origin,
    keyEvents,
  };
}
