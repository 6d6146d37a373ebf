import { createHash, createHmac, createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { calculateJwkThumbprint, compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { initKeys } from '../../../../adapters/keys/init-keys.ts';
import { KeysError } from '../../../../adapters/keys/key-folder.ts';
import { exposedBits } from '../../../../adapters/private-file/exposed.ts';
import { loadKeys } from '../../../../adapters/keys/load-keys.ts';
import {
  ed25519Verify,
  hmacSha256,
  nodeEncoding,
  randomSource,
  sha256,
  sha256Hex,
  sha256HexOf,
  signerOf,
} from '../../../../adapters/keys/primitives.ts';
import { signJws } from '../../../../core/receipt/jws.ts';
import { secondsText } from '../../../../core/certificate/credential.ts';
import { windowRow } from '../../../../core/verify/key-rows.ts';
import { openKeys } from '../../../../core/verify/keys.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const ISSUER = 'https://orbs.localhost';
const random = (bytes: number): Uint8Array => randomBytes(bytes);
const options = { issuer: ISSUER, now: NOW, random };

/** RFC 8032 §7.1, test 1: the receipt key of the published vectors. */
const TEST_SEED = '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60';

const seedPem = (seed: string): string => {
  const der = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
};
const ecPem = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof KeysError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'no error';
}

describe('platform keys', () => {
  let base = '';
  let folder = '';
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'orb-keys-'));
    folder = join(base, 'keys');
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  it('are made once, with files that only their owner reads', async () => {
    expect(await initKeys(folder, options)).to.equal('made');
    const files = await readdir(folder);
    expect(files.toSorted()).to.deep.equal([
      'certificate.pem',
      'data.key',
      'ingest-id.key',
      'key-events.ndjson',
      'log.pem',
      'orb-keys.jws',
      'receipt.pem',
      'root.jwk',
      'root.pem',
      'tag.key',
    ]);
    for (const file of files) expect((await stat(join(folder, file))).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
    expect(await readdir(base)).to.deep.equal(['keys']);
  });

  for (const file of ['receipt.pem', 'log.pem', 'certificate.pem', 'tag.key', 'data.key', 'ingest-id.key'])
    it(`are refused when others may read ${file}, with the command that corrects it`, async () => {
      await initKeys(folder, options);
      const path = join(folder, file);
      await chmod(path, 0o644);
      const refused = await codeOf(loadKeys(folder));
      expect(refused)
        .to.include(`keys-exposed: Other users may read ${path}. Run chmod `)
        .and.to.include(`-rwx ${path}.`);
      await chmod(path, 0o600);
      expect(await codeOf(loadKeys(folder))).to.equal('no error');
    });

  it('are taken when the group of a mounted Secret may read them', async () => {
    await initKeys(folder, options);
    for (const file of await readdir(folder)) await chmod(join(folder, file), 0o440);
    if (process.getuid?.() === 0) expect(await codeOf(loadKeys(folder))).to.equal('no error');
    expect(exposedBits({ mode: 0o100440, uid: 0 }, 65532)).to.equal(0);
  });

  const accesses: readonly (readonly [why: string, mode: number, owner: number, user: number, bits: number])[] = [
    ['own file, only for us', 0o600, 1000, 1000, 0],
    ['own file, the group reads', 0o640, 1000, 1000, 0o040],
    ['own file, all read', 0o644, 1000, 1000, 0o044],
    ['own file, others may enter', 0o601, 1000, 1000, 0o001],
    ['a file of root for our group', 0o440, 0, 65532, 0],
    ['a file of root for all', 0o444, 0, 65532, 0o004],
    ['a file of root, read by root', 0o640, 0, 0, 0],
    ['a file of root for all, read by root', 0o604, 0, 0, 0o004],
  ];
  for (const [why, mode, owner, user, bits] of accesses)
    it(`know who may read: ${why}`, () => {
      expect(exposedBits({ mode: 0o100000 | mode, uid: owner }, user)).to.equal(bits);
    });

  it('are never overwritten, whole or partly there', async () => {
    await initKeys(folder, options);
    const before = await readFile(join(folder, 'root.pem'), 'utf8');
    await rm(join(folder, 'receipt.pem'));
    expect(await initKeys(folder, options)).to.equal('kept');
    expect(await readFile(join(folder, 'root.pem'), 'utf8')).to.equal(before);
    expect(await readdir(folder)).to.not.contain('receipt.pem');
    expect(await readdir(base)).to.deep.equal(['keys']);
  });

  it('are made in an empty folder that is there', async () => {
    await mkdir(folder);
    expect(await initKeys(folder, options)).to.equal('made');
  });

  it('are made by one of two starts at once', async () => {
    const outcomes = await Promise.all([initKeys(folder, options), initKeys(folder, options)]);
    expect(outcomes.toSorted()).to.deep.equal(['kept', 'made']);
    expect((await loadKeys(folder)).issuer).to.equal(ISSUER);
    expect(await readdir(base)).to.deep.equal(['keys']);
  });

  it('stand in a keys document that the root signed, as a second implementation reads it', async () => {
    await initKeys(folder, options);
    const keys = await loadKeys(folder);
    expect(await calculateJwkThumbprint(keys.root.jwk)).to.equal(keys.root.kid);
    const { payload, protectedHeader } = await compactVerify(keys.keysJws, await importJWK(keys.root.jwk, 'Ed25519'));
    expect(protectedHeader).to.deep.equal({ alg: 'Ed25519', kid: keys.root.kid, typ: 'orb-keys+jws' });
    const document: unknown = JSON.parse(new TextDecoder().decode(payload));
    expect(document).to.deep.include({
      schema: 'https://orbs.localhost/schemas/keys/v1',
      issuer: ISSUER,
      log_origin: 'orbs.localhost/log',
      sequence: 1,
      issued_at: '2026-11-20T10:00:00.000Z',
    });
    const events = keys.keyEvents.map((text): unknown => JSON.parse(text));
    expect(events).to.have.length(3);
    expect(events[0]).to.deep.equal({
      v: 1,
      kind: 'key_event',
      kid: keys.receipt.kid,
      role: 'receipt',
      event: 'active',
      reason: null,
      at: '2026-11-20T10:00:00.000Z',
    });
  });

  it('are in use from the begin of their second, as certificates have times of whole seconds', async () => {
    const now = NOW + 999;
    await initKeys(folder, { ...options, now });
    const { keysJws, root } = await loadKeys(folder);
    const opened = await openKeys(keysJws, root, { sha256, ed25519Verify });
    if (!opened.ok) throw new Error('the keys document can not be opened');
    const { keys, issued_at: issuedAt } = opened.document;
    expect(keys.map(({ not_before: notBefore }) => notBefore)).to.deep.equal(
      keys.map(() => '2026-11-20T10:00:00.000Z'),
    );
    expect(issuedAt).to.equal('2026-11-20T10:00:00.999Z');
    const certificate = keys.find(({ role }) => role === 'certificate');
    if (certificate === undefined) throw new Error('there is no certificate key');
    expect(windowRow(secondsText(now), certificate)).to.equal('pass');
  });

  it('sign what their published halves verify, without the private root', async () => {
    await initKeys(folder, options);
    await rm(join(folder, 'root.pem'));
    const keys = await loadKeys(folder);
    const message = nodeEncoding.utf8('message');
    const { x = '' } = keys.receiptPublic.export({ format: 'jwk' });
    const receipt = signerOf(keys.receipt.kid, keys.receipt.privateKey);
    expect(ed25519Verify(Buffer.from(x, 'base64url'), receipt.sign(message), message)).to.equal(true);
    const log = signerOf(keys.log.kid, keys.log.privateKey);
    expect(ed25519Verify(keys.log.publicKey, log.sign(message), message)).to.equal(true);
    expect(ed25519Verify(keys.log.publicKey, receipt.sign(message), message)).to.equal(false);
    const document = await openKeys(keys.keysJws, keys.root, { sha256, ed25519Verify });
    const published = document.ok ? document.document.keys.find(({ role }) => role === 'certificate') : undefined;
    expect(keys.certificate.kid).to.equal(published?.kid);
    const certificateX = Buffer.from(published?.jwk.x ?? '', 'base64url');
    expect(ed25519Verify(certificateX, keys.certificate.sign(message), message)).to.equal(true);
    expect(keys.logOrigin).to.equal('orbs.localhost/log');
  });

  it('are all different', async () => {
    await initKeys(folder, options);
    const keys = await loadKeys(folder);
    const secrets = [keys.tagKey, keys.dataKey].map((key) => Buffer.from(key).toString('hex'));
    expect(secrets.every((key) => key.length === 64)).to.equal(true);
    expect(new Set([...secrets, keys.receipt.kid, keys.log.kid, keys.root.kid]).size).to.equal(5);
  });

  const rows: readonly (readonly [string, string, string | undefined, RegExp])[] = [
    [
      'a missing file, and names the command',
      'receipt.pem',
      undefined,
      /^keys-missing: .*receipt\.pem.*orb ledger init.*npm start/,
    ],
    ['a missing keys document', 'orb-keys.jws', undefined, /^keys-missing/],
    ['a missing ingest-id key', 'ingest-id.key', undefined, /^keys-missing/],
    [
      'a key of the test vectors',
      'receipt.pem',
      seedPem(TEST_SEED),
      /^keys-test: .*kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k/,
    ],
    [
      'a receipt key that is not published',
      'receipt.pem',
      seedPem('01'.repeat(32)),
      /^keys-not-published: The receipt key/,
    ],
    ['a log key that is not published', 'log.pem', seedPem('02'.repeat(32)), /^keys-not-published: The log key/],
    ['a certificate key that is not published', 'certificate.pem', seedPem('03'.repeat(32)), /^keys-not-published/],
    ['a key of another type', 'log.pem', ecPem(), /^keys-invalid: .*log\.pem/],
    ['a key that is no PEM', 'log.pem', 'hello', /^keys-invalid/],
    ['a tag key of 31 bytes', 'tag.key', Buffer.alloc(31).toString('base64url'), /^keys-invalid: .*tag\.key/],
    [
      'another root',
      'root.jwk',
      `{"crv":"Ed25519","kty":"OKP","x":"${'A'.repeat(43)}"}`,
      /^keys-invalid: .*orb-keys\.jws/,
    ],
    ['a root that is no key', 'root.jwk', '{"crv":"P-256"}', /^keys-invalid: .*root\.jwk/],
    ['a keys document that is no JWS', 'orb-keys.jws', 'a.b.c', /^keys-invalid: .*orb-keys\.jws/],
  ];
  for (const [why, file, text, expected] of rows) {
    it(`are refused with ${why}`, async () => {
      await initKeys(folder, options);
      if (text === undefined) await rm(join(folder, file));
      else await writeFile(join(folder, file), text);
      expect(await codeOf(loadKeys(folder))).to.match(expected);
    });
  }

  it('are refused when the root published them as retired', async () => {
    await initKeys(folder, options);
    const privateKey = createPrivateKey(await readFile(join(folder, 'root.pem')));
    const { kid = '' } = decodeProtectedHeader(await readFile(join(folder, 'orb-keys.jws'), 'utf8'));
    const payload = Buffer.from(
      (await readFile(join(folder, 'orb-keys.jws'), 'utf8')).split('.')[1] ?? '',
      'base64url',
    );
    const retired = payload
      .toString('utf8')
      .replace('"role":"log","status":"active"', '"role":"log","status":"retired"');
    const jws = signJws(retired, 'orb-keys+jws', signerOf(kid, privateKey), nodeEncoding);
    await writeFile(join(folder, 'orb-keys.jws'), jws);
    expect(await codeOf(loadKeys(folder))).to.match(/^keys-not-published: The log key \S+ is retired in/);
  });

  it('are refused when one role has the key of another', async () => {
    await initKeys(folder, options);
    await writeFile(join(folder, 'receipt.pem'), await readFile(join(folder, 'log.pem')));
    expect(await codeOf(loadKeys(folder))).to.match(/^keys-not-published: The receipt key/);
  });
});

