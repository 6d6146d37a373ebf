import type { Clock } from '../../adapters/time/clock.ts';
import { NOTHING_SEEN, stepWatch, type ServiceWatch } from '../../core/status/round-incidents.ts';
import { takeRounds, type Round } from '../../core/status/rounds.ts';
import { forEachService, type Service } from '../../core/status/service.ts';
import { roundIncidentId, roundIncidentTitle, updateOfTurn } from '../status/incident-rows.ts';
import type { PublicIncident } from '../status/public-incident.ts';
import { StatusMemory, REMEMBERED_MS } from '../status/status-memory.ts';
import { StatusPages } from '../status/status-pages.ts';
import type { ApiHistory } from './api-history.ts';

type Turn = NonNullable<ReturnType<typeof stepWatch>['turn']>;

/** The status in the prober: what it found itself, and what the API knows. */
export class LocalStatus {
  readonly memory: StatusMemory;
  readonly pages: StatusPages;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #history: ApiHistory;
  readonly #watches: Record<Service, ServiceWatch> = { ...forEachService(() => NOTHING_SEEN) };
  #incidents: readonly PublicIncident[] = [];
  #version = 0;
  #hasHistory = false;

  constructor({
    clock,
    history,
    intervalMs,
  }: {
    readonly clock: Pick<Clock, 'now'>;
    readonly history: ApiHistory;
    readonly intervalMs: number;
  }) {
    this.#clock = clock;
    this.#history = history;
    this.memory = new StatusMemory(intervalMs);
    this.pages = new StatusPages({
      memory: this.memory,
      incidents: () => this.#incidents,
      version: () => `${this.memory.version} ${this.#version}`,
      clock,
      whenEmpty: 'first-round',
    });
  }

  /** Takes rounds that this process made, or an earlier one. Those that overlap what is known change nothing. */
  take(rounds: readonly Round[]): void {
    const { memory } = this;
    for (const round of rounds) {
      const kept = { of: (service: Service) => memory.kept(service), windows: memory.windows };
      const verdict = takeRounds([round], kept, this.#clock.now());
      if (verdict.kind === 'refused') continue;
      memory.add(verdict.stretches, verdict.rounds);
      for (const { service, at, inForce } of verdict.rounds.filter(({ isNew }) => isNew)) {
        const { watch, turn } = stepWatch(this.#watches[service], { service, at, state: inForce });
        this.#watches[service] = watch;
        if (turn !== null) this.#turn(turn, at);
      }
    }
  }

  /** Shows a turn at once: the API may be away, or tells the same later. */
  #turn({ kind, incident }: Turn, at: number): void {
    const id = roundIncidentId(incident);
    const known = this.#incidents.find((one) => one.id === id);
    const { status, impact, service, startedAt, resolvedAt } = incident;
    const updates = [updateOfTurn(kind, incident, at), ...(known?.updates ?? [])];
    const title = roundIncidentTitle(incident);
    const shown = { id, title, status, impact, services: [service], startedAt, resolvedAt, updates };
    this.#incidents = [shown, ...this.#incidents.filter((one) => one.id !== id)];
    this.#version += 1;
  }

  /** The history of the API, once; what this process found since then stays in front of it. */
  async #readHistory(signal: AbortSignal): Promise<void> {
    if (this.#hasHistory) return;
    const stretches = await this.#history.stretches(this.#clock.now() - REMEMBERED_MS, signal);
    if (stretches === undefined) return;
    this.memory.prepend(stretches);
    this.#hasHistory = true;
  }

  /**
   * Brings history, windows and incidents up to date while the API answers; else everything stays. Never rejects.
   * @param isTold whether the API knows every round: then its incidents are all there are
   */
  async refresh(isTold: boolean, signal: AbortSignal): Promise<void> {
    await this.#readHistory(signal);
    const windows = await this.#history.windows(signal);
    if (windows !== undefined) this.memory.setWindows(windows);
    const incidents = await this.#history.incidents(signal);
    if (incidents === undefined) return;
    const known = new Set(incidents.map(({ id }) => id));
    const own = isTold ? [] : this.#incidents.filter(({ id }) => !known.has(id));
    this.#incidents = [...own, ...incidents];
    this.#version += 1;
  }
}
