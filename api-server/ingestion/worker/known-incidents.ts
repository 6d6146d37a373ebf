import { isActive, targetKey, type Incident } from '../../../core/ingestion/incidents/incident.ts';
import type { KnownIncident } from './stored-incident.ts';

/** Ids by what they are about. */
class Index {
  readonly #ids = new Map<string, Set<string>>();

  get(key: string): Iterable<string> {
    return this.#ids.get(key) ?? [];
  }

  put(key: string, incidentId: string, isListed: boolean): void {
    const ids = this.#ids.get(key);
    if (!isListed) ids?.delete(incidentId);
    else if (ids === undefined) this.#ids.set(key, new Set([incidentId]));
    else ids.add(incidentId);
  }
}

/** Incidents in memory, found by what they are about: an incident keeps its target and its host. */
export class KnownIncidents {
  readonly #byId = new Map<string, KnownIncident>();
  /** The active ones. */
  readonly #byTarget = new Index();
  /** Those of single Orbs by the host of their provider: the active ones, and those that an outage stands for. */
  readonly #byHost = new Index();

  get size(): number {
    return this.#byId.size;
  }

  get(incidentId: string): KnownIncident | undefined {
    return this.#byId.get(incidentId);
  }

  set(known: KnownIncident): void {
    const { incident } = known;
    const { incidentId, tenant, target, host, parentId } = incident;
    this.#byId.set(incidentId, known);
    this.#byTarget.put(`${tenant}\n${targetKey(target)}`, incidentId, isActive(incident));
    if (host === null || target.kind !== 'orb') return;
    this.#byHost.put(`${tenant}\n${host}`, incidentId, isActive(incident) || parentId !== null);
  }

  /** Active incidents. @param key of `targetKey` */
  ofTarget(tenant: string, key: string): readonly Incident[] {
    return this.#found(this.#byTarget.get(`${tenant}\n${key}`));
  }

  /** Incidents of single Orbs that are active, or that an outage stands for or stood for. */
  orbsAt(tenant: string, host: string): readonly Incident[] {
    return this.#found(this.#byHost.get(`${tenant}\n${host}`));
  }

  #found(ids: Iterable<string>): readonly Incident[] {
    const found: Incident[] = [];
    for (const id of ids) {
      const known = this.#byId.get(id);
      if (known !== undefined) found.push(known.incident);
    }
    return found;
  }
}
