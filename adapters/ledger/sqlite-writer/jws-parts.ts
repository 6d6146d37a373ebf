import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { integerOf } from '../sqlite/columns.ts';

/** A compact JWS as it is stored: its header is stored once per key, its other parts as bytes. */
interface JwsParts {
  readonly header: string;
  readonly payload: Buffer;
  readonly signature: Buffer;
}

/** Undefined unless joining the parts gives the same text byte for byte. */
export function splitJws(jws: string): JwsParts | undefined {
  const [header, payloadText, signatureText, more] = jws.split('.');
  if (header === undefined || payloadText === undefined || signatureText === undefined || more !== undefined)
    return undefined;
  const payload = Buffer.from(payloadText, 'base64url');
  const signature = Buffer.from(signatureText, 'base64url');
  const same = payload.toString('base64url') === payloadText && signature.toString('base64url') === signatureText;
  return same ? { header, payload, signature } : undefined;
}

/** Ids of protected headers: one per signing key and type. */
export class JwsHeaders {
  readonly #insert: StatementSync;
  readonly #select: StatementSync;
  readonly #ids = new Map<string, number>();

  constructor(db: DatabaseSync) {
    this.#insert = db.prepare('INSERT INTO jws_headers(header) VALUES (?) ON CONFLICT DO NOTHING');
    this.#select = db.prepare('SELECT id FROM jws_headers WHERE header = ?');
  }

  /** To call after a rollback: remembered rows may no longer exist in the database. */
  forget(): void {
    this.#ids.clear();
  }

  idOf(header: string): number {
    const known = this.#ids.get(header);
    if (known !== undefined) return known;
    this.#insert.run(header);
    const row = this.#select.get(header);
    if (row === undefined) throw new TypeError('a JWS header was not stored');
    const id = integerOf(row, 'id');
    this.#ids.set(header, id);
    return id;
  }
}
