import type { IncidentChange, Ledger, StoredIncident } from '../../../adapters/ledger/port.ts';
import {
  NO_FINGERPRINT,
  readFingerprintState,
  type FingerprintState,
} from '../../../core/ingestion/incidents/fingerprint-state.ts';
import { isActive, targetKey, type Incident } from '../../../core/ingestion/incidents/incident.ts';
import type { Target } from '../../../core/ingestion/incidents/match-entity.ts';
import { followInLog, type EnteredChange } from '../../../core/ingestion/incidents/incident-entry.ts';
import { KnownIncidents } from './known-incidents.ts';
import { incidentChange, knownIncident, type KnownIncident } from './stored-incident.ts';

/** What the worker reads of the ledger. */
export type IncidentReads = Pick<Ledger, 'signalStates' | 'incidentsByGroup' | 'openIncidents' | 'incidents'>;

/** Incidents of a host or target that one step looks at. */
const MOST = 200;

/** What the ledger will hold about a fingerprint. */
interface StateRow {
  readonly fingerprint: string;
  readonly json: string;
  readonly updatedAt: number;
}

/** What one step changes: parts of one transaction. */
export interface StepChanges {
  readonly states: readonly StateRow[];
  readonly incidents: readonly IncidentChange[];
}

/**
 * States and incidents as they are after the steps of a batch, over those of the ledger. What a step changed is seen by the
 * steps after it, before it is written. Each list of the ledger is read once: what belongs to it later comes from here.
 */
export class WorkingSet {
  readonly #ledger: IncidentReads;
  readonly #states = new Map<string, FingerprintState>();
  readonly #incidents = new KnownIncidents();
  /** Newest incident of a group, by tenant and key; null: there was none. */
  readonly #newest = new Map<string, string | null>();
  /** Hosts and targets whose lists were read, by tenant. */
  readonly #read = new Set<string>();
  #stateRows = new Map<string, StateRow>();
  #changes: IncidentChange[] = [];

  constructor(ledger: IncidentReads) {
    this.#ledger = ledger;
  }

  /** States and incidents in memory. */
  get size(): number {
    return this.#states.size + this.#incidents.size;
  }

  /** Reads many states at once. @param fingerprints at most 1000 @throws LedgerError */
  async load(source: string, fingerprints: readonly string[]): Promise<void> {
    const missing = fingerprints.filter((fingerprint) => !this.#states.has(`${source}\n${fingerprint}`));
    const rows = missing.length === 0 ? [] : await this.#ledger.signalStates(source, missing);
    for (const fingerprint of missing) this.#states.set(`${source}\n${fingerprint}`, NO_FINGERPRINT);
    for (const { fingerprint, json } of rows) this.#states.set(`${source}\n${fingerprint}`, readFingerprintState(json));
  }

  /** A state that was loaded. */
  state(source: string, fingerprint: string): FingerprintState {
    return this.#states.get(`${source}\n${fingerprint}`) ?? NO_FINGERPRINT;
  }

  /** @param now ms since epoch */
  putState(source: string, fingerprint: string, state: FingerprintState, now: number): void {
    this.#states.set(`${source}\n${fingerprint}`, state);
    this.#stateRows.set(fingerprint, { fingerprint, json: JSON.stringify(state), updatedAt: now });
  }

  /** The newest incident of a group. @throws LedgerError */
  async newest(tenant: string, groupKey: string): Promise<Incident | undefined> {
    const key = `${tenant}\n${groupKey}`;
    if (!this.#newest.has(key)) await this.loadNewest(tenant, [groupKey]);
    const known = this.#newest.get(key) ?? null;
    return known === null ? undefined : this.#incidents.get(known)?.incident;
  }

  /** Reads the newest incidents of many groups at once. @param groupKeys at most 1000 @throws LedgerError */
  async loadNewest(tenant: string, groupKeys: readonly string[]): Promise<void> {
    const missing = groupKeys.filter((groupKey) => !this.#newest.has(`${tenant}\n${groupKey}`));
    if (missing.length === 0) return;
    const rows = await this.#ledger.incidentsByGroup(tenant, missing, 0, { onlyNewest: true });
    for (const groupKey of missing) this.#newest.set(`${tenant}\n${groupKey}`, null);
    for (const row of rows) {
      this.#newest.set(`${tenant}\n${row.groupKey}`, row.incidentId);
      this.#known(row);
    }
  }

  /** Takes an incident that was read elsewhere as the present one. */
  adopt(known: KnownIncident): void {
    if (this.#incidents.get(known.incident.incidentId) === undefined) this.#incidents.set(known);
  }

  /** An incident that this batch has read. */
  incident(incidentId: string): Incident | undefined {
    return this.#incidents.get(incidentId)?.incident;
  }

  /** Active incidents about a target. @throws LedgerError */
  async ofTarget(tenant: string, target: Target): Promise<readonly Incident[]> {
    const key = targetKey(target);
    await this.#readOnce(`${tenant}\n${key}`, async () =>
      target.kind === 'orb'
        ? this.#ledger.openIncidents(tenant, target.orb)
        : (await this.#ledger.incidents(tenant, { ...providerQuery(target), limit: MOST })).items,
    );
    return this.#incidents.ofTarget(tenant, key);
  }

  /** Incidents of single Orbs at a host that are active, or that an outage stands for. @throws LedgerError */
  async orbsAt(tenant: string, host: string, parentId: string | undefined): Promise<readonly Incident[]> {
    await this.#readOnce(
      `${tenant}\nhost ${host}`,
      async () => (await this.#ledger.incidents(tenant, { provider: host, limit: MOST })).items,
    );
    return this.#incidents
      .orbsAt(tenant, host)
      .filter((one) => isActive(one) || (parentId !== undefined && one.parentId === parentId));
  }

  /**
   * Takes over a change of an incident, with what the log must say about it. One that changes nothing is left out.
   * @param now ms since epoch
   */
  put(wanted: EnteredChange, now: number): void {
    const change = wanted.logEntry === undefined ? followInLog(wanted, now) : wanted;
    const { incident, updates, logEntry } = change;
    const { incidentId, tenant, groupKey } = incident;
    const { revision, logIndex, json: before } = this.#incidents.get(incidentId) ?? NEW;
    const json = JSON.stringify(incident);
    if (before === json && updates.length === 0 && logEntry === undefined) return;
    this.#changes.push(incidentChange(change, revision, logEntry, json));
    this.#incidents.set({ incident, revision: revision + 1, logIndex, json });
    const key = `${tenant}\n${groupKey}`;
    if (revision === 0 || !this.#newest.has(key)) this.#newest.set(key, incidentId);
  }

  /** What changed since the last call. */
  takeChanges(): StepChanges {
    const changes = { states: [...this.#stateRows.values()], incidents: this.#changes };
    this.#stateRows = new Map();
    this.#changes = [];
    return changes;
  }

  async #readOnce(list: string, read: () => Promise<readonly StoredIncident[]>): Promise<void> {
    if (this.#read.has(list)) return;
    for (const row of await read()) this.#known(row);
    this.#read.add(list);
  }

  /** A row of the ledger; what this batch changed is newer. */
  #known(row: StoredIncident): Incident {
    const known = this.#incidents.get(row.incidentId) ?? knownIncident(row);
    this.#incidents.set(known);
    return known.incident;
  }
}

const NEW = { revision: 0, logIndex: null, json: undefined };

const providerQuery = (target: Target): { readonly provider?: string } =>
  target.kind === 'provider' ? { provider: target.host } : {};
