import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import { NOTHING_SEEN, stepWatch, type ServiceWatch, type WatchStep } from '../../core/status/round-incidents.ts';
import type { TakenRound } from '../../core/status/rounds.ts';
import { forEachService, type Service } from '../../core/status/service.ts';
import { changeOfTurn, publicIncidentOf, roundIncidentId, roundIncidentOf } from './incident-rows.ts';
import type { PublicIncident } from './public-incident.ts';

const DAY_MS = 86_400_000;
const SHOWN_MS = 91 * DAY_MS;
const MAX_SHOWN = 200;

export interface IncidentParts {
  readonly ledger: Pick<Ledger, 'changeIncidents' | 'incident' | 'platformIncidents'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly platformNamespace: string;
}

type Turn = NonNullable<WatchStep['turn']>;

/** The incidents of the platform: those of rounds, which it writes, and those of signals, which it shows. */
export class PlatformIncidents {
  readonly #parts: IncidentParts;
  readonly #watches: Record<Service, ServiceWatch> = { ...forEachService(() => NOTHING_SEEN) };
  #shown: readonly PublicIncident[] = [];
  /** Turns that the ledger has not taken yet, the oldest first. */
  #waiting: { readonly turn: Turn; readonly at: number }[] = [];
  #version = 0;

  constructor(parts: IncidentParts) {
    this.#parts = parts;
  }

  get version(): number {
    return this.#version;
  }

  /** Newest first, with those that were resolved in the last 90 days. */
  get shown(): readonly PublicIncident[] {
    return this.#shown;
  }

  /** Goes on with the incidents that the ledger knows. @throws LedgerError */
  async open(): Promise<void> {
    for (const row of await this.#read()) {
      const incident = roundIncidentOf(row);
      if (incident !== undefined) this.#watches[incident.service] = { incident, bad: null, good: 0 };
    }
  }

  /** Reads what others changed, and writes what waits. A ledger that is away changes nothing that is shown. */
  async refresh(): Promise<void> {
    try {
      await this.#write();
      await this.#read();
    } catch (error) {
      this.#parts.logger.warn('incidents of the status page could not be brought up to date', { error });
    }
  }

  /** Looks at rounds in order of time. */
  async follow(rounds: readonly TakenRound[]): Promise<void> {
    for (const { service, at, inForce } of rounds.filter(({ isNew }) => isNew)) {
      const { watch, turn } = stepWatch(this.#watches[service], { service, at, state: inForce });
      this.#watches[service] = watch;
      if (turn !== null) this.#waiting.push({ turn, at });
    }
    if (this.#waiting.length > 0) await this.refresh();
  }

  async #read(): Promise<Awaited<ReturnType<Ledger['platformIncidents']>>> {
    const { ledger, clock } = this.#parts;
    const rows = await ledger.platformIncidents({ endedSince: clock.now() - SHOWN_MS, limit: MAX_SHOWN });
    this.#shown = rows.flatMap((row) => publicIncidentOf(row) ?? []);
    this.#version += 1;
    return rows;
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      await this.#writeTurn(next.turn, next.at);
      this.#waiting = this.#waiting.slice(1);
    }
  }

  /** People may have added a line in between, so a stale change is made again once. */
  async #writeTurn(turn: Turn, at: number): Promise<void> {
    const { ledger, platformNamespace: tenant } = this.#parts;
    const id = roundIncidentId(turn.incident);
    for (let tries = 0; tries < 2; tries += 1) {
      const known = await ledger.incident(tenant, id);
      if (turn.kind === 'opened' && known !== undefined) return; // written, and the answer was lost
      const change = changeOfTurn(turn, at, { tenant, revision: known?.revision ?? 0 });
      const { kind } = await ledger.changeIncidents([change]);
      if (kind === 'applied') return;
    }
    this.#parts.logger.warn('a change of an incident of the status page is left out: others keep changing it', { id });
  }
}