describe('primitives', () => {
  it('hash and authenticate as the runtime does', () => {
    const data = randomBytes(1000);
    expect(Buffer.from(sha256(data)).toString('hex')).to.equal(createHash('sha256').update(data).digest('hex'));
    const key = randomBytes(32);
    expect(Buffer.from(hmacSha256(key, data)).toString('hex')).to.equal(
      createHmac('sha256', key).update(data).digest('hex'),
    );
  });

  it('hash text as its UTF-8 bytes', () => {
    const text = 'Grüße, 世界 🚀';
    expect(sha256Hex(text)).to.equal(Buffer.from(sha256(Buffer.from(text))).toString('hex'));
    expect(sha256Hex(Buffer.from(text))).to.equal(sha256Hex(text));
    for (const at of [0, 1, 3]) {
      const bytes = Buffer.from(text);
      expect(sha256HexOf([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).to.equal(sha256Hex(text));
    }
  });

  it('verify RFC 8032 test 2, and no malformed key, signature or message', () => {
    const key = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
    const signature = Buffer.from(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
      'hex',
    );
    expect(ed25519Verify(key, signature, Uint8Array.of(0x72))).to.equal(true);
    expect(ed25519Verify(key, signature, Uint8Array.of(0x73))).to.equal(false);
    expect(ed25519Verify(key, signature.subarray(1), Uint8Array.of(0x72))).to.equal(false);
    expect(ed25519Verify(key.subarray(1), signature, Uint8Array.of(0x72))).to.equal(false);
    expect(ed25519Verify(new Uint8Array(32).fill(0xff), signature, Uint8Array.of(0x72))).to.equal(false);
  });

  it('encode base64url of a view, not of its buffer', () => {
    const view = Uint8Array.of(9, 9, 0xfb, 0xff, 9).subarray(2, 4);
    expect(nodeEncoding.base64Url(view)).to.equal('-_8');
    expect([...nodeEncoding.utf8('é')]).to.deep.equal([0xc3, 0xa9]);
  });

  it('give random bytes that are never given twice and never wiped afterwards', () => {
    const source = randomSource();
    const taken = Array.from({ length: 3000 }, () => source(16));
    const texts = taken.map((bytes) => Buffer.from(bytes).toString('hex'));
    expect(new Set(texts).size).to.equal(3000);
    expect(taken.every((bytes) => bytes.length === 16)).to.equal(true);
    expect(source(40_000).some((byte) => byte !== 0)).to.equal(true);
    expect(source(16_384)).to.have.length(16_384);
    expect(source(0)).to.have.length(0);
  });
});
