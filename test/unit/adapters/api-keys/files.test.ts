import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createApiKey, listApiKeys, revokeApiKey } from '../../../../adapters/api-keys/files.ts';
import { ApiKeyError, type NewApiKey } from '../../../../adapters/api-keys/new-key.ts';

const NOW = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const NEW_KEY: NewApiKey = { tenants: ['acme'], scopes: ['orbs:execute'], createdBy: 'test' };
const deps = { now: NOW, random: (bytes: number): Uint8Array => randomBytes(bytes) };

describe('API key files', () => {
  let base = '';
  let folder = '';
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'orb-api-keys-'));
    folder = join(base, 'api-keys');
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  it('hold the hash of a key and never the key', async () => {
    const { text, record } = await createApiKey(folder, NEW_KEY, deps);
    const [file = ''] = await readdir(folder);
    const stored = await readFile(join(folder, file), 'utf8');
    expect(stored).to.contain(createHash('sha256').update(text).digest('hex'));
    expect(stored).to.not.contain(text.slice(13, 45));
    expect(stored).to.contain('orbs.dev/api-key: "true"');
    expect(record.expiresAt).to.equal(NOW + 90 * DAY);
    expect((await stat(join(folder, file))).mode & 0o777).to.equal(0o600);
    expect((await stat(folder)).mode & 0o777).to.equal(0o700);
  });

  it('are listed by expiry, broken ones beside them, without their content', async () => {
    const late = await createApiKey(folder, NEW_KEY, deps);
    const soon = await createApiKey(folder, { ...NEW_KEY, lifeMs: DAY, cidrs: ['10.0.0.0/8'], orbs: ['acme.x'] }, deps);
    await writeFile(join(folder, 'broken.yaml'), 'kind: Secret\napiVersion: v1\nsecret-text: [');
    await writeFile(join(folder, 'other.yaml'), 'a: hidden-text');
    await writeFile(join(folder, 'list.yml'), '- hidden-text');
    await mkdir(join(folder, 'folder.yaml'));
    await writeFile(join(folder, '.hidden.yaml'), 'x');
    await writeFile(join(folder, 'notes.txt'), 'x');
    const { keys, broken } = await listApiKeys(folder);
    expect(keys.map(({ keyId }) => keyId)).to.deep.equal([soon.record.keyId, late.record.keyId]);
    expect(keys[0]).to.deep.equal(soon.record);
    expect(broken.map(({ file }) => file)).to.deep.equal(['broken.yaml', 'folder.yaml', 'list.yml', 'other.yaml']);
    expect(broken[2]?.detail).to.equal('The file holds no document.');
    expect(JSON.stringify(broken)).to.not.match(/hidden-text|secret-text/);
  });

  it('are listed by expiry, not by their names', async () => {
    for (const [byte, days] of [3, 1, 2].entries()) {
      const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(byte);
      await createApiKey(folder, { ...NEW_KEY, lifeMs: days * DAY }, { now: NOW, random });
    }
    const { keys } = await listApiKeys(folder);
    expect(keys.map(({ expiresAt }) => (expiresAt - NOW) / DAY)).to.deep.equal([1, 2, 3]);
  });

  it('can be written for a life of one millisecond', async () => {
    expect((await createApiKey(folder, { ...NEW_KEY, lifeMs: 1 }, deps)).record.expiresAt).to.equal(NOW + 1);
  });

  it('are none in a folder that is not there', async () => {
    expect(await listApiKeys(join(base, 'nowhere'))).to.deep.equal({ keys: [], broken: [] });
    expect(await revokeApiKey(join(base, 'nowhere'), 'Ab3dEf6h')).to.equal(false);
  });

  it('are all deleted when their key is revoked, and no other', async () => {
    const one = await createApiKey(folder, NEW_KEY, deps);
    const two = await createApiKey(folder, NEW_KEY, deps);
    await copyFile(join(folder, `${one.record.keyId}.yaml`), join(folder, 'copy.yml'));
    expect(await revokeApiKey(folder, one.record.keyId)).to.equal(true);
    expect((await listApiKeys(folder)).keys.map(({ keyId }) => keyId)).to.deep.equal([two.record.keyId]);
    expect(await revokeApiKey(folder, one.record.keyId)).to.equal(false);
  });

  const rows: readonly (readonly [string, NewApiKey, RegExp])[] = [
    ['a life of more than 365 days', { ...NEW_KEY, lifeMs: 365 * DAY + 1 }, /365 days/],
    ['a life without end', { ...NEW_KEY, lifeMs: Number.POSITIVE_INFINITY }, /365 days/],
    ['a life that is over', { ...NEW_KEY, lifeMs: -1 }, /365 days/],
    ['no life', { ...NEW_KEY, lifeMs: 0 }, /365 days/],
    ['a life that is no number', { ...NEW_KEY, lifeMs: Number.NaN }, /365 days/],
    ['a tenant that is no namespace', { ...NEW_KEY, tenants: ['Acme Inc'] }, /tenants/],
    ['no scope', { ...NEW_KEY, scopes: [] }, /scopes/],
    ['a block that is none', { ...NEW_KEY, cidrs: ['10.0.0.0'] }, /cidrs/],
  ];
  for (const [why, newKey, expected] of rows) {
    it(`are not written for ${why}`, async () => {
      let message = '';
      try {
        await createApiKey(folder, newKey, deps);
      } catch (error) {
        if (error instanceof ApiKeyError) ({ message } = error);
      }
      expect(message).to.match(expected);
      expect((await listApiKeys(folder)).keys).to.have.length(0);
    });
  }
});
