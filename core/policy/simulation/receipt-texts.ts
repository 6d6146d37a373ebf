import { hash } from 'node:crypto';

/** A receipt as it is stored. Most are only hashed and read, and never joined to a compact JWS. */
export interface ReceiptTexts {
  /** Protected header, base64url. */
  readonly header: string;
  /** JSON text. */
  readonly payload: string;
  /** base64url */
  readonly signature: string;
}

export const compactJws = ({ header, payload, signature }: ReceiptTexts): string =>
  `${header}.${Buffer.from(payload).toString('base64url')}.${signature}`;

/** Memory for the compact JWS of most receipts, which take some 2.5 kB: texts of their own would be garbage. */
const ROOM = Buffer.allocUnsafeSlow(16_384);

/** The most bytes that base64url of a UTF-16 unit takes: 3 bytes of UTF-8 are 4 characters. */
const MOST_BYTES = 4;

/** Lower-case hex SHA-256 of the compact JWS, as log entries hold it. */
export function jwsDigest(receipt: ReceiptTexts): string {
  const { header, payload, signature } = receipt;
  const most = header.length + payload.length * MOST_BYTES + signature.length + 2;
  if (most > ROOM.length) return hash('sha256', compactJws(receipt), 'hex');
  const text = ROOM.toString('base64url', 0, ROOM.write(payload));
  let end = ROOM.write(header, 'latin1');
  end += ROOM.write('.', end, 'latin1');
  end += ROOM.write(text, end, 'latin1');
  end += ROOM.write('.', end, 'latin1');
  end += ROOM.write(signature, end, 'latin1');
  return hash('sha256', ROOM.subarray(0, end), 'hex');
}
