import { INDEX, keys } from '../../core/verify/a-world.ts';
import {
  aBadge,
  aCertificateBundle,
  aJwt,
  aStatusList,
  certificateKeys,
  FACTS,
  ISSUED_AT,
  keysFile,
  STATUS_INDEX,
  type BundleChanges,
  type CertificateChanges,
} from '../../core/verify/a-certificate.ts';

export const DAY_MS = 86_400_000;

type Expected = readonly [verdict: string, code: string, exit: number];

export const VALID: Expected = ['valid', 'ok', 0];
const TAMPERED = (code: string): Expected => ['tampered', code, 1];
const UNDECIDABLE = (code: string): Expected => ['undecidable', code, 2];
const UNTRUSTED = (code: string): Expected => ['untrusted', code, 3];

/** One file of an outsider, the files beside it, and what must be said of it. */
export interface Case {
  readonly what: string;
  readonly name: string;
  readonly content: string;
  readonly keys?: string;
  readonly list?: string;
  readonly now?: number;
  readonly flags?: readonly string[];
  readonly expected: Expected;
}

export const bundle = (what: string, changes: BundleChanges, expected: Expected): Case => ({
  what,
  name: 'cert.json',
  content: JSON.stringify(aCertificateBundle(changes)),
  expected,
});

const jwt = (what: string, changes: CertificateChanges, expected: Expected, more: Partial<Case> = {}): Case => ({
  what,
  name: 'cert.jwt',
  content: aJwt(changes),
  keys: keysFile(),
  expected,
  ...more,
});

export const badge = (what: string, content: string, expected: Expected, more: Partial<Case> = {}): Case => ({
  what,
  name: 'badge.svg',
  content,
  keys: keysFile(),
  expected,
  ...more,
});

export const good = aJwt();
const image = aBadge(good);
const otherScore = aJwt({
  facts: { orbId: 'other.orb@2.0.0', subject: { ...FACTS.subject, reputation_score: 41, tier: 'bronze' } },
});

/** A part of a compact JWS with one character changed. */
function changed(compact: string, part: number): string {
  const parts = compact.split('.');
  const text = parts[part] ?? '';
  parts[part] = `${text.slice(0, 20)}${text[20] === 'A' ? 'B' : 'A'}${text.slice(21)}`;
  return parts.join('.');
}

const revoked = (index: number) =>
  certificateKeys({ status: 'revoked', revoked_at: '2026-11-20T05:00:00.000Z', revoked_log_index: index });

const withMetadata = (more: string): string => image.replace('</svg>', `${more}</svg>`);
const metadata = /<metadata>.*<\/metadata>/.exec(image)?.[0] ?? '';

