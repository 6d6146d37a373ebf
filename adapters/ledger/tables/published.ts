import type { StatementSync } from 'node:sqlite';
import { nothing, type Connection, type TableParts, type TableSchema } from './table.ts';

/** Manifests that have a `publish` entry. Each swap needs this, so the log is not searched for it. */
interface PublishedPort {
  /** Whether a `publish` entry of these bytes is in the log. */
  readonly hasPublished: (orbId: string, manifestDigest: string) => Promise<boolean>;
}

const schema: TableSchema = {
  // Fed from the `publish` entries as they are appended: programs of the first version did not write such entries.
  2: `CREATE TABLE published(orb_id TEXT NOT NULL, manifest_digest TEXT NOT NULL, PRIMARY KEY (orb_id, manifest_digest)) STRICT, WITHOUT ROWID;`,
};

function publishedPort({ prepare, read }: TableParts<never>): PublishedPort {
  const one = prepare('SELECT 1 AS found FROM published WHERE orb_id = ? AND manifest_digest = ?');
  return { hasPublished: (orbId, digest) => read(() => one.get(orbId, digest) !== undefined) };
}

/** Written with the log, by `sqlite-writer/fold-writer.ts`. */
export const publishedTable = { schema, port: publishedPort, writers: nothing };

/** Orb and digest; the same again changes nothing. */
export const insertPublished = (db: Connection): StatementSync =>
  db.prepare('INSERT INTO published(orb_id, manifest_digest) VALUES (?, ?) ON CONFLICT DO NOTHING');
