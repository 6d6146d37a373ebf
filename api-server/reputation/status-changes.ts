import type { Ledger } from '../../adapters/ledger/port.ts';
import { sha256Hex } from '../../adapters/keys/primitives.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText, readEntry, type LogEntry } from '../../core/log-entry/entry.ts';
import type { ListedOrb, OrbStatus } from '../../core/publication/listed-orb.ts';
import { isTakenOff, mayChangeStatus } from '../../core/publication/status-transition.ts';
import type { Listings } from './listings.ts';

export interface StatusChangeParts {
  readonly ledger: Pick<Ledger, 'setOrbStatus' | 'statusEntries' | 'certificate'>;
  readonly listings: Listings;
  readonly clock: Pick<Clock, 'now'>;
  /** Called after entries were written that make the version due for an evaluation. */
  readonly changed: () => void;
}

/** Result of a change of status. */
export type StatusChanged =
  | { readonly kind: 'done'; readonly logIndex: number }
  | { readonly kind: 'not-published' }
  | { readonly kind: 'refused'; readonly from: OrbStatus };

interface Wanted {
  readonly status: OrbStatus;
  readonly reason: string;
  /** The caller acts for the platform. */
  readonly isAdmin: boolean;
}

/** A certificate in force. */
interface Ending {
  /** Index of its `certificate` entry. */
  readonly logIndex: number;
  /** Lower-case hex of the SHA-256 of the JWT. */
  readonly sha256: string;
}

/** Changes the status of published versions (trust.md §8.6). */
export class StatusChanges {
  readonly #parts: StatusChangeParts;

  constructor(parts: StatusChangeParts) {
    this.#parts = parts;
  }

  /** A version that is taken off loses its certificate in the same transaction. @throws LedgerError */
  async change(orbId: string, wanted: Wanted): Promise<StatusChanged> {
    const { ledger, listings, changed } = this.#parts;
    const { status, reason, isAdmin } = wanted;
    const orb = listings.orb(orbId);
    if (orb === undefined) return { kind: 'not-published' };
    if (!mayChangeStatus(orb.status, status, isAdmin, await this.#statusBefore(orb)))
      return { kind: 'refused', from: orb.status };
    const ending = isTakenOff(status) ? await this.#inForce(orbId) : undefined;
    const result = await ledger.setOrbStatus({
      orbId,
      from: orb.status,
      to: status,
      reason,
      entries: this.#entries(orbId, wanted, ending),
      revoke: ending?.logIndex ?? null,
    });
    await listings.refresh();
    // An evaluation issued or revoked a certificate after this call had looked.
    if (result.kind === 'other-certificate') return this.change(orbId, wanted);
    changed();
    return result.kind === 'done' ? result : { kind: 'refused', from: result.status };
  }

  #entries(orbId: string, { status, reason }: Wanted, ending: Ending | undefined): readonly string[] {
    const at = new Date(this.#parts.clock.now()).toISOString();
    const change: LogEntry = { kind: 'orb_status', orb_id: orbId, status, reason, at };
    if (ending === undefined) return [entryText(change)];
    const { sha256 } = ending;
    return [change, { kind: 'revocation', target: 'certificate', sha256, reason: status, at } as const].map(entryText);
  }

  async #inForce(orbId: string): Promise<Ending | undefined> {
    const newest = await this.#parts.ledger.certificate(orbId);
    if (newest === undefined || newest.revoked) return undefined;
    return { logIndex: newest.logIndex, sha256: sha256Hex(newest.jwt) };
  }

  /** The status that the end of a suspension gives back. */
  async #statusBefore({ orbId, status }: ListedOrb): Promise<OrbStatus> {
    if (status !== 'suspended') return status;
    // The newest is the suspension itself; a suspended version is not suspended again.
    const newest = await this.#parts.ledger.statusEntries(orbId, 2);
    const statuses = newest.flatMap(({ entry }): readonly OrbStatus[] => {
      const read = readEntry(entry);
      return read?.kind === 'orb_status' ? [read.status] : [];
    });
    return statuses.find((before) => before !== 'suspended') ?? 'active';
  }
}
