import { createHash } from 'node:crypto';
import type { Ledger } from '../../adapters/ledger/port.ts';
import { makeCredential, secondsText, type CertificateSubject } from '../../core/certificate/credential.ts';
import { isCredential } from '../../core/certificate/credential-schema.ts';
import { sealCertificate } from '../../core/certificate/seal.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { readEntry, type LogEntry } from '../../core/log-entry/entry.ts';
import type { IssuedCertificate } from '../../core/publication/certificate-due.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import type { Judged } from '../../core/reputation/score-line.ts';
import { ALGORITHM } from '../../core/reputation/formula.ts';
import { parseJws } from '../../core/receipt/jws.ts';
import { decodeUtf8 } from '../../core/json/bytes.ts';
import type { SealTools } from '../../core/receipt/seal.ts';
import type { CertificateChange, Over } from './evaluator.ts';

/** The newest certificate of a version, and its place in the status lists. */
export interface NewestCertificate extends IssuedCertificate {
  /** Lower-case hex of the SHA-256 of the JWT. */
  readonly sha256: string;
  readonly statusIndex: number;
}

export interface CertificateParts {
  readonly ledger: Pick<Ledger, 'certificate' | 'nextStatusIndex'>;
  /** With the certificate key. */
  readonly tools: SealTools;
  readonly issuer: string;
  readonly logOrigin: string;
}

const hexOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The subject of a stored certificate. It was checked when it was signed. */
function subjectOf(jwt: string): CertificateSubject | undefined {
  const payload = parseJws(jwt)?.payload;
  const text = payload === undefined ? undefined : decodeUtf8(payload);
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isJsonObject(value) && isCredential(value) ? value.credentialSubject : undefined;
}

/** A tier that a certificate can state; others have none. */
type Certified = Pick<CertificateSubject, 'tier' | 'tier_status'>;

function certifiedOf({ held }: Judged): Certified | undefined {
  const { tier, status } = held;
  return tier === 'uncertified' || status === 'suspended' ? undefined : { tier, tier_status: status };
}

/** Issues certificates with the certificate key (trust.md §6.1). */
export class CertificateIssuer {
  readonly #parts: CertificateParts;
  #nextPlace = 0;

  constructor(parts: CertificateParts) {
    this.#parts = parts;
  }

  async newest(orbId: string): Promise<NewestCertificate | undefined> {
    const stored = await this.#parts.ledger.certificate(orbId);
    const subject = stored && subjectOf(stored.jwt);
    if (stored === undefined || subject === undefined) return undefined;
    return {
      tier: subject.tier,
      tierStatus: subject.tier_status,
      score: subject.reputation_score,
      issuedAt: stored.issuedAt,
      revoked: stored.revoked,
      sha256: hexOf(stored.jwt),
      statusIndex: stored.statusIndex,
    };
  }

  /** A place that no other certificate has, also none that is being written: one process issues at a time. */
  async #freePlace(): Promise<number> {
    const free = await this.#parts.ledger.nextStatusIndex();
    const place = Math.max(free, this.#nextPlace);
    this.#nextPlace = place + 1;
    return place;
  }

  /** A publication keeps its place in the status lists until its certificate is revoked. */
  async issue(
    orb: ListedOrb,
    judged: Judged,
    over: Over,
    newest: NewestCertificate | undefined,
  ): Promise<CertificateChange | undefined> {
    const certified = certifiedOf(judged);
    if (certified === undefined) return undefined;
    const { tools, issuer, logOrigin } = this.#parts;
    const keeps = newest !== undefined && !newest.revoked;
    const statusIndex = keeps ? newest.statusIndex : await this.#freePlace();
    const issuedAt = Date.parse(secondsText(over.now));
    const credential = makeCredential({
      issuer,
      orbId: orb.orbId,
      issuedAt,
      statusIndex,
      subject: {
        ...certified,
        manifest_digest: orb.manifestDigest,
        reputation_score: judged.score.score,
        algorithm: ALGORITHM,
        evidence: {
          log_origin: logOrigin,
          tree_size: over.size,
          root_hash: over.rootBase64,
          as_of: over.asOf,
        },
        criteria_met: judged.judgement.criteria.filter(({ met }) => met).map(({ id }) => id),
      },
    });
    const { jwt, entry } = sealCertificate(credential, tools);
    return { entries: entriesOf(entry), issued: { issuedAt, jwt, statusIndex }, revokeIndex: null };
  }
}

/** The text was just made by `entryText`. */
const entriesOf = (text: string): readonly LogEntry[] => {
  const entry = readEntry(text);
  return entry === undefined ? [] : [entry];
};
