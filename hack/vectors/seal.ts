import { jcs } from '../../core/json/jcs.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { signJws } from '../../core/receipt/jws.ts';
import type { KeysDocument } from '../../core/receipt/keys-document.ts';
import type { ReceiptRecord } from '../../core/receipt/record.ts';
import { sealReceipt, type SealedReceipt } from '../../core/receipt/seal.ts';
import type { Signer } from '../../core/receipt/signer.ts';
import { sha256Hex } from './primitives.ts';

const encoding = {
  utf8: (text: string): Uint8Array => Buffer.from(text, 'utf8'),
  base64Url: (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url'),
};

export const seal = (record: ReceiptRecord, signer: Signer): SealedReceipt =>
  sealReceipt(record, { signer, sha256Hex, encoding });

export const signKeys = (document: JsonObject & KeysDocument, root: Signer): string =>
  signJws(jcs(document), 'orb-keys+jws', root, encoding);
