import { isJsonObject } from '../../json/json-value.ts';
import type { Incident } from './incident.ts';

const isIncident = (value: unknown): value is Incident =>
  isJsonObject(value) &&
  typeof value['incidentId'] === 'string' &&
  typeof value['status'] === 'string' &&
  isJsonObject(value['target']) &&
  isJsonObject(value['actions']) &&
  Array.isArray(value['members']);

/** An incident as the ledger keeps it. @throws TypeError the ledger holds something else: a bug, or another program's row */
export function readIncident(json: string): Incident {
  const value: unknown = JSON.parse(json);
  if (!isIncident(value)) throw new TypeError('the ledger holds an incident that can not be read');
  return value;
}
