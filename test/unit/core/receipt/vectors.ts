import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { nodeEncoding, sha256Hex, signerOf } from '../../../../adapters/keys/primitives.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';
import type { SealTools } from '../../../../core/receipt/seal.ts';
import type { PublicJwk } from '../../../../core/receipt/keys-document.ts';
import { textAt } from '../../../support/members.ts';

function load(name: string): JsonObject {
  const url = new URL(`../../../vectors/${name}.json`, import.meta.url);
  const value: unknown = JSON.parse(readFileSync(url, 'utf8'));
  if (!isJsonObject(value)) throw new TypeError(`${name}.json is no object`);
  return value;
}

export const receiptVectors = load('receipt');

/** The cases of one list, each an object. */
export function casesOf(file: JsonObject, list: string): readonly JsonObject[] {
  const found = file[list];
  const all: readonly unknown[] = Array.isArray(found) ? found : [];
  const cases = all.filter(isJsonObject);
  if (cases.length === 0) throw new TypeError(`no ${list}`);
  return cases;
}

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A private key of the vectors. */
export const privateKeyOf = (name: string): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([PKCS8, Buffer.from(textAt(receiptVectors, 'keys', name, 'private_seed_hex'), 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });

export const jwkOf = (name: string): PublicJwk => ({
  crv: 'Ed25519',
  kty: 'OKP',
  x: textAt(receiptVectors, 'keys', name, 'jwk', 'x'),
});

/** Tools that seal with the active receipt key of the vectors. */
export const vectorSealing: SealTools = {
  signer: signerOf(textAt(receiptVectors, 'keys', 'receipt_active', 'kid'), privateKeyOf('receipt_active')),
  sha256Hex,
  encoding: nodeEncoding,
};
