import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { nodeEncoding, sha256, signerOf } from '../../../../adapters/keys/primitives.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../core/json/json-value.ts';
import { lookup } from '../../../../core/json/pointer.ts';
import type { SealTools } from '../../../../core/receipt/seal.ts';
import type { PublicJwk } from '../../../../core/receipt/keys-document.ts';

function load(name: string): JsonObject {
  const url = new URL(`../../../vectors/${name}.json`, import.meta.url);
  const value: unknown = JSON.parse(readFileSync(url, 'utf8'));
  if (!isJsonObject(value)) throw new TypeError(`${name}.json is no object`);
  return value;
}

export const receiptVectors = load('receipt');
export const scoreVectors = load('trust-score');

/** A member of some depth. */
export const at = (value: JsonValue, ...names: readonly string[]): JsonValue | undefined => lookup(value, names);

export function textAt(value: JsonValue, ...names: readonly string[]): string {
  const found = at(value, ...names);
  if (typeof found !== 'string') throw new TypeError(`no text at ${names.join('.')}`);
  return found;
}

export function objectAt(value: JsonValue, ...names: readonly string[]): JsonObject {
  const found = at(value, ...names);
  if (!isJsonObject(found)) throw new TypeError(`no object at ${names.join('.')}`);
  return found;
}

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
  sha256,
  encoding: nodeEncoding,
};
