import { publishedKey } from '../../../../hack/vectors/published-key.ts';
import { expect } from 'chai';
import { verifyBundle, type VerifyOptions } from '../../../../core/verify/verify.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { commit } from '../../../../core/receipt/commitment.ts';
import { sha256Hex } from '../../../../hack/vectors/primitives.ts';
import {
  aBundle,
  bytesOf,
  INDEX,
  INPUT,
  keys,
  NOW,
  otherProof,
  primitives,
  root,
  SALT,
  verified,
  type Changes,
} from './a-world.ts';
import { header, otherBundle, proof, receiptKey, revoked, signedPayload, withDocument } from './changes.ts';

const PICTURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);

/** The check that each row of trust.md §3.2 is, by its number. */
const CHECKS = [
  '',
  'bundle',
  'keys',
  'jws',
  'jws',
  'jws',
  'record',
  'issuer',
  'score',
  'openings',
  'inclusion',
  'key_window',
  'key_status',
  'age',
] as const;

describe('verifyBundle', () => {
  const good: readonly (readonly [why: string, changes: Changes, options: VerifyOptions])[] = [
    ['a receipt of an active key in the log', {}, {}],
    ['the private form of its log entry', { privateForm: true }, {}],
    ['no proof, where that is allowed', otherBundle({ tlog_proof: null }), { allowUnlogged: true }],
    ['a revoked key, logged before its revocation', revoked(INDEX + 1), {}],
    [
      'a retired key, issued within its window',
      receiptKey({ status: 'retired', not_after: '2026-11-20T10:00:00.250Z' }),
      {},
    ],
    ['a receipt issued in the first moment of its key', receiptKey({ not_before: '2026-11-20T10:00:00.250Z' }), {}],
    ['a receipt as old as it may be', {}, { maxAgeMs: 1000 }],
    ['the disclosed input', {}, { openings: { input: { salt: SALT, value: { json: INPUT } } } }],
    [
      'a disclosed output that is no JSON',
      { record: (r) => ({ ...r, output: commit(SALT, PICTURE, 'image/png', sha256Hex) }) },
      { openings: { output: { salt: SALT, value: { bytes: PICTURE } } } },
    ],
    ['a run, where decisions of swaps are made again', {}, { replay: () => ({ follows: false, why: 'no swap' }) }],
    [
      'a further log key',
      withDocument((document) => ({ ...document, keys: [...document.keys, publishedKey(keys.stranger, 'log')] })),
      {},
    ],
  ];
  for (const [why, changes, options] of good) {
    it(`accepts ${why}`, async () => {
      const { verdict, code, exit, signatureValid } = await verified(changes, options);
      expect({ verdict, code, exit, signatureValid }).to.deep.equal({
        verdict: 'valid',
        code: 'ok',
        exit: 0,
        signatureValid: true,
      });
    });
  }

  // Rows of trust.md §3.2, in their order.
  const bad: readonly (readonly [row: number, why: string, code: string, changes: Changes, options?: VerifyOptions])[] =
    [
      [1, 'another format', 'malformed', otherBundle({ format: 'orb-bundle/2' })],
      [1, 'a further member', 'malformed', otherBundle({ more: null })],
      [1, 'a proof that is no text', 'malformed', otherBundle({ tlog_proof: 1 })],
      [1, 'a bundle of another shape', 'malformed', { bundle: () => ({}) }],
      [2, 'a keys document of another root', 'unknown_root', { rootSigner: keys.stranger }],
      [
        2,
        'a keys document that was altered',
        'keys_invalid',
        { bundle: (b) => ({ ...b, keys_jws: `A${b.keys_jws.slice(1)}` }) },
      ],
      [2, 'a receipt as keys document', 'keys_invalid', { bundle: (b) => ({ ...b, keys_jws: b.jws }) }],
      [2, 'a key that is not named by its thumbprint', 'keys_invalid', receiptKey({ kid: keys.stranger.kid })],
      [2, 'one key id twice', 'keys_invalid', withDocument((d) => ({ ...d, keys: [...d.keys, ...d.keys] }))],
      [
        2,
        'an active key with a time of revocation',
        'keys_invalid',
        receiptKey({ revoked_at: '2026-11-20T11:00:00.000Z' }),
      ],
      [2, 'an active key with a log index of revocation', 'keys_invalid', receiptKey({ revoked_log_index: 9 })],
      [2, 'a keys document of another schema', 'keys_invalid', withDocument((d) => ({ ...d, schema: `${d.schema}x` }))],
      [
        3,
        'a JWS of two parts',
        'malformed',
        { bundle: (b) => ({ ...b, jws: b.jws.slice(0, b.jws.lastIndexOf('.')) }) },
      ],
      [3, 'a JWS of four parts', 'malformed', { bundle: (b) => ({ ...b, jws: `${b.jws}.AA` }) }],
      [3, 'a padded part', 'malformed', { bundle: (b) => ({ ...b, jws: `${b.jws}==` }) }],
      [3, 'a short signature', 'malformed', { bundle: (b) => ({ ...b, jws: b.jws.slice(0, -4) }) }],
      [
        3,
        'a header that is no object',
        'malformed',
        { bundle: (b) => ({ ...b, jws: b.jws.replace(/^[^.]+/, 'W10') }) },
      ],
      [4, 'another type', 'wrong_type', header({ typ: 'orb-replay+jws' })],
      [4, 'no type', 'wrong_type', header({ typ: undefined })],
      [4, 'the deprecated name of the algorithm', 'unsupported_alg', header({ alg: 'EdDSA' })],
      [4, 'wrong type and algorithm: the type decides', 'wrong_type', header({ typ: 'JWT', alg: 'none' })],
      [4, 'a key in the header', 'embedded_key', header({ jwk: keys.stranger.jwk })],
      [4, 'an address of a key in the header', 'embedded_key', header({ jku: 'https://orbs.example' })],
      [4, 'a thumbprint of a certificate in the header', 'embedded_key', header({ 'x5t#S256': 'AA' })],
      [4, 'a critical extension', 'unsupported_header', header({ crit: ['b64'], b64: false })],
      [4, 'white space in the header', 'unsupported_header', header({}, (text) => text.replace(',', ', '))],
      [
        4,
        'a header member that stands twice',
        'unsupported_header',
        header({}, (text) => text.replace('{', '{"alg":"none",')),
      ],
      [
        4,
        'header members in another order',
        'unsupported_header',
        header({}, (text) => text.replace(/("alg":"[^"]+"),("kid":"[^"]+")/, '$2,$1')),
      ],
      [4, 'no key id', 'unknown_key', header({ kid: undefined })],
      [4, 'a key id that is no text', 'unknown_key', header({ kid: 1 })],
      [4, 'a key that is not in the document', 'unknown_key', { signer: keys.stranger }],
      [4, 'the key of another role', 'unknown_key', { signer: keys.log }],
      [
        5,
        'another key under the name of a known one',
        'signature',
        { signer: { ...keys.stranger, kid: keys.receipt.kid } },
      ],
      [6, 'a payload that is no JSON', 'payload', signedPayload('x')],
      [6, 'a payload with a byte order mark', 'payload', signedPayload('\ufeff{}')],
      [6, 'a payload that is no UTF-8', 'payload', signedPayload(Uint8Array.of(0x7b, 0xff, 0x7d))],
      [6, 'a payload with a fraction', 'profile', signedPayload('{"a":0.5}')],
      [6, 'a payload with a key that stands twice', 'not_canonical', signedPayload('{"a":1,"a":2}')],
      [6, 'a payload of another schema', 'schema', signedPayload('{"a":1}')],
      [
        7,
        'the receipt of another issuer',
        'issuer',
        {
          record: (r) => ({
            ...r,
            issuer: 'https://other.example',
            schema: 'https://other.example/schemas/receipt/v1',
          }),
        },
      ],
      [8, 'a score that does not follow', 'score_mismatch', { record: (r) => ({ ...r, trust_score: 99 }) }],
      [8, 'a level that does not follow', 'score_mismatch', { record: (r) => ({ ...r, risk_level: 'medium' }) }],
      [
        9,
        'another input than the disclosed one',
        'input',
        {},
        { openings: { input: { salt: SALT, value: { json: { text: 'ho' } } } } },
      ],
      [
        9,
        'the input with another salt',
        'input',
        {},
        { openings: { input: { salt: new Uint8Array(16), value: { json: INPUT } } } },
      ],
      [
        9,
        'the input with salt and value cut elsewhere',
        'input',
        {},
        { openings: { input: { salt: SALT.subarray(1), value: { bytes: encodeUtf8('\u0007{"text":"hi"}') } } } },
      ],
      [
        9,
        'a disclosed value that is no JSON',
        'input',
        {},
        { openings: { input: { salt: SALT, value: { json: '\ud800' } } } },
      ],
      [
        9,
        'an output where there is none',
        'output',
        { record: (r) => ({ ...r, output: null }) },
        { openings: { output: { salt: SALT, value: { json: {} } } } },
      ],
      [10, 'no proof', 'not_in_log', otherBundle({ tlog_proof: null })],
      [10, 'a proof of another version', 'inclusion', proof((text) => text.replace('@v1', '@v2'))],
      [10, 'a bad proof, although none is needed', 'inclusion', proof(() => ''), { allowUnlogged: true }],
      [10, 'a checkpoint of another log key', 'checkpoint', { logSigner: keys.stranger }],
      [10, 'a checkpoint of a receipt key', 'checkpoint', { logSigner: keys.receipt }],
      [
        10,
        'a checkpoint of a revoked log key',
        'checkpoint',
        withDocument((d) => ({
          ...d,
          keys: d.keys.map((key) => (key.role === 'log' ? { ...key, status: 'revoked' as const } : key)),
        })),
      ],
      [10, 'a checkpoint of another size', 'checkpoint', proof((text) => text.replace('\n11\n', '\n12\n'))],
      [10, 'another index', 'inclusion', proof((text) => text.replace(`index ${INDEX}`, 'index 4'))],
      [10, 'the proof of another entry', 'inclusion', proof(otherProof)],
      [11, 'a receipt issued before its key', 'key_window', receiptKey({ not_before: '2026-11-20T10:00:00.251Z' })],
      [
        11,
        'a receipt issued after its key',
        'key_window',
        receiptKey({ status: 'retired', not_after: '2026-11-20T10:00:00.249Z' }),
      ],
      [12, 'a revoked key, logged at its revocation', 'key_revoked', revoked(INDEX)],
      [12, 'a revoked key without an index', 'key_revoked', revoked(null)],
      [
        12,
        'a revoked key without proof',
        'key_revoked',
        { ...revoked(99), ...otherBundle({ tlog_proof: null }) },
        { allowUnlogged: true },
      ],
      [13, 'a receipt that is too old', 'too_old', {}, { maxAgeMs: 999 }],
    ];
  for (const [row, why, code, changes, options] of bad) {
    it(`row ${row} refuses ${why}: ${code}`, async () => {
      const judged = await verified(changes, options);
      expect(judged.code).to.equal(code);
      const exits = { valid: 0, tampered: 1, undecidable: 2, untrusted: 3 } as const;
      expect(judged.exit).to.equal(exits[judged.verdict]);
      expect(judged.signatureValid).to.equal(row > 6);
      expect(judged.checks.find((check) => check.ok === false)).to.deep.equal({ id: CHECKS[row], ok: false, code });
    });
  }

  it('lets the first failing row decide and shows every later one', async () => {
    const judged = await verified(
      {
        record: (r) => ({ ...r, trust_score: 1 }),
        ...otherBundle({ tlog_proof: null }),
        ...receiptKey({ not_before: '2026-12-01T00:00:00.000Z' }),
      },
      { maxAgeMs: 0 },
    );
    const failed = judged.checks.filter((check) => check.ok === false).map((check) => check.code);
    expect(failed).to.deep.equal(['score_mismatch', 'not_in_log', 'key_window', 'too_old']);
    expect(judged.code).to.equal('score_mismatch');
  });

  it('lists every row, those that were not reached as not made', async () => {
    const all = (await verified()).checks.map((check) => check.id);
    expect(all.join(' ')).to.equal('bundle keys jws record issuer score openings inclusion key_window key_status age');
    const cut = await verified(otherBundle({ format: '' }));
    expect(cut.checks.map((check) => check.id)).to.deep.equal(all);
    expect(cut.checks.map((check) => check.ok)).to.deep.equal([false, ...all.slice(1).map(() => null)]);
  });

  it('tells the record, its key and its place in the log', async () => {
    const judged = await verified(revoked(INDEX + 1));
    expect(judged.signed).to.have.nested.property('record.trust_score', 100);
    expect(judged.key).to.deep.equal({ kid: keys.receipt.kid, status: 'revoked' });
    expect(judged.log).to.deep.equal({ origin: 'orbs.example/log', index: INDEX, treeSize: 11 });
  });

  it('works with primitives that answer later', async () => {
    const later = {
      sha256: (bytes: Uint8Array) => Promise.resolve(primitives.sha256(bytes)),
      ed25519Verify: (...given: Parameters<typeof primitives.ed25519Verify>) =>
        Promise.resolve(primitives.ed25519Verify(...given)),
      now: () => NOW,
    };
    expect((await verifyBundle(bytesOf(aBundle()), root, {}, later)).code).to.equal('ok');
  });
});
