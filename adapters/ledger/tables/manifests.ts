import type { Digest } from '../../../core/json/digest.ts';
import { textOf } from '../sqlite/columns.ts';
import { done, type RowOf, type TableParts, type TableSchema, type WriterParts, type Writers } from './table.ts';

/** Manifests by digest, each with the tenants that had it. */
interface ManifestPort {
  /** Stores a manifest that was once valid. Storing the same digest twice succeeds. */
  readonly putManifest: (tenant: string, digest: Digest, jcs: string) => Promise<void>;
  readonly manifest: (tenant: string, digest: Digest) => Promise<string | undefined>;
}

type ManifestOperations = {
  readonly putManifest: readonly [tenant: string, digest: string, jcs: string];
};

const schema: TableSchema = {
  1: `CREATE TABLE manifests(digest TEXT PRIMARY KEY, jcs TEXT NOT NULL) STRICT;
  CREATE TABLE manifest_tenants(digest TEXT NOT NULL, tenant TEXT NOT NULL, PRIMARY KEY (digest, tenant)) STRICT, WITHOUT ROWID;`,
};

function manifestWriters(db: WriterParts): Writers<ManifestOperations> {
  const put = db.prepare('INSERT INTO manifests(digest, jcs) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const putTenant = db.prepare('INSERT INTO manifest_tenants(digest, tenant) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    putManifest: (tenant, digest, jcs) => {
      put.run(digest, jcs);
      putTenant.run(digest, tenant);
      return null;
    },
  };
}

function manifestPort({ prepare, read, write }: TableParts<RowOf<ManifestOperations>>): ManifestPort {
  const one = prepare('SELECT jcs FROM manifests JOIN manifest_tenants USING (digest) WHERE digest = ? AND tenant = ?');
  return {
    putManifest: (tenant, digest, jcs) => done(write(['putManifest', tenant, digest, jcs])),
    manifest: (tenant, digest) =>
      read(() => {
        const row = one.get(digest, tenant);
        return row === undefined ? undefined : textOf(row, 'jcs');
      }),
  };
}

export const manifestTable = { schema, port: manifestPort, writers: manifestWriters };
