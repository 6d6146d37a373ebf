import { integerOf, textOf } from '../sqlite/columns.ts';
import { orgRows } from './orgs.ts';
import {
  refused,
  unexpected,
  type Connection,
  type RowOf,
  type RowResult,
  type TableParts,
  type TableSchema,
  type WriterParts,
  type Writers,
} from './table.ts';

/** A claim of an organisation that is not proven yet. Claims of several tenants stand side by side. */
interface OrgClaim {
  readonly org: string;
  readonly namespace: string;
  /** End of its validity, ms since epoch. */
  readonly until: number;
  /** JSON text that the caller alone understands. */
  readonly json: string;
}

/** Most claims that a tenant has open at a time. */
const MAX_OPEN_CLAIMS = 16;

type ClaimResult =
  | { readonly kind: 'done' }
  /** Another namespace owns the organisation: this call wrote nothing. */
  | { readonly kind: 'taken' }
  /** The namespace has 16 open claims of other organisations: this call wrote nothing. */
  | { readonly kind: 'too-many' };

/** Open claims of organisations. The first one that is proven ends the others (`OrgPort.putOrg`, `publish`). */
interface OrgClaimPort {
  readonly orgClaim: (org: string, namespace: string) => Promise<OrgClaim | undefined>;
  /**
   * Opens a claim, or replaces that of the same namespace. Removes what is over.
   * @param now ms since epoch: claims whose `until` is not later are over
   */
  readonly putOrgClaim: (claim: OrgClaim, now: number) => Promise<ClaimResult>;
}

type OrgClaimOperations = { readonly putOrgClaim: readonly [claim: OrgClaim, now: number] };

const schema: TableSchema = {
  4: `CREATE TABLE org_claims(
    org TEXT NOT NULL, namespace TEXT NOT NULL, until INTEGER NOT NULL, json TEXT NOT NULL,
    PRIMARY KEY (org, namespace)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX org_claims_namespace ON org_claims(namespace);
  CREATE INDEX org_claims_until ON org_claims(until);`,
};

/** Ends every open claim of an organisation, in the writer's thread. */
export function endOrgClaims(db: Connection): (org: string) => void {
  const remove = db.prepare('DELETE FROM org_claims WHERE org = ?');
  return (org) => {
    remove.run(org);
  };
}

function orgClaimWriters(db: WriterParts): Writers<OrgClaimOperations> {
  const orgs = orgRows(db);
  const expire = db.prepare('DELETE FROM org_claims WHERE until <= ?');
  const others = db.prepare('SELECT 1 AS found FROM org_claims WHERE namespace = ? AND org <> ?');
  const put = db.prepare(
    `INSERT INTO org_claims(org, namespace, until, json) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET until = excluded.until, json = excluded.json`,
  );
  return {
    putOrgClaim: ({ org, namespace, until, json }, now) => {
      if (![until, now].every(Number.isSafeInteger)) return refused('a time is no whole number of milliseconds');
      const owner = orgs.find(org);
      if (owner !== undefined && owner.namespace !== namespace) return ['conflict', 'owned'];
      expire.run(now);
      if (others.all(namespace, org).length >= MAX_OPEN_CLAIMS) return ['conflict', 'too many'];
      put.run(org, namespace, until, json);
      return null;
    },
  };
}

function claimResult(result: RowResult): ClaimResult {
  if (result === null) return { kind: 'done' };
  if (typeof result === 'number' || result[0] !== 'conflict') throw unexpected(result);
  return { kind: result[1] === 'owned' ? 'taken' : 'too-many' };
}

function orgClaimPort({ prepare, read, write }: TableParts<RowOf<OrgClaimOperations>>): OrgClaimPort {
  const one = prepare('SELECT until, json FROM org_claims WHERE org = ? AND namespace = ?');
  return {
    orgClaim: (org, namespace) =>
      read(() => {
        const row = one.get(org, namespace);
        return row && { org, namespace, until: integerOf(row, 'until'), json: textOf(row, 'json') };
      }),
    putOrgClaim: async (claim, now) => claimResult(await write(['putOrgClaim', claim, now])),
  };
}

export const orgClaimTable = { schema, port: orgClaimPort, writers: orgClaimWriters };
