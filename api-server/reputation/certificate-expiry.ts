import type { Ledger } from '../../adapters/ledger/port.ts';
import { credentialIn } from '../../core/certificate/read-credential.ts';
import type { ListedOrb } from '../../core/publication/listed-orb.ts';
import type { Listings } from './listings.ts';

export interface CertificateExpiryParts {
  readonly ledger: Pick<Ledger, 'certificate'>;
  readonly listings: Pick<Listings, 'all' | 'evaluatedAt'>;
}

/** Certificates that one call reads: it must not keep the event loop for long. */
const MOST_READS = 200;

interface Known {
  readonly evaluatedAt: number | undefined;
  /** ms since epoch; undefined: none is in force. */
  readonly until: number | undefined;
}

const mayHaveOne = ({ status, standing }: ListedOrb): boolean =>
  (status === 'active' || status === 'deprecated') && standing.tier !== 'uncertified';

/**
 * When the first of the certificates in force expires. An evaluation may issue or revoke a certificate, so one is read
 * again after the next evaluation of its version. At most 200 are read in one call: with more versions than that the first
 * calls after a start know only some of them.
 */
export class CertificateExpiry {
  readonly #parts: CertificateExpiryParts;
  readonly #known = new Map<string, Known>();

  constructor(parts: CertificateExpiryParts) {
    this.#parts = parts;
  }

  /** @returns ms since epoch; undefined: no certificate is in force @throws LedgerError */
  async next(): Promise<number | undefined> {
    const { listings } = this.#parts;
    const certified = [...listings.all()].filter(mayHaveOne).map(({ orbId }) => orbId);
    const stale = certified.filter((orbId) => this.#isStale(orbId)).slice(0, MOST_READS);
    for (const orbId of stale) await this.#read(orbId);
    const ends = certified.flatMap((orbId) => this.#known.get(orbId)?.until ?? []);
    return ends.length === 0 ? undefined : ends.reduce((one, other) => Math.min(one, other));
  }

  #isStale(orbId: string): boolean {
    const known = this.#known.get(orbId);
    return known === undefined || known.evaluatedAt !== this.#parts.listings.evaluatedAt(orbId);
  }

  async #read(orbId: string): Promise<void> {
    const { ledger, listings } = this.#parts;
    const evaluatedAt = listings.evaluatedAt(orbId);
    const stored = await ledger.certificate(orbId);
    const credential = stored === undefined || stored.revoked ? undefined : credentialIn(stored.jwt);
    this.#known.set(orbId, { evaluatedAt, until: credential && Date.parse(credential.validUntil) });
  }
}
