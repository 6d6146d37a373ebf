import { LedgerError } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { provenToCheck } from './claim-state.ts';
import type { Listings } from './listings.ts';
import type { Orgs } from './orgs.ts';

export interface OrgRecheckParts {
  readonly orgs: Pick<Orgs, 'recheck'>;
  readonly listings: Pick<Listings, 'allOrgs'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

const DAY_MS = 24 * 3_600_000;
/** Time between searches for organisations that are due. */
const TICK_MS = 60_000;

/** Checks the DNS proof of each organisation once a day (trust.md §8.1). */
export class OrgRechecks {
  readonly #parts: OrgRecheckParts;

  constructor(parts: OrgRecheckParts) {
    this.#parts = parts;
  }

  /** Works until the signal is aborted; in the holder of the lease `reputation` alone. */
  async run(scope: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    while (!scope.aborted) {
      for (const org of this.#due()) {
        if (scope.aborted) return;
        await this.#check(org);
      }
      await clock.sleep(TICK_MS, scope, { ref: false }).catch(() => undefined);
    }
  }

  #due(): readonly string[] {
    const { listings, clock } = this.#parts;
    const last = clock.now() - DAY_MS;
    return [...listings.allOrgs()].flatMap((row) => {
      const proven = provenToCheck(row);
      return proven !== undefined && proven.checkedAt <= last ? [row.org] : [];
    });
  }

  /** An organisation that could not be checked is due again with the next search. */
  async #check(org: string): Promise<void> {
    const { orgs, logger } = this.#parts;
    try {
      await orgs.recheck(org);
    } catch (error) {
      const level = error instanceof LedgerError ? 'warn' : 'error';
      logger[level]('the proof of an organisation could not be checked', { org, error });
    }
  }
}
