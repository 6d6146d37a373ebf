import type { Registry } from 'prom-client';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Logger } from '../../adapters/telemetry/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { newId } from '../../core/receipt/ids.ts';
import type { Maintenance } from '../../core/status/maintenance.ts';
import { takeRounds, type Round, type RoundsVerdict } from '../../core/status/rounds.ts';
import { isService, isServiceState, type Service } from '../../core/status/service.ts';
import { PlatformIncidents } from './platform-incidents.ts';
import { StatusMemory, REMEMBERED_MS } from './status-memory.ts';
import { observeStatus } from './status-metrics.ts';
import { StatusPages } from './status-pages.ts';

const INTERVALS_AT_ONCE = 1000;

const REFRESH_MS = 15_000;
/** Once an hour. */
const REFRESHES_PER_ERASURE = 240;
const ERASED_AT_ONCE = 1000;
/** How long stretches are kept. */
const KEPT_MS = 400 * 86_400_000;

export interface PlatformStatusParts {
  readonly ledger: Pick<
    Ledger,
    | 'statusRound'
    | 'statusIntervals'
    | 'eraseStatus'
    | 'addMaintenance'
    | 'maintenance'
    | 'endMaintenance'
    | 'changeIncidents'
    | 'incident'
    | 'platformIncidents'
  >;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly random: (bytes: number) => Uint8Array;
  readonly platformNamespace: string;
  /** Time between rounds that this process makes itself, ms; 0: nobody does; absent: a prober tells them. */
  readonly ownIntervalMs?: number;
}

type IntervalQuery = Parameters<Ledger['statusIntervals']>[0];
type StoredMaintenance = Awaited<ReturnType<Ledger['addMaintenance']>>;

/** A window that somebody plans. Times are ms since epoch. */
export interface MaintenancePlan {
  readonly services: readonly Service[];
  readonly from: number;
  readonly to: number;
  readonly title: string;
  /** Id of the caller. */
  readonly by: string;
}

export type EndedMaintenance =
  | { readonly kind: 'ended'; readonly window: Maintenance }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'over' };

const windowOf = ({ id, from, to, services, title, announcedAt, cancelledAt }: StoredMaintenance): Maintenance => ({
  id,
  from,
  to,
  services: services.filter(isService),
  title,
  announcedAt,
  cancelledAt,
});

export type TakenRounds =
  | { readonly kind: 'taken'; readonly last: number | null }
  | Extract<RoundsVerdict, { readonly kind: 'refused' }>;

/** The status of the platform in the process that has the ledger: read once, then in memory. */
export class PlatformStatus {
  readonly pages: StatusPages;
  readonly #parts: PlatformStatusParts;
  readonly #memory: StatusMemory;
  readonly #incidents: PlatformIncidents;
  /** Rounds are taken one request after the other: each has to fit to those before. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: PlatformStatusParts) {
    this.#parts = parts;
    const { ownIntervalMs } = parts;
    this.#memory = new StatusMemory(ownIntervalMs === 0 ? undefined : ownIntervalMs);
    this.#incidents = new PlatformIncidents(parts);
    const memory = this.#memory;
    const incidents = this.#incidents;
    const isMeasured = ownIntervalMs !== undefined && ownIntervalMs > 0;
    this.pages = new StatusPages({
      memory,
      incidents: () => incidents.shown,
      version: () => `${memory.version} ${incidents.version}`,
      clock: parts.clock,
      whenEmpty: isMeasured ? 'first-round' : 'nobody',
    });
  }

  /** Reads what is kept. @throws LedgerError */
  async open(): Promise<void> {
    const { ledger, clock } = this.#parts;
    const since = clock.now() - REMEMBERED_MS;
    let cursor: string | null = null;
    do {
      const query = { since, limit: INTERVALS_AT_ONCE, ...(cursor === null ? {} : { cursor }) };
      const page: Awaited<ReturnType<Ledger['statusIntervals']>> = await ledger.statusIntervals(query);
      const known = page.items.flatMap(({ service, state, ...rest }) =>
        isService(service) && isServiceState(state) ? [{ ...rest, service, state }] : [],
      );
      this.#memory.add(known);
      cursor = page.nextCursor;
    } while (cursor !== null);
    await this.#readWindows();
    await this.#incidents.open();
  }

  async #readWindows(): Promise<void> {
    const { ledger, clock } = this.#parts;
    const windows = await ledger.maintenance({ since: clock.now() - REMEMBERED_MS });
    this.#memory.setWindows(windows.map(windowOf));
  }

  /** Registers what the pages say as metrics. */
  observe(registry: Registry): void {
    observeStatus(registry, this.#memory, this.#parts.clock);
  }

  /** Shows what others change of incidents, and erases what is too old, until it is stopped. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { ledger, clock, logger } = this.#parts;
    for (let turns = 0; !signal.aborted; turns += 1) {
      await clock.sleep(REFRESH_MS, signal, { ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#incidents.refresh();
      if (turns % REFRESHES_PER_ERASURE !== 0) continue;
      await ledger
        .eraseStatus(clock.now() - KEPT_MS, ERASED_AT_ONCE)
        .catch((error: unknown) => logger.warn('old stretches of the status could not be erased', { error }));
    }
  }

  /**
   * Takes rounds, all of them or none. What it resolves with is durable.
   * @param rounds in order of time
   * @throws LedgerError nothing is known to be kept: the prober tells them again
   */
  take(rounds: readonly Round[]): Promise<TakenRounds> {
    const taken = this.#last.then(() => this.#take(rounds));
    this.#last = taken.catch(() => undefined);
    return taken;
  }

  async #take(rounds: readonly Round[]): Promise<TakenRounds> {
    const { ledger, clock } = this.#parts;
    const memory = this.#memory;
    const kept = { of: (service: Service) => memory.kept(service), windows: memory.windows };
    const verdict = takeRounds(rounds, kept, clock.now());
    if (verdict.kind === 'refused') return verdict;
    if (verdict.stretches.length > 0) {
      const result = await ledger.statusRound(verdict.stretches);
      if (result.kind === 'invalid') return { kind: 'refused', position: 0, problem: 'overlap' };
      memory.add(verdict.stretches, verdict.rounds);
      await this.#incidents.follow(verdict.rounds);
    }
    return { kind: 'taken', last: memory.lastEnd() };
  }

  /** @throws LedgerError */
  async plan({ services, from, to, title, by }: MaintenancePlan): Promise<Maintenance> {
    const { ledger, clock, random } = this.#parts;
    const id = newId('mnt_', clock.now(), random);
    const window = windowOf(await ledger.addMaintenance({ id, services, from, to, title, by }));
    this.#memory.setWindows([...this.#memory.windows, window]);
    return window;
  }

  /** Cancels a window that has not begun, or ends one that has. @throws LedgerError */
  async end(id: string): Promise<EndedMaintenance> {
    const { ledger, clock } = this.#parts;
    const result = await ledger.endMaintenance(id, clock.now());
    if (result.kind !== 'ended') return result;
    const window = windowOf(result.maintenance);
    this.#memory.setWindows([...this.#memory.windows.filter((known) => known.id !== id), window]);
    return { kind: 'ended', window };
  }

  /** Stretches as the ledger keeps them. @throws RangeError a cursor of something else */
  async intervals(query: IntervalQuery): Promise<{
    readonly items: readonly JsonObject[];
    readonly nextCursor: string | null;
  }> {
    const page = await this.#parts.ledger.statusIntervals(query);
    const items = page.items.map(({ from, to, ...rest }) => ({
      ...rest,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
    }));
    return { items, nextCursor: page.nextCursor };
  }
}
