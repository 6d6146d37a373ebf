import { LedgerError, type Ledger } from '../../../adapters/ledger/port.ts';
import { isMuted } from '../../../core/ingestion/incidents/incident.ts';
import { incidentView } from '../../../core/ingestion/incidents/incident-view.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';
import type { JsonObject } from '../../../core/json/json-value.ts';

export type IncidentsOfOrb = Pick<Ledger, 'openIncidents'>;

/**
 * The incidents of an Orb that have not ended, without muted ones.
 * @returns null: the ledger is away, and the rest of the status does not need it
 */
export async function orbIncidents(
  ledger: IncidentsOfOrb,
  { namespace, orbId, now }: { readonly namespace: string; readonly orbId: string; readonly now: number },
): Promise<readonly JsonObject[] | null> {
  try {
    const rows = await ledger.openIncidents(namespace, orbId);
    return rows.flatMap(({ json, logIndex }) => {
      const incident = readIncident(json);
      return isMuted(incident, now) ? [] : [incidentView(incident, logIndex)];
    });
  } catch (error) {
    if (error instanceof LedgerError) return null;
    throw error;
  }
}
