import { sha256 } from '../../adapters/keys/primitives.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { publicKeyBytes, thumbprint, type PublicJwk } from '../../core/receipt/keys-document.ts';
import type { Root } from '../../core/verify/keys.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { readText } from '../io/read-file.ts';

const MAX_BYTES = 64 * 1024;

function jwkOf(value: unknown, what: string): PublicJwk {
  if (!isJsonObject(value))
    throw invalid(`${what}: a root is a JSON Web Key such as {"crv":"Ed25519","kty":"OKP","x":"…"}`);
  if (Object.hasOwn(value, 'd'))
    throw invalid(`${what}: this is a PRIVATE key; pin its public half, and keep this one offline`);
  const { kty, crv, x } = value;
  if (kty !== 'OKP' || crv !== 'Ed25519' || typeof x !== 'string')
    throw invalid(`${what}: a root is an Ed25519 key (kty OKP, crv Ed25519, x)`);
  return { crv, kty, x };
}

/** A root key from its parsed JWK. @throws Failure it is not a public Ed25519 key */
export function rootOf(value: unknown, what: string): Root {
  const jwk = jwkOf(value, what);
  if (publicKeyBytes(jwk) === undefined) throw invalid(`${what}: x is not 32 bytes of base64url`);
  return { kid: thumbprint(jwk, sha256), jwk };
}

/** Parses JSON text. @returns undefined when it is not JSON */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Reads the value of `--root`: the JWK itself, or a file with it. @throws Failure */
export async function readRoot(text: string, io: Io): Promise<Root> {
  if (text.trimStart().startsWith('{')) return rootOf(parseJson(text), '--root');
  return rootOf(parseJson(await readText(text, MAX_BYTES, io)), text);
}
