import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { entryText } from '../../core/log-entry/entry.ts';
import type { OrbStatus } from '../../core/publication/listed-orb.ts';
import { mayChangeStatus } from '../../core/publication/status-transition.ts';
import { lineOf, orgOf } from '../../core/reputation/line.ts';
import type { Listings } from './listings.ts';

export interface StatusChangeParts {
  readonly ledger: Pick<Ledger, 'setOrbStatus' | 'lineEvidence'>;
  readonly listings: Listings;
  readonly clock: Pick<Clock, 'now'>;
  /** Evaluates the version soon: its certificate and its score follow. */
  readonly changed: (orbId: string) => void;
}

/** Result of a change of status. */
export type StatusChanged =
  | { readonly kind: 'done'; readonly logIndex: number }
  | { readonly kind: 'not-published' }
  | { readonly kind: 'refused'; readonly from: OrbStatus };

/** Changes the status of published versions (trust.md §8.6). */
export class StatusChanges {
  readonly #parts: StatusChangeParts;

  constructor(parts: StatusChangeParts) {
    this.#parts = parts;
  }

  /** @param isAdmin the caller acts for the platform @throws LedgerError */
  async change(
    orbId: string,
    { status, reason, isAdmin }: { readonly status: OrbStatus; readonly reason: string; readonly isAdmin: boolean },
  ): Promise<StatusChanged> {
    const { ledger, listings, clock, changed } = this.#parts;
    const orb = listings.orb(orbId);
    if (orb === undefined) return { kind: 'not-published' };
    if (!mayChangeStatus(orb.status, status, isAdmin, await this.#statusBefore(orbId)))
      return { kind: 'refused', from: orb.status };
    const at = new Date(clock.now()).toISOString();
    const result = await ledger.setOrbStatus({
      orbId,
      from: orb.status,
      to: status,
      reason,
      entries: [entryText({ kind: 'orb_status', orb_id: orbId, status, reason, at })],
      revoke: null,
    });
    await listings.refresh();
    changed(orbId);
    return result.kind === 'done' ? result : { kind: 'refused', from: result.status };
  }

  /** The last status that was not a suspension. */
  async #statusBefore(orbId: string): Promise<OrbStatus> {
    const { events } = await this.#parts.ledger.lineEvidence(lineOf(orbId), orgOf(orbId));
    const statuses = events.flatMap(({ entry }) =>
      entry.kind === 'orb_status' && entry.orb_id === orbId ? [entry.status] : [],
    );
    return statuses.findLast((status) => status !== 'suspended') ?? 'active';
  }
}
