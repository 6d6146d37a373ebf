import { createPrivateKey } from 'node:crypto';
import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { nextOrigin } from '../../core/merkle/log-origin.ts';
import { signJws } from '../../core/receipt/jws.ts';
import { openKeys } from '../../core/verify/keys.ts';
import { KeysError, signingKeyOf, type SigningKey } from './key-folder.ts';
import type { PlatformKeys } from './port.ts';
import { ed25519Verify, nodeEncoding, sha256, signerOf } from './primitives.ts';

/** A keys document that names another log. */
export interface NewOrigin {
  /** The document, signed by the root. */
  readonly keysJws: string;
  readonly logOrigin: string;
  readonly sequence: number;
}

function rootKey(pem: string, { root }: PlatformKeys): SigningKey {
  let key: SigningKey | undefined;
  try {
    key = signingKeyOf(createPrivateKey(pem));
  } catch (error) {
    if (error instanceof KeysError) throw error; // another kind of key
  }
  if (key === undefined) throw new KeysError('keys-invalid', 'The root key is no private key in PEM.');
  if (key.kid === root.kid) return key;
  throw new KeysError('keys-invalid', `This is another root key, ${key.kid}: the root of these keys is ${root.kid}.`);
}

/**
 * The next keys document: every key stays, and the log has its next origin.
 * @param rootPem private key of the root
 * @param now ms since epoch
 * @throws KeysError it is not the root of these keys, or their document does not name a log of this platform
 */
export async function keysForNewOrigin(keys: PlatformKeys, rootPem: string, now: number): Promise<NewOrigin> {
  const root = rootKey(rootPem, keys);
  const opened = await openKeys(keys.keysJws, keys.root, { sha256, ed25519Verify });
  const logOrigin = nextOrigin(keys.logOrigin);
  if (!opened.ok || logOrigin === undefined)
    throw new KeysError('keys-invalid', `The log ${keys.logOrigin} has no next name.`);
  const sequence = opened.document.sequence + 1;
  const issuedAt = new Date(now).toISOString();
  const document: JsonObject = {
    schema: opened.document.schema,
    issuer: opened.document.issuer,
    log_origin: logOrigin,
    sequence,
    issued_at: issuedAt,
    keys: opened.document.keys.map((key) => ({ ...key, jwk: { ...key.jwk } })),
  };
  const signer = signerOf(root.kid, root.privateKey);
  return { keysJws: signJws(jcs(document), 'orb-keys+jws', signer, nodeEncoding), logOrigin, sequence };
}