export const CASES: readonly Case[] = [
  bundle('a good bundle', {}, VALID),
  jwt('a good certificate alone', {}, VALID),
  jwt('a good certificate with a line feed', {}, VALID, { content: `${good}\n` }),
  jwt('a good certificate named as a JWS', {}, VALID, { name: 'cert.jws' }),
  badge('a good badge', image, VALID),
  badge('a good badge of another style', aBadge(good, 'plastic'), VALID),
  jwt('one that the status list has as good', {}, VALID, { list: aStatusList() }),
  jwt('one whose neighbour is revoked', {}, VALID, { list: aStatusList({ revoked: STATUS_INDEX + 1 }) }),

  // Signed bytes
  jwt('a changed payload', {}, TAMPERED('signature'), { content: changed(good, 1) }),
  jwt('a changed signature', {}, TAMPERED('signature'), { content: changed(good, 2) }),
  jwt('a signature of other length', {}, UNDECIDABLE('malformed'), { content: `${good}AAAA` }),
  jwt('two parts', {}, UNDECIDABLE('malformed'), { content: good.slice(0, good.lastIndexOf('.')) }),
  bundle('a member that the schema has not', { payload: (old) => ({ ...old, name: 'x' }) }, UNDECIDABLE('schema')),
  jwt('a tier that does not exist', { payload: withTier('diamond') }, UNDECIDABLE('schema')),
  jwt('an address of another Orb', { payload: (old) => ({ ...old, id: `${old.id}x` }) }, UNDECIDABLE('schema')),

  // Header
  jwt('another algorithm', { header: { alg: 'EdDSA' } }, UNDECIDABLE('unsupported_alg')),
  jwt('no algorithm', { header: { alg: 'none' } }, UNDECIDABLE('unsupported_alg')),
  jwt('a key inside', { header: { jwk: { ...keys.certificate.jwk } } }, UNDECIDABLE('embedded_key')),
  jwt('another cty', { header: { cty: 'JWT' } }, UNDECIDABLE('unsupported_header')),
  jwt('another member', { header: { crit: ['x'] } }, UNDECIDABLE('unsupported_header')),
  jwt('the type of a receipt', { header: { typ: 'orb-receipt+jws' } }, UNDECIDABLE('wrong_type')),
  bundle(
    'a bundle with the type of a receipt',
    { header: { typ: 'orb-receipt+jws' } },
    UNDECIDABLE('unsupported_header'),
  ),
  jwt('the key of a receipt', { signer: keys.receipt }, UNDECIDABLE('unknown_key')),
  jwt('the key of the log', { signer: keys.log }, UNDECIDABLE('unknown_key')),
  jwt('the key of a stranger', { signer: keys.stranger }, UNDECIDABLE('unknown_key')),

  // Time
  jwt('an expired one', {}, UNTRUSTED('expired'), { now: ISSUED_AT + 7 * DAY_MS + 61_000 }),
  jwt('one that ended within the clock skew', {}, VALID, { now: ISSUED_AT + 7 * DAY_MS + 59_000 }),
  jwt('one from the future', {}, UNTRUSTED('not_yet_valid'), { now: ISSUED_AT - 61_000 }),
  jwt('one that begins within the clock skew', {}, VALID, { now: ISSUED_AT - 59_000 }),

  // Issuer and keys
  jwt('another issuer', { facts: { issuer: 'https://other.example' } }, UNTRUSTED('issuer')),
  bundle('an unknown root', { rootSigner: keys.stranger }, UNDECIDABLE('unknown_root')),
  jwt('keys of an unknown root', {}, UNDECIDABLE('unknown_root'), { keys: keysFile(certificateKeys(), keys.stranger) }),
  badge('a badge with keys of an unknown root', image, UNDECIDABLE('unknown_root'), {
    keys: keysFile(certificateKeys(), keys.stranger),
  }),
  bundle(
    'a key that was not in use yet',
    { document: certificateKeys({ not_before: '2026-11-20T01:00:00.000Z' }) },
    UNTRUSTED('key_window'),
  ),
  bundle('a key revoked after its index', { document: revoked(INDEX + 1) }, VALID),
  bundle('a key revoked before its index', { document: revoked(INDEX) }, UNTRUSTED('key_revoked')),
  jwt('a revoked key without proof', {}, UNTRUSTED('key_revoked'), { keys: keysFile(revoked(1000)) }),
  badge('a badge with a revoked key', image, UNTRUSTED('key_revoked'), { keys: keysFile(revoked(1000)) }),

  // Log
  bundle('the proof of another entry', { entry: '{"kind":"other"}' }, UNTRUSTED('inclusion')),
  bundle('a checkpoint of another key', { logSigner: keys.stranger }, UNTRUSTED('checkpoint')),
  bundle('a checkpoint of another log', { logOrigin: 'other.example/log' }, UNTRUSTED('checkpoint')),
  { ...bundle('no proof', {}, UNTRUSTED('not_in_log')), content: withoutProof() },
  { ...bundle('no proof, where none is asked for', {}, VALID), content: withoutProof(), flags: ['--allow-unlogged'] },

  // Badge
  badge('a changed text', image.replaceAll('gold 96', 'platinum 99'), TAMPERED('badge_mismatch')),
  badge('a changed fill', image.replace('#886308', '#2c6b7f'), TAMPERED('badge_mismatch')),
  badge(
    'a changed title',
    image.replace('as of 2026-11-20</title>', 'as of 2026-12-20</title>'),
    TAMPERED('badge_mismatch'),
  ),
  badge('the certificate of another Orb', image.replace(good, otherScore), TAMPERED('badge_mismatch')),
  badge('two metadata', withMetadata(metadata), TAMPERED('badge_mismatch')),
  badge(
    'two metadata, another certificate first',
    image.replace('<metadata>', `${metadata.replace(good, otherScore)}<metadata>`),
    TAMPERED('badge_mismatch'),
  ),
  badge('a script', withMetadata('<script>alert(1)</script>'), TAMPERED('badge_mismatch')),
  badge('a line feed at the end', `${image}\n`, TAMPERED('badge_mismatch')),
  badge('an unknown renderer', image.replace('orb-badge/1', 'orb-badge/2'), UNDECIDABLE('badge_unknown')),
  badge('no renderer', image.replace(' renderer="orb-badge/1"', ''), UNDECIDABLE('badge_unknown')),
  badge('a changed certificate', image.replace(good, changed(good, 1)), TAMPERED('signature')),
  badge('no certificate', image.replace(metadata, ''), UNDECIDABLE('not_certified')),
  badge('an image of something else', '<svg xmlns="http://www.w3.org/2000/svg"/>', UNDECIDABLE('not_certified')),
  badge('an image without its ending', '<svg xmlns="http://www.w3.org/2000/svg"/>', UNDECIDABLE('not_certified'), {
    name: 'badge',
  }),
  badge('an image of a megabyte', `${image}${' '.repeat(1_048_576)}`, UNDECIDABLE('malformed')),
  badge('an expired badge', image, UNTRUSTED('expired'), { now: ISSUED_AT + 8 * DAY_MS }),
  badge('a badge from the future', image, UNTRUSTED('not_yet_valid'), { now: ISSUED_AT - 61_000 }),

  // Status list
  jwt('a revoked one', {}, UNTRUSTED('revoked'), { list: aStatusList({ revoked: STATUS_INDEX }) }),
  badge('a revoked badge', image, UNTRUSTED('revoked'), { list: `${aStatusList({ revoked: STATUS_INDEX })}\n` }),
  { ...bundle('a revoked bundle', {}, UNTRUSTED('revoked')), list: aStatusList({ revoked: STATUS_INDEX }) },
  jwt('a stale list', {}, UNTRUSTED('expired'), { list: aStatusList({ issuedAt: ISSUED_AT - 2 * DAY_MS }) }),
  jwt('a changed list', {}, TAMPERED('signature'), { list: changed(aStatusList(), 1) }),
  jwt('a list of a receipt key', {}, UNDECIDABLE('unknown_key'), { list: aStatusList({ signer: keys.receipt }) }),
  jwt('a list of another issuer', {}, UNTRUSTED('issuer'), { list: aStatusList({ issuer: 'https://other.example' }) }),
  jwt('a list of other certificates', {}, UNDECIDABLE('wrong_type'), { list: aStatusList({ list: 2 }) }),
  jwt('a certificate as list', {}, UNDECIDABLE('schema'), { list: good }),
];

function withTier(tier: string): NonNullable<CertificateChanges['payload']> {
  return (old) => ({ ...old, credentialSubject: { ...old.credentialSubject, tier } });
}

function withoutProof(): string {
  return JSON.stringify({ ...aCertificateBundle(), tlog_proof: null });
}
