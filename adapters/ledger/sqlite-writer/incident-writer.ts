import { faultOfChange, incidentRows, type ChangeColumns, type IncidentRows } from '../tables/incident-changes.ts';
import type { ChangeRow } from '../tables/incidents.ts';
import { fenceRows, type FenceRows } from '../tables/leases.ts';
import { entryBytes } from '../tables/log.ts';
import { refused, type Connection, type RowResult } from '../tables/table.ts';
import type { LogWriter } from './log-writer.ts';

/** Writes incidents with their log entries, inside the writer's transaction. */
export class IncidentWriter {
  readonly #incidents: IncidentRows;
  readonly #leases: FenceRows;

  constructor(db: Connection) {
    this.#incidents = incidentRows(db);
    this.#leases = fenceRows(db);
  }

  change([, lease, epoch, changes]: ChangeRow, log: LogWriter): RowResult {
    const fault = changes.map(faultOfChange).find((one) => one !== undefined);
    if (fault !== undefined) return refused(fault);
    const blocked = (epoch < 0 ? null : this.whyLost(lease, epoch)) ?? this.whyStale(changes);
    if (blocked !== null) return blocked;
    this.write(changes, log);
    return null;
  }

  /** Whether another process holds the lease by now. */
  whyLost(lease: string, epoch: number): RowResult {
    const highest = this.#leases.highest(lease) ?? 0;
    return highest === epoch ? null : ['fenced', highest];
  }

  /** Which incidents have another revision than the changes expect, each after the earlier ones. */
  whyStale(changes: readonly ChangeColumns[]): RowResult {
    const revisions = new Map<string, number>();
    const stale = new Set<string>();
    for (const [incidentId, expected, tenant] of changes) {
      const revision = revisions.get(incidentId) ?? this.#incidents.revisionOf(incidentId, tenant);
      if (revision !== expected) stale.add(incidentId);
      revisions.set(incidentId, revision + 1);
    }
    return stale.size === 0 ? null : ['stale', [...stale]];
  }

  /** Writes changes that are neither faulty nor stale. */
  write(changes: readonly ChangeColumns[], log: LogWriter): void {
    for (const change of changes) {
      const entry = change[14];
      const bytes = entry === null ? undefined : entryBytes(entry);
      this.#incidents.write(change, bytes === undefined ? null : log.size());
      if (entry !== null && bytes !== undefined) log.append(entry, bytes);
    }
  }
}
