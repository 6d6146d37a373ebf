import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { KeyAnswer, KeyRing } from '../../../../adapters/api-keys/key-ring.ts';
import type { Caller } from '../../../../core/api-key/caller.ts';
import { newApiKey } from '../../../../core/api-key/format.ts';
import { apiKeyDocument, type ApiKeyFields } from '../../../../core/api-key/record.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';

export const START = Date.parse('2026-11-20T10:00:00Z');
const DAY = 86_400_000;

/** One store of API keys under test. */
export interface KeyStore {
  readonly authenticate: KeyRing['authenticate'];
  readonly keys: KeyRing['keys'];
  /** Stores a document under a name, and waits until the store has seen it. */
  readonly put: (name: string, document: JsonObject) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  /** The place of the keys goes away, or comes back. */
  readonly away: (away: boolean) => Promise<void>;
  readonly logged: () => readonly string[];
  readonly close: () => Promise<void>;
}

interface Made {
  readonly text: string;
  readonly keyId: string;
  readonly document: JsonObject;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** A key with its Secret. @param keyId of another key: the same id, another secret */
export function makeKey(change: Partial<ApiKeyFields> = {}, keyId?: string): Made {
  const random = (bytes: number): Uint8Array =>
    keyId !== undefined && bytes === 8
      ? Uint8Array.from(keyId, (digit) => DIGITS.indexOf(digit))
      : new Uint8Array(randomBytes(bytes));
  const key = newApiKey(random);
  const fields: ApiKeyFields = {
    keyId: key.keyId,
    sha256: createHash('sha256').update(key.text).digest('hex'),
    tenants: ['acme'],
    scopes: ['orbs:execute'],
    notBefore: START,
    expiresAt: START + 90 * DAY,
    createdBy: 'test',
    ...change,
  };
  return { text: key.text, keyId: key.keyId, document: apiKeyDocument(fields, 'orb-system') };
}

const callerOf = (answer: KeyAnswer): Caller => {
  if (answer.kind !== 'ok') throw new TypeError(answer.kind);
  return answer.caller;
};

/** What every store of API keys must do (security.md §6.2), wherever it keeps them. */
export function apiKeyContract(name: string, open: (clock: { readonly now: () => number }) => Promise<KeyStore>): void {
  describe(`${name} as a store of API keys`, () => {
    let now = START;
    let store: KeyStore;
    const ask = (key: string, address = '127.0.0.1'): KeyAnswer => store.authenticate(`Bearer ${key}`, address);

    beforeEach(async () => {
      now = START;
      store = await open({ now: () => now });
    });
    afterEach(() => store.close());

    it('knows a stored key, with what it may do', async () => {
      const { text, keyId, document } = makeKey({ orbs: ['acme.x'] });
      await store.put('one', document);
      const caller = callerOf(ask(text));
      expect([caller.id, caller.tenants, [...caller.scopes], caller.orbs, caller.expiresAt]).to.deep.equal([
        `key:${keyId}`,
        ['acme'],
        ['orbs:execute'],
        ['acme.x'],
        START + 90 * DAY,
      ]);
      expect([caller.standing(), store.keys().map((key) => key.keyId)]).to.deep.equal(['valid', [keyId]]);
    });

    it('knows the rate of a key that has one of its own', async () => {
      const [own, common] = [makeKey({ rate: '5:9' }), makeKey()];
      await store.put('own', own.document);
      await store.put('common', common.document);
      expect(callerOf(ask(own.text)).rate).to.deep.equal({ perSecond: 5, burst: 9 });
      expect(callerOf(ask(common.text))).to.not.have.property('rate');
    });

    it('takes the scheme in any case, and no header that is not one bearer token', async () => {
      const { text, document } = makeKey();
      await store.put('one', document);
      const good = [`bearer ${text}`, `BEARER  ${text}`];
      const bad = [text, `Basic ${text}`, `Bearer ${text} x`, `Bearer ${text},`, 'Bearer', '', undefined];
      const kinds = [...good, ...bad].map((header) => store.authenticate(header, '127.0.0.1').kind);
      expect(kinds).to.deep.equal(['ok', 'ok', ...bad.map(() => 'unauthenticated')]);
    });

    it('refuses an unknown key, and another secret under a known id', async () => {
      const known = makeKey();
      await store.put('one', known.document);
      const [stranger, twin] = [makeKey(), makeKey({}, known.keyId)];
      expect(twin.keyId).to.equal(known.keyId);
      expect([stranger, twin].map(({ text }) => ask(text).kind)).to.deep.equal(['unauthenticated', 'unauthenticated']);
    });

    it('refuses a key after its expiry, and at an address outside its blocks', async () => {
      const { text, document } = makeKey({ cidrs: ['10.0.0.0/8'] });
      await store.put('one', document);
      expect(ask(text, '::ffff:10.0.0.1').kind).to.equal('ok');
      expect(ask(text, '192.0.2.1')).to.deep.equal({ kind: 'forbidden', why: 'cidr' });
      now = START + 90 * DAY;
      expect(ask(text, '10.0.0.1').kind).to.equal('unauthenticated');
    });

    it('forgets a revoked key; a caller that began with it says so', async () => {
      const { text, document } = makeKey();
      await store.put('one', document);
      const caller = callerOf(ask(text));
      await store.remove('one');
      expect([ask(text).kind, caller.standing()]).to.deep.equal(['unauthenticated', 'revoked-or-expired']);
    });

    it('lets a caller that outlives its key say so', async () => {
      const { text, document } = makeKey({ expiresAt: START + 1000 });
      await store.put('one', document);
      const caller = callerOf(ask(text));
      now = START + 1000;
      expect(caller.standing()).to.equal('revoked-or-expired');
    });

    it('takes a changed document, and drops one that breaks, saying so', async () => {
      const [one, two] = [makeKey(), makeKey()];
      await store.put('one', one.document);
      await store.put('one', two.document);
      expect([ask(one.text).kind, ask(two.text).kind]).to.deep.equal(['unauthenticated', 'ok']);
      const { stringData } = two.document;
      await store.put('one', {
        ...two.document,
        stringData: { ...(isJsonObject(stringData) ? stringData : {}), sha256: 'x' },
      });
      expect([ask(two.text).kind, store.logged().length]).to.deep.equal(['unauthenticated', 1]);
    });

    it('keeps one broken document from stopping another', async () => {
      const good = makeKey();
      await store.put('bad', { ...makeKey().document, stringData: 'nothing' });
      await store.put('good', good.document);
      expect(ask(good.text).kind).to.equal('ok');
    });

    it('keeps the known keys while their place is away, and does not vouch for them', async () => {
      const { text, document } = makeKey();
      await store.put('one', document);
      const caller = callerOf(ask(text));
      await store.away(true);
      expect([ask(text).kind, caller.standing()]).to.deep.equal(['ok', 'unknown']);
      await store.away(false);
      expect(caller.standing()).to.equal('valid');
    });
  });
}
