import type { PlatformAnswer, PlatformClient } from '../../adapters/platform-api/client.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Maintenance } from '../../core/status/maintenance.ts';
import { IMPACTS } from '../../core/status/round-incidents.ts';
import type { NewStretch } from '../../core/status/rounds.ts';
import { isService, isServiceState } from '../../core/status/service.ts';
import { membersOf } from '../status/probes/probe.ts';
import type { IncidentUpdate, PublicIncident } from '../status/public-incident.ts';

const objectsIn = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: unknown) => isJsonObject(item)) : [];

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const timeOf = (value: JsonValue | undefined): number => Date.parse(textOf(value));
const timeOrNull = (value: JsonValue | undefined): number | null =>
  typeof value === 'string' ? Date.parse(value) : null;

const textsIn = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : [];

function stretchIn({ service, state, from, to, announced }: JsonObject): readonly NewStretch[] {
  const [name, word] = [textOf(service), textOf(state)];
  if (!isService(name) || !isServiceState(word)) return [];
  return [{ service: name, state: word, from: timeOf(from), to: timeOf(to), announced: announced === true }];
}

const windowIn = (item: JsonObject): Maintenance => ({
  id: textOf(item['id']),
  title: textOf(item['title']),
  services: textsIn(item['services']).filter(isService),
  from: timeOf(item['from']),
  to: timeOf(item['to']),
  announcedAt: timeOf(item['announced_at']),
  cancelledAt: timeOrNull(item['cancelled_at']),
});

const STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;

const statusIn = (value: JsonValue | undefined): PublicIncident['status'] =>
  STATUSES.find((status) => status === value) ?? 'investigating';

const updateIn = ({ at, status, body }: JsonObject): IncidentUpdate => ({
  at: timeOf(at),
  status: statusIn(status),
  body: textOf(body),
});

const incidentIn = (item: JsonObject): PublicIncident => ({
  id: textOf(item['id']),
  title: textOf(item['title']),
  status: statusIn(item['status']),
  impact: IMPACTS.find((impact) => impact === item['impact']) ?? 'minor',
  services: textsIn(item['services']).filter(isService),
  startedAt: timeOf(item['started_at']),
  resolvedAt: timeOrNull(item['resolved_at']),
  updates: objectsIn(item['updates']).map(updateIn),
});

const incidentsIn = (answer: PlatformAnswer): readonly PublicIncident[] =>
  objectsIn(membersOf(answer)['incidents']).map(incidentIn);

/** Incidents that were resolved, as they were read once. */
interface ResolvedIncidents {
  readonly incidents: readonly PublicIncident[];
  /** Those that were open then, as text. */
  readonly open: string;
  uses: number;
}

/** People add lines to resolved incidents too: they are read again after so many uses, in 10 minutes of rounds. */
const MOST_USES = 20;

/** Reads what the API knows. Every read gives undefined when the API does not answer. */
export class ApiHistory {
  readonly #api: PlatformClient;
  #resolved: ResolvedIncidents | undefined;

  constructor(api: PlatformClient) {
    this.#api = api;
  }

  async #read(path: string, signal: AbortSignal): Promise<PlatformAnswer | undefined> {
    const answer = await this.#api.call({ method: 'GET', path }, signal);
    return answer.kind === 'answered' && answer.status === 200 ? answer : undefined;
  }

  /** Stretches that end after a time, ms since epoch, in order for each service. */
  async stretches(since: number, signal: AbortSignal): Promise<readonly NewStretch[] | undefined> {
    const found: NewStretch[] = [];
    const query = `/status/intervals?limit=1000&since=${encodeURIComponent(new Date(since).toISOString())}`;
    for (let path = query; path !== '';) {
      const answer = await this.#read(path, signal);
      if (answer === undefined) return undefined;
      const { items, next_cursor: cursor } = membersOf(answer);
      found.push(...objectsIn(items).flatMap(stretchIn));
      path = typeof cursor === 'string' ? `${query}&cursor=${encodeURIComponent(cursor)}` : '';
    }
    return found;
  }

  async windows(signal: AbortSignal): Promise<readonly Maintenance[] | undefined> {
    const answer = await this.#read('/status/maintenance', signal);
    return answer === undefined ? undefined : objectsIn(membersOf(answer)['items']).map(windowIn);
  }

  /** Incidents that are open, and those that were resolved in the last 90 days; newest first in both parts. */
  async incidents(signal: AbortSignal): Promise<readonly PublicIncident[] | undefined> {
    const current = await this.#read('/status', signal);
    if (current === undefined) return undefined;
    const open = incidentsIn(current);
    const resolved = await this.#resolvedBeside(JSON.stringify(open), signal);
    return resolved === undefined ? undefined : [...open, ...resolved];
  }

  /** An answer about 90 days is long, so it is read when the open incidents change: one may have been resolved. */
  async #resolvedBeside(open: string, signal: AbortSignal): Promise<readonly PublicIncident[] | undefined> {
    const known = this.#resolved;
    if (known?.open === open && known.uses < MOST_USES) {
      known.uses += 1;
      return known.incidents;
    }
    const answer = await this.#read('/status/days?days=90', signal);
    if (answer === undefined) return undefined;
    this.#resolved = { incidents: incidentsIn(answer), open, uses: 1 };
    return this.#resolved.incidents;
  }
}
