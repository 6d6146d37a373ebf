import type { StatementSync } from 'node:sqlite';
import { blobOf, integerOf, textOf } from '../sqlite/columns.ts';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** Bits of one status list, and its bytes. */
const LIST_BITS = 131_072;
const LIST_BYTES = LIST_BITS / 8;

interface StoredCertificate {
  /** Ms since epoch. */
  readonly issuedAt: number;
  readonly jwt: string;
  /** Its place in the status lists: list `floor(statusIndex / 131 072) + 1`, bit `statusIndex % 131 072`. */
  readonly statusIndex: number;
  /** Index of its `certificate` entry. */
  readonly logIndex: number;
  /** Whether its bit is set. */
  readonly revoked: boolean;
}

/**
 * Certificates of published versions, and the status lists that revoke them. A new certificate replaces the one before it
 * that has its place in the lists: each version gets one a day, and its log entry stays.
 */
interface CertificatePort {
  /** The newest one that was issued. */
  readonly certificate: (orbId: string) => Promise<StoredCertificate | undefined>;
  /** One list: 16 KiB, the first bit is the highest of the first byte. @param list from 1 */
  readonly statusBits: (list: number) => Promise<Uint8Array>;
  /** The first index that no certificate has. */
  readonly nextStatusIndex: () => Promise<number>;
}

const schema: TableSchema = {
  4: `CREATE TABLE certificates(
    log_index INTEGER PRIMARY KEY, orb_id TEXT NOT NULL, issued_at INTEGER NOT NULL, jwt TEXT NOT NULL,
    status_index INTEGER NOT NULL, change INTEGER NOT NULL UNIQUE
  ) STRICT;
  CREATE INDEX certificates_orb ON certificates(orb_id, log_index);
  CREATE INDEX certificates_status ON certificates(status_index, log_index);
  CREATE TABLE status_bits(list INTEGER PRIMARY KEY, bits BLOB NOT NULL) STRICT;`,
};

const BITS = 'SELECT bits FROM status_bits WHERE list = ?';

const isSet = (bits: Uint8Array, bit: number): boolean => ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0;

/** Whether a number can be a place in the status lists. */
export const isStatusIndex = (index: number): boolean => Number.isSafeInteger(index) && index >= 0;

const listOf = (statusIndex: number): number => Math.floor(statusIndex / LIST_BITS) + 1;

/** Reads lists on a connection. */
function bitReader(db: Connection): (list: number) => Buffer {
  const one = db.prepare(BITS);
  return (list) => {
    const row = one.get(list);
    return row === undefined ? Buffer.alloc(LIST_BYTES) : blobOf(row, 'bits');
  };
}

/** Certificates and status lists in the writer's thread. */
export interface CertificateRows {
  /** Index, Orb, time, JWT, place in the status lists, change. */
  readonly insert: StatementSync;
  /** Removes the certificates of an Orb with this place that are older than the one at `logIndex`. */
  readonly dropReplaced: (orbId: string, statusIndex: number, logIndex: number) => void;
  /** Whether a certificate may have this place: it is not revoked, and no other Orb has it. */
  readonly isFree: (statusIndex: number, orbId: string) => boolean;
  readonly isRevoked: (statusIndex: number) => boolean;
  /** Where the newest certificate stands in the log and in the status lists. Undefined: the Orb has none, or it is revoked. */
  readonly inForce: (orbId: string) => { readonly logIndex: number; readonly statusIndex: number } | undefined;
  /** The same of all versions of an organisation, with the JWT. @param most at most so many versions are read */
  readonly inForceOfOrg: (
    org: string,
    most: number,
  ) => readonly { readonly statusIndex: number; readonly jwt: string }[];
  /** Sets a bit, and notes the change in the newest certificate that has it. */
  readonly revoke: (statusIndex: number, change: number) => void;
}

