import { gzip } from '../../../../adapters/gzip/gzip.ts';
import { drawFace } from '../../../../adapters/badge/draw-face.ts';
import { badgeImage, type BadgeStyle } from '../../../../core/badge/badge-image.ts';
import { certificateEntry } from '../../../../core/certificate/certificate-entry.ts';
import { makeCredential, type CertificateFacts, type Credential } from '../../../../core/certificate/credential.ts';
import { credentialIn } from '../../../../core/certificate/read-credential.ts';
import { sealStatusList } from '../../../../core/certificate/seal.ts';
import { LIST_BYTES, makeStatusList, withBit, type Gzip } from '../../../../core/certificate/status-list.ts';
import { jcs } from '../../../../core/json/jcs.ts';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import type { KeysDocument, PublishedKey } from '../../../../core/receipt/keys-document.ts';
import type { Encoding } from '../../../../core/receipt/jws.ts';
import type { SealTools } from '../../../../core/receipt/seal.ts';
import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { sha256Hex, type TestKey } from '../../../../hack/vectors/primitives.ts';
import { DOCUMENT, keys, keysJwsOf, ORIGIN, proofOf } from './a-world.ts';

const encoding: Encoding = {
  utf8: (text) => Buffer.from(text, 'utf8'),
  base64Url: (bytes) => Buffer.from(bytes).toString('base64url'),
};

/** Seals with a test key, as the platform does with its certificate key. */
export const toolsOf = (signer: TestKey): SealTools => ({ signer, sha256Hex, encoding });

/** 2026-11-20T00:03:11.840Z */
export const ISSUED_AT = Date.parse('2026-11-20T00:03:11.840Z');
export const STATUS_INDEX = 94_567;

/** A gold certificate of `acme.echo@1.2.0`. */
export const FACTS: CertificateFacts = {
  issuer: 'https://orbs.example',
  orbId: 'acme.echo@1.2.0',
  issuedAt: ISSUED_AT,
  statusIndex: STATUS_INDEX,
  subject: {
    manifest_digest: `sha256:${'ab'.repeat(32)}`,
    tier: 'gold',
    tier_status: 'stable',
    reputation_score: 96,
    algorithm: 'orb-reputation/1',
    evidence: {
      log_origin: ORIGIN,
      tree_size: 184_467,
      root_hash: Buffer.alloc(32, 9).toString('base64'),
      as_of: '2026-11-20',
    },
    criteria_met: ['SCORE_GE_85', 'CALLERS_GE_20'],
  },
};

/** The certificate of these facts. */
export const aCredential = (changes: Partial<CertificateFacts> = {}): Credential =>
  makeCredential({ ...FACTS, ...changes });

const HEADER = { alg: 'Ed25519', cty: 'vc', kid: keys.certificate.kid, typ: 'vc+jwt' };

/** Signs any header and payload, also such that no program of ours would. */
export function signRaw(header: JsonObject, payload: string, signer: TestKey): string {
  const input = `${encoding.base64Url(encoding.utf8(jcs(header)))}.${encoding.base64Url(encoding.utf8(payload))}`;
  return `${input}.${encoding.base64Url(signer.sign(encoding.utf8(input)))}`;
}

/** What may differ from a good certificate. */
export interface CertificateChanges {
  readonly facts?: Partial<CertificateFacts>;
  readonly payload?: (credential: Credential) => JsonObject;
  readonly header?: JsonObject;
  readonly signer?: TestKey;
}

/** A signed certificate. */
export function aJwt({ facts, payload, header, signer = keys.certificate }: CertificateChanges = {}): string {
  const credential = aCredential(facts);
  const written = payload === undefined ? credential : payload(credential);
  return signRaw({ ...HEADER, kid: signer.kid, ...header }, jcs(written), signer);
}

/** Keys document with a certificate key, which may differ. */
export const certificateKeys = (key: Partial<PublishedKey> = {}): KeysDocument => ({
  ...DOCUMENT,
  keys: [...DOCUMENT.keys, { ...publishedKey(keys.certificate, 'certificate'), ...key }],
});

/** The text of a file for `--keys`. */
export const keysFile = (document = certificateKeys(), rootSigner = keys.root): string =>
  JSON.stringify({ jws: keysJwsOf(document, rootSigner) });

/** What may differ from the bundle of a good certificate. */
export interface BundleChanges extends CertificateChanges {
  readonly document?: KeysDocument;
  readonly rootSigner?: TestKey;
  readonly logSigner?: TestKey;
  readonly logOrigin?: string;
  /** The entry that is proven. */
  readonly entry?: string;
}

/** The bundle of a certificate with the proof of its entry, at `INDEX` of a-world.ts. */
export function aCertificateBundle(changes: BundleChanges = {}): JsonObject {
  const jws = aJwt(changes);
  const credential = aCredential(changes.facts);
  const entry = changes.entry ?? certificateEntry(credential, sha256Hex(jws));
  return {
    format: 'orb-bundle/1',
    jws,
    tlog_proof: proofOf(entry, changes.logSigner ?? keys.log, changes.logOrigin),
    keys_jws: keysJwsOf(changes.document ?? certificateKeys(), changes.rootSigner ?? keys.root),
  };
}

/** What may differ from a good status list without a revoked certificate. */
export interface ListChanges {
  readonly revoked?: number;
  readonly list?: number;
  readonly issuedAt?: number;
  readonly signer?: TestKey;
  readonly issuer?: string;
  /** Packs the bits otherwise than with gzip. */
  readonly pack?: Gzip;
}

/** A signed status list, as it is served. */
export function aStatusList({ revoked, list = 1, issuedAt = ISSUED_AT, ...changes }: ListChanges = {}): string {
  const empty = new Uint8Array(LIST_BYTES);
  const bits = revoked === undefined ? empty : withBit(empty, revoked);
  const facts = { issuer: changes.issuer ?? FACTS.issuer, list, issuedAt, bits };
  return sealStatusList(makeStatusList(facts, changes.pack ?? gzip), toolsOf(changes.signer ?? keys.certificate));
}

/** The badge of a certificate. */
export function aBadge(jwt = aJwt(), style: BadgeStyle = 'flat'): string {
  const credential = credentialIn(jwt);
  if (credential === undefined) throw new TypeError('no certificate');
  return badgeImage({ kind: 'certified', credential, jwt }, style, drawFace);
}
