import { createHash } from 'node:crypto';
import { entryText } from '../../../core/log-entry/entry.ts';
import { certificateRows, type CertificateRows } from '../tables/certificates.ts';
import { changeCounter, type NextChange } from '../tables/changes.ts';
import { checkedEntries, type CheckedEntries } from '../tables/log.ts';
import { endOrgClaims } from '../tables/org-claims.ts';
import { orgRows, type OrgRow, type OrgRows, type PutOrgRow } from '../tables/orgs.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

/** Certificates that one suspension ends in its transaction: some 0.4 s, in which runs wait for the writer. */
const MOST_ENDED = 5000;

const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex');

const isSuspension = (row: Pick<OrgRow, 'state'>, found: Pick<OrgRow, 'state'> | undefined): boolean =>
  row.state === 'suspended' && found?.state !== 'suspended';

/** Writes organisations with their entries, inside the writer's transaction. */
export class OrgWriter {
  readonly #orgs: OrgRows;
  readonly #endClaims: ReturnType<typeof endOrgClaims>;
  readonly #certificates: CertificateRows;
  readonly #nextChange: NextChange;

  constructor(db: Connection) {
    this.#orgs = orgRows(db);
    this.#endClaims = endOrgClaims(db);
    this.#certificates = certificateRows(db);
    this.#nextChange = changeCounter(db);
  }

  put([, row, expected, texts, claims]: PutOrgRow, log: LogWriter): RowResult {
    const entries = checkedEntries(texts);
    if (entries === undefined) return refused(TOO_LONG);
    if (!Number.isSafeInteger(row.since)) return refused('a time is no whole number of milliseconds');
    const found = this.#orgs.find(row.org);
    if ((found?.json ?? null) !== expected) return ['conflict', 'other row'];
    this.#orgs.put({ ...row, change: this.#nextChange() });
    if (claims === 'ended') this.#endClaims(row.org);
    if (entries.length === 0) return null;
    return log.appendAll(isSuspension(row, found) ? [...entries, ...this.#endCertificates(row)] : entries);
  }

  /** @returns their `revocation` entries */
  #endCertificates({ org, since }: PutOrgRow[1]): CheckedEntries {
    const at = new Date(since).toISOString();
    const ended = this.#certificates.inForceOfOrg(org, MOST_ENDED);
    for (const { statusIndex } of ended) this.#certificates.revoke(statusIndex, this.#nextChange());
    const revocations = ended.map(({ jwt }) =>
      entryText({ kind: 'revocation', target: 'certificate', sha256: sha256Hex(jwt), reason: 'suspended', at }),
    );
    return revocations.map((text) => [text, Buffer.from(text)] as const);
  }
}
