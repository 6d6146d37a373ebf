import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
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

/** Written with the log, by `publishedRows`. */
export const publishedTable = { schema, port: publishedPort, writers: nothing };

function parsed(entry: string): JsonObject {
  try {
    const value: unknown = JSON.parse(entry);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // the log accepts any text; only entries in its own form count here
  }
}

export interface PublishedRows {
  /** Must be called with each appended entry, inside its transaction. */
  readonly note: (entries: readonly string[]) => void;
}

export function publishedRows(db: Connection): PublishedRows {
  const put = db.prepare('INSERT INTO published(orb_id, manifest_digest) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    note: (entries) => {
      for (const entry of entries) {
        const { kind, orb_id: orbId, manifest_digest: digest } = parsed(entry);
        if (kind === 'publish' && typeof orbId === 'string' && typeof digest === 'string') put.run(orbId, digest);
      }
    },
  };
}
