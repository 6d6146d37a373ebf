import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { Incident } from '../../../core/ingestion/incidents/incident.ts';
import { newId } from '../../../core/receipt/ids.ts';
import { countReceipts, type CountDeps } from './count-receipts.ts';
import { settleGroup } from './incident-steps.ts';
import type { BatchResult, Epoch } from './map-batch.ts';
import { knownIncident } from './stored-incident.ts';
import { WorkingSet, type IncidentReads } from './working-set.ts';

const MOST = 50;
/** Counts of one round: each may take the other thread some milliseconds. */
const COUNTS = 10;

export interface DueDeps extends CountDeps {
  readonly ledger: IncidentReads & Pick<Ledger, 'incidentsDue' | 'changeIncidents'>;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const isDue = (time: number | null, now: number): boolean => time !== null && time <= now;

async function settleOne(incident: Incident, work: WorkingSet, { random }: DueDeps, now: number): Promise<void> {
  const newest = await work.newest(incident.tenant, incident.groupKey);
  // An older incident of the group has ended for good.
  if (newest?.incidentId === incident.incidentId)
    await settleGroup({ work, now, newId: () => newId('inc_', now, random) }, incident, undefined, 'time');
  else work.put({ incident: { ...incident, dueAt: null }, updates: [] }, now);
}

/**
 * Settles incidents that time alone changes: those that wait for `for`, for the end of their quiet period, for calm, or
 * for a count of receipts.
 * @throws LedgerError
 */
export async function settleDue(deps: DueDeps, lease: Epoch): Promise<BatchResult> {
  const { ledger } = deps;
  const now = deps.now();
  const rows = await ledger.incidentsDue(now, MOST);
  if (rows.length === 0) return 'empty';
  const work = new WorkingSet(ledger);
  for (const row of rows) work.adopt(knownIncident(row));
  for (const { incident } of rows.map(knownIncident))
    if (isDue(incident.dueAt, now)) await settleOne(incident, work, deps, now);
  const counted = rows.flatMap(({ incidentId }) => work.incident(incidentId) ?? []);
  for (const incident of counted.filter(({ countAt }) => isDue(countAt, now)).slice(0, COUNTS))
    for (const change of await countReceipts(incident, deps, now)) work.put(change, now);
  const result = await ledger.changeIncidents(work.takeChanges().incidents, lease);
  return result.kind === 'applied' ? 'worked' : result.kind;
}
