import { blobOf, integerOf, textOf, type Row } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableSchema } from './table.ts';

/**
 * A compact JWS as it is stored: its header once per key, its other parts as bytes (performance.md §1.1). Its SHA-256
 * stands in its log entry, and is computed wherever else it is needed.
 */
export interface JwsParts {
  readonly header: string;
  readonly payload: Buffer;
  readonly signature: Buffer;
}

const schema: TableSchema = {
  1: `CREATE TABLE jws_headers(id INTEGER PRIMARY KEY, header TEXT NOT NULL UNIQUE) STRICT;`,
};

/** Written with the receipts that have the header. */
export const jwsHeaderTable = { schema, port: nothing, writers: nothing };

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

/** The compact JWS of a row that is joined with its header. */
export const jwsOf = (row: Row): string =>
  [
    textOf(row, 'header'),
    blobOf(row, 'payload').toString('base64url'),
    blobOf(row, 'signature').toString('base64url'),
  ].join('.');

/** Ids of protected headers: one per signing key and type. */
export interface JwsHeaders {
  readonly idOf: (header: string) => number;
  /** To call after a rollback: remembered rows may no longer exist in the database. */
  readonly forget: () => void;
}

export function jwsHeaders(db: Connection): JwsHeaders {
  const insert = db.prepare('INSERT INTO jws_headers(header) VALUES (?) ON CONFLICT DO NOTHING');
  const select = db.prepare('SELECT id FROM jws_headers WHERE header = ?');
  const ids = new Map<string, number>();
  return {
    idOf: (header) => {
      const known = ids.get(header);
      if (known !== undefined) return known;
      insert.run(header);
      const row = select.get(header);
      if (row === undefined) throw new TypeError('a JWS header was not stored');
      const id = integerOf(row, 'id');
      ids.set(header, id);
      return id;
    },
    forget: () => ids.clear(),
  };
}
