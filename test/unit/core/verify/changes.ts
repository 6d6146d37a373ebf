import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import type { KeysDocument, PublishedKey } from '../../../../core/receipt/keys-document.ts';
import { keys, type Changes } from './a-world.ts';

// What the rows of the verifier's table change in a good bundle.

export const receiptKey = (change: Partial<PublishedKey>): Changes => ({
  document: (document) => ({
    ...document,
    keys: document.keys.map((key) => (key.role === 'receipt' ? { ...key, ...change } : key)),
  }),
});
export const withDocument = (document: (document: KeysDocument) => KeysDocument): Changes => ({ document });
export const revoked = (index: number | null): Changes =>
  receiptKey({ status: 'revoked', revoked_at: '2026-11-20T11:00:00.000Z', revoked_log_index: index });
export const otherBundle = (members: object): Changes => ({ bundle: (bundle) => ({ ...bundle, ...members }) });
export const header = (members: object, change = (text: string): string => text): Changes => ({
  bundle: (bundle) => {
    const [, payload = ''] = bundle.jws.split('.');
    const text = change(JSON.stringify({ alg: 'Ed25519', kid: keys.receipt.kid, typ: 'orb-receipt+jws', ...members }));
    const input = `${Buffer.from(text).toString('base64url')}.${payload}`;
    return { ...bundle, jws: `${input}.${Buffer.from(keys.receipt.sign(encodeUtf8(input))).toString('base64url')}` };
  },
});
/** A payload that was really signed. */
export const signedPayload = (text: string | Uint8Array): Changes => ({
  bundle: (bundle) => {
    const [head = ''] = bundle.jws.split('.');
    const input = `${head}.${Buffer.from(text).toString('base64url')}`;
    return { ...bundle, jws: `${input}.${Buffer.from(keys.receipt.sign(encodeUtf8(input))).toString('base64url')}` };
  },
});
export const proof = (change: (text: string) => string): Changes => ({
  bundle: (bundle) => ({ ...bundle, tlog_proof: change(bundle.tlog_proof) }),
});
