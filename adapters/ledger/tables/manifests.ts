import type { Digest } from '../../../core/json/digest.ts';
import { textOf, type Row } from '../sqlite/columns.ts';
import {
  done,
  type Connection,
  type RowOf,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** Manifests by digest, each with the tenants that had it. */
interface ManifestPort {
  /** Stores a manifest that was once valid. Storing the same digest twice succeeds. */
  readonly putManifest: (tenant: string, digest: Digest, jcs: string) => Promise<void>;
  readonly manifest: (tenant: string, digest: Digest) => Promise<string | undefined>;
  /** A manifest that was published, for everybody; also while its version is yanked or suspended. */
  readonly publicManifest: (digest: string) => Promise<string | undefined>;
}

type ManifestOperations = {
  readonly putManifest: readonly [tenant: string, digest: string, jcs: string];
};

const schema: TableSchema = {
  1: `CREATE TABLE manifests(digest TEXT PRIMARY KEY, jcs TEXT NOT NULL) STRICT;
  CREATE TABLE manifest_tenants(digest TEXT NOT NULL, tenant TEXT NOT NULL, PRIMARY KEY (digest, tenant)) STRICT, WITHOUT ROWID;`,
};

/** Stores a manifest for a tenant, in the writer's thread. The same again changes nothing. */
export function manifestPut(db: Connection): (tenant: string, digest: string, jcs: string) => void {
  const put = db.prepare('INSERT INTO manifests(digest, jcs) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const putTenant = db.prepare('INSERT INTO manifest_tenants(digest, tenant) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return (tenant, digest, jcs) => {
    put.run(digest, jcs);
    putTenant.run(digest, tenant);
  };
}

function manifestWriters(db: WriterParts): Writers<ManifestOperations> {
  const put = manifestPut(db);
  return {
    putManifest: (tenant, digest, jcs) => {
      put(tenant, digest, jcs);
      return null;
    },
  };
}

const jcsOf = (row: Row | undefined): string | undefined => row && textOf(row, 'jcs');

function manifestPort({ prepare, read, write }: TableParts<RowOf<ManifestOperations>>): ManifestPort {
  const one = prepare('SELECT jcs FROM manifests JOIN manifest_tenants USING (digest) WHERE digest = ? AND tenant = ?');
  const published = prepare(
    'SELECT jcs FROM manifests WHERE digest = ? AND EXISTS (SELECT 1 FROM publications WHERE manifest_digest = digest)',
  );
  return {
    putManifest: (tenant, digest, jcs) => done(write(['putManifest', tenant, digest, jcs])),
    manifest: (tenant, digest) => read(() => jcsOf(one.get(digest, tenant))),
    publicManifest: (digest) => read(() => jcsOf(published.get(digest))),
  };
}

export const manifestTable = { schema, port: manifestPort, writers: manifestWriters };