export function certificateRows(db: Connection): CertificateRows {
  const bitsOf = bitReader(db);
  const put = db.prepare(
    'INSERT INTO status_bits(list, bits) VALUES (?, ?) ON CONFLICT DO UPDATE SET bits = excluded.bits',
  );
  const other = db.prepare('SELECT 1 AS found FROM certificates WHERE status_index = ? AND orb_id <> ? LIMIT 1');
  const dropReplaced = db.prepare('DELETE FROM certificates WHERE status_index = ? AND log_index < ? AND orb_id = ?');
  const note = db.prepare(
    `UPDATE certificates SET change = ?
     WHERE log_index = (SELECT max(log_index) FROM certificates WHERE status_index = ?)`,
  );
  const newest = db.prepare(
    'SELECT log_index, status_index FROM certificates WHERE orb_id = ? ORDER BY log_index DESC LIMIT 1',
  );
  const ofOrg = db.prepare(
    `SELECT newest.status_index, newest.jwt FROM publications AS version JOIN certificates AS newest
     ON newest.log_index = (SELECT max(log_index) FROM certificates WHERE orb_id = version.orb_id)
     WHERE version.org = ? ORDER BY newest.log_index DESC LIMIT ?`,
  );
  const isRevoked = (statusIndex: number): boolean => isSet(bitsOf(listOf(statusIndex)), statusIndex % LIST_BITS);
  return {
    insert: db.prepare(
      'INSERT INTO certificates(log_index, orb_id, issued_at, jwt, status_index, change) VALUES (?, ?, ?, ?, ?, ?)',
    ),
    dropReplaced: (orbId, statusIndex, logIndex) => {
      dropReplaced.run(statusIndex, logIndex, orbId);
    },
    isFree: (statusIndex, orbId) => other.get(statusIndex, orbId) === undefined && !isRevoked(statusIndex),
    isRevoked,
    inForce: (orbId) => {
      const row = newest.get(orbId);
      if (row === undefined) return undefined;
      const found = { logIndex: integerOf(row, 'log_index'), statusIndex: integerOf(row, 'status_index') };
      return isRevoked(found.statusIndex) ? undefined : found;
    },
    inForceOfOrg: (org, most) =>
      ofOrg
        .all(org, most)
        .map((row) => ({ statusIndex: integerOf(row, 'status_index'), jwt: textOf(row, 'jwt') }))
        .filter(({ statusIndex }) => !isRevoked(statusIndex)),
    revoke: (statusIndex, change) => {
      const list = listOf(statusIndex);
      const bit = statusIndex % LIST_BITS;
      const bits = Buffer.from(bitsOf(list));
      bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
      put.run(list, bits);
      note.run(change, statusIndex);
    },
  };
}

function certificatePort({ prepare, read }: TableParts<never>): CertificatePort {
  const newest = prepare(
    'SELECT log_index, issued_at, jwt, status_index FROM certificates WHERE orb_id = ? ORDER BY log_index DESC LIMIT 1',
  );
  const next = prepare('SELECT coalesce(max(status_index), -1) + 1 AS next FROM certificates');
  const bitsOf = bitReader({ prepare });
  return {
    certificate: (orbId) =>
      read(() => {
        const row = newest.get(orbId);
        if (row === undefined) return undefined;
        const statusIndex = integerOf(row, 'status_index');
        return {
          issuedAt: integerOf(row, 'issued_at'),
          jwt: textOf(row, 'jwt'),
          statusIndex,
          logIndex: integerOf(row, 'log_index'),
          revoked: isSet(bitsOf(listOf(statusIndex)), statusIndex % LIST_BITS),
        };
      }),
    statusBits: (list) => read(() => Uint8Array.from(bitsOf(list))),
    nextStatusIndex: () => read(() => integerOf(next.get() ?? {}, 'next')),
  };
}

/** Written with the log: `sqlite-writer/evaluation-writer.ts`, and revoked by `publication-writer.ts` and `org-writer.ts` too. */
export const certificateTable = { schema, port: certificatePort, writers: nothing };
