import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ApiKeyStore, type KeyAnswer } from '../../../../adapters/api-keys/api-key-store.ts';
import { createApiKey, revokeApiKey, type CreatedApiKey, type NewApiKey } from '../../../../adapters/api-keys/files.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';

const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;
const WISH: NewApiKey = { tenants: ['acme'], scopes: ['orbs:execute'], createdBy: 'test' };
const random = (bytes: number): Uint8Array => randomBytes(bytes);

const callerOf = (answer: KeyAnswer): Caller => {
  if (answer.kind !== 'ok') throw new TypeError(answer.kind);
  return answer.caller;
};

describe('ApiKeyStore', () => {
  let base = '';
  let folder = '';
  let now = START;
  let logged: string[] = [];
  let store: ApiKeyStore;
  const create = (wish: Partial<NewApiKey> = {}): Promise<CreatedApiKey> =>
    createApiKey(folder, { ...WISH, ...wish }, { now: START, random });
  const ask = (key: string, address = '127.0.0.1'): KeyAnswer => store.authenticate(`Bearer ${key}`, address);

  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), 'orb-store-'));
    folder = join(base, 'api-keys');
    now = START;
    logged = [];
    const log = (message: string): void => void logged.push(message);
    store = new ApiKeyStore(folder, { clock: { now: () => now }, logger: { warn: log, error: log } });
    await store.open();
  });
  afterEach(async () => {
    await store.close();
    await rm(base, { recursive: true, force: true });
  });

  it('knows a key after its file was read, with what it may do', async () => {
    const { text, record } = await create({ orbs: ['acme.x'] });
    await store.refresh();
    const caller = callerOf(ask(text));
    expect([caller.id, caller.tenants, [...caller.scopes], caller.orbs, caller.expiresAt]).to.deep.equal([
      `key:${record.keyId}`,
      ['acme'],
      ['orbs:execute'],
      ['acme.x'],
      START + 90 * DAY,
    ]);
    expect(caller.standing()).to.equal('valid');
    expect(store.keys().map(({ keyId }) => keyId)).to.deep.equal([record.keyId]);
  });

  it('takes the scheme in any case, and no header that is not one bearer token', async () => {
    const { text } = await create();
    await store.refresh();
    const headers = [
      `bearer ${text}`,
      `BEARER  ${text}`,
      text,
      `Basic ${text}`,
      `Bearer ${text} x`,
      `Bearer ${text},`,
      'Bearer',
      '',
      undefined,
    ];
    const kinds = headers.map((header) => store.authenticate(header, '127.0.0.1').kind);
    expect(kinds).to.deep.equal(['ok', 'ok', ...Array.from({ length: 7 }, () => 'unauthenticated')]);
  });

  it('refuses an unknown key, and another secret under a known id', async () => {
    const { record } = await create();
    const stranger = await createApiKey(join(base, 'elsewhere'), WISH, { now: START, random });
    await store.refresh();
    expect(ask(stranger.text).kind).to.equal('unauthenticated');
    const other = await createApiKey(join(base, 'same-id'), WISH, {
      now: START,
      // The same digits for the id, then a secret of its own.
      random: (bytes) =>
        bytes === 8
          ? Uint8Array.from(record.keyId, (digit) =>
              '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.indexOf(digit),
            )
          : random(bytes),
    });
    expect(other.record.keyId).to.equal(record.keyId);
    expect(ask(other.text).kind).to.equal('unauthenticated');
  });

  it('refuses a key after its expiry, and at an address outside its blocks', async () => {
    const { text } = await create({ cidrs: ['10.0.0.0/8'] });
    await store.refresh();
    expect(ask(text, '::ffff:10.0.0.1').kind).to.equal('ok');
    expect(ask(text, '192.0.2.1')).to.deep.equal({ kind: 'forbidden', why: 'cidr' });
    now = START + 90 * DAY;
    expect(ask(text, '10.0.0.1').kind).to.equal('unauthenticated');
  });

  it('forgets a revoked key; a caller that began with it says so', async () => {
    const { text, record } = await create();
    await store.refresh();
    const caller = callerOf(ask(text));
    await revokeApiKey(folder, record.keyId);
    await store.refresh();
    expect(ask(text).kind).to.equal('unauthenticated');
    expect(caller.standing()).to.equal('revoked-or-expired');
  });

  it('lets a caller that outlives its key say so', async () => {
    const { text } = await create({ lifeMs: 1000 });
    await store.refresh();
    const caller = callerOf(ask(text));
    now = START + 1000;
    expect(caller.standing()).to.equal('revoked-or-expired');
  });

  it('takes a changed file, and drops one that breaks', async () => {
    const one = await create();
    const two = await create();
    await store.refresh();
    // Atomically, as another process does it: the file of `one` now holds the key `two`.
    await copyFile(join(folder, `${two.record.keyId}.yaml`), join(base, 'copy'));
    await rename(join(base, 'copy'), join(folder, `${one.record.keyId}.yaml`));
    await store.refresh();
    expect([ask(one.text).kind, ask(two.text).kind]).to.deep.equal(['unauthenticated', 'ok']);
    for (const file of await readdir(folder)) await writeFile(join(folder, file), 'kind: Secret');
    await store.refresh();
    expect(ask(two.text).kind).to.equal('unauthenticated');
    expect(logged).to.deep.equal([
      'a file in the folder of API keys holds no key',
      'a file in the folder of API keys holds no key',
    ]);
    await store.refresh();
    expect(logged).to.have.length(2);
  });

  it('knows no key when the folder is gone', async () => {
    const { text } = await create();
    await store.refresh();
    await rm(folder, { recursive: true });
    await store.refresh();
    expect(ask(text).kind).to.equal('unauthenticated');
  });

  it('keeps the known keys while the folder cannot be read, and does not vouch for them', async () => {
    const { text } = await create();
    await store.refresh();
    const caller = callerOf(ask(text));
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'a file where the folder was');
    await store.refresh();
    await store.refresh();
    expect(ask(text).kind).to.equal('ok');
    expect(caller.standing()).to.equal('unknown');
    expect(logged).to.deep.equal(['the folder of API keys cannot be read']);
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await store.refresh();
    expect(caller.standing()).to.equal('valid');
  });
});
