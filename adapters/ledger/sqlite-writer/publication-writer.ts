import { isTakenOff } from '../../../core/publication/status-transition.ts';
import { auditRows, type AuditRows, type NewAudit } from '../tables/audits.ts';
import { certificateRows, type CertificateRows } from '../tables/certificates.ts';
import { changeCounter, type NextChange } from '../tables/changes.ts';
import { checkedEntries, entryBytes } from '../tables/log.ts';
import { manifestPut } from '../tables/manifests.ts';
import { endOrgClaims } from '../tables/org-claims.ts';
import { orgRows, type OrgRows } from '../tables/orgs.ts';
import {
  publicationRows,
  type NewPublication,
  type PublicationRows,
  type StatusChange,
} from '../tables/publications.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import { testReportRows, type NewTestReport, type TestReportRows } from '../tables/test-reports.ts';
import { TOO_LONG, type LogWriter } from './log-writer.ts';

const NOT_PUBLISHED = 'the version was never published';

/** Why a publication can't be written: a mistake of the caller. */
function faultOf({ entries, publishEntry, reportEntry, publishedAt, claim }: NewPublication): string | undefined {
  if (![publishEntry, reportEntry].every((entry) => Object.hasOwn(entries, entry))) return 'an entry is missing';
  if (publishEntry === reportEntry) return 'two rows name one entry';
  const isWhole = [publishedAt, claim?.since ?? 0].every(Number.isSafeInteger);
  return isWhole ? undefined : 'a time is no whole number of milliseconds';
}

function faultOfChange({ entries, revoke }: StatusChange): string | undefined {
  if (entries.length === 0) return 'a change of status has an entry';
  return revoke === null || (Number.isSafeInteger(revoke) && revoke >= 0) ? undefined : 'a certificate has an index';
}

/**
 * Writes published versions with their manifests, reports, claims and entries, inside the writer's transaction. All that
 * could refuse a row is checked before the first write.
 */
export class PublicationWriter {
  readonly #publications: PublicationRows;
  readonly #reports: TestReportRows;
  readonly #audits: AuditRows;
  readonly #orgs: OrgRows;
  readonly #endClaims: ReturnType<typeof endOrgClaims>;
  readonly #certificates: CertificateRows;
  readonly #putManifest: ReturnType<typeof manifestPut>;
  readonly #nextChange: NextChange;

  constructor(db: Connection) {
    this.#publications = publicationRows(db);
    this.#reports = testReportRows(db);
    this.#audits = auditRows(db);
    this.#orgs = orgRows(db);
    this.#endClaims = endOrgClaims(db);
    this.#certificates = certificateRows(db);
    this.#putManifest = manifestPut(db);
    this.#nextChange = changeCounter(db);
  }

  publish(publication: NewPublication, log: LogWriter): RowResult {
    const entries = checkedEntries(publication.entries);
    if (entries === undefined) return refused(TOO_LONG);
    const fault = faultOf(publication);
    if (fault !== undefined) return refused(fault);
    const existing = this.#publications.find(publication.orbId);
    if (existing !== undefined) return ['exists', existing.manifestDigest];
    if (!this.#mayPublish(publication)) return ['conflict', 'organisation'];
    const { org, namespace, claim } = publication;
    if (claim !== null) {
      this.#orgs.put({ org, namespace, ...claim, change: this.#nextChange() });
      this.#endClaims(org);
    }
    return this.#insert(publication, log.appendAll(entries));
  }

  addTestReport({ orbId, namespace, report, entry }: NewTestReport, log: LogWriter): RowResult {
    const bytes = entryBytes(entry);
    if (bytes === undefined) return refused(TOO_LONG);
    const publication = this.#publications.find(orbId);
    if (publication === undefined) return refused(NOT_PUBLISHED);
    const { org, status } = publication;
    if (status === 'yanked' || !this.#isVerified(org, namespace)) return ['conflict', 'not open'];
    const known = this.#reports.indexOf(orbId, report.sha256);
    if (known !== undefined) return known;
    const logIndex = log.appendAll([[entry, bytes]]);
    this.#reports.insert(orbId, { ...report, logIndex });
    return logIndex;
  }

  audit({ orbId, reportSha256, entry }: NewAudit, log: LogWriter): RowResult {
    const bytes = entryBytes(entry);
    if (bytes === undefined) return refused(TOO_LONG);
    if (this.#audits.indexOf(orbId, reportSha256) !== undefined) return ['exists', reportSha256];
    const logIndex = log.appendAll([[entry, bytes]]);
    this.#audits.insert(orbId, reportSha256, logIndex);
    return logIndex;
  }

  setStatus(change: StatusChange, log: LogWriter): RowResult {
    const { orbId, from, to, reason, revoke } = change;
    const entries = checkedEntries(change.entries);
    if (entries === undefined) return refused(TOO_LONG);
    const publication = this.#publications.find(orbId);
    if (publication === undefined) return refused(NOT_PUBLISHED);
    const fault = faultOfChange(change);
    if (fault !== undefined) return refused(fault);
    if (publication.status !== from) return ['conflict', publication.status];
    const ending = isTakenOff(to) ? this.#certificates.inForce(orbId) : undefined;
    if ((ending?.logIndex ?? null) !== revoke) return ['missing'];
    this.#publications.setStatus.run(to, reason, this.#nextChange(), orbId);
    if (ending !== undefined) this.#certificates.revoke(ending.statusIndex, this.#nextChange());
    return log.appendAll(entries);
  }

  /** A publication that claims its organisation needs one without owner. Without a claim, the namespace must own it already. */
  #mayPublish({ org, namespace, claim }: NewPublication): boolean {
    return claim === null ? this.#isVerified(org, namespace) : this.#orgs.find(org) === undefined;
  }

  #isVerified(org: string, namespace: string): boolean {
    const owner = this.#orgs.find(org);
    return owner?.state === 'verified' && owner.namespace === namespace;
  }

  /** @param first index of the first of its entries */
  #insert(publication: NewPublication, first: number): number {
    const { orbId, namespace, org, manifestDigest, publishedAt, report } = publication;
    this.#putManifest(namespace, manifestDigest, publication.manifestJcs);
    const logIndex = first + publication.publishEntry;
    const row = { orbId, namespace, org, manifestDigest, publishedAt, logIndex };
    const state = { status: 'active', reason: null, projected: false, change: this.#nextChange() } as const;
    this.#publications.insert({ ...row, ...state });
    this.#reports.insert(orbId, { ...report, logIndex: first + publication.reportEntry });
    return logIndex;
  }
}
