import type { ReceiptWindow } from '../../../adapters/ledger/port.ts';
import type { Logger } from '../../../adapters/telemetry/port.ts';
import {
  basisPoints,
  impactByReceipts,
  isThin,
  showsProblem,
  type ReceiptTotals,
} from '../../../core/ingestion/incidents/corroborate.ts';
import { enter, type EnteredChange } from '../../../core/ingestion/incidents/incident-entry.ts';
import {
  isActive,
  type ChangedIncident,
  type Corroboration,
  type Impact,
  type Incident,
  type LoggedEvent,
} from '../../../core/ingestion/incidents/incident.ts';
import { withUpdates } from '../../../core/ingestion/incidents/settle.ts';
import { mayEnter, type EnterDeps } from './may-enter.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Receipts of one incident are counted at most so often while it is open. */
const EVERY_MS = 10 * MINUTE_MS;
const IMPACTS: readonly Impact[] = ['minor', 'major', 'critical'];

export interface CountDeps extends EnterDeps {
  readonly count: (window: ReceiptWindow) => Promise<ReceiptTotals>;
  readonly logger: Pick<Logger, 'warn'>;
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));

/** The last day of an incident, a minute longer at both ends; of one in the log its last hour: it must still be shown. */
function windowOf(incident: Incident, orbId: string, except: readonly string[], now: number): ReceiptWindow {
  const { openedAt, resolvedAt, corroboration } = incident;
  const until = Math.min(now, (resolvedAt ?? now) + MINUTE_MS) + 1;
  const isEntered = corroboration?.logged !== undefined && corroboration.logged !== null;
  const from = Math.max(openedAt - MINUTE_MS, until - (isEntered ? HOUR_MS : DAY_MS));
  return { orbId, from: Math.min(from, until), until, except };
}

/** When receipts are counted next: every ten minutes, at the end, and once more an hour later when there were too few. */
function nextCount(incident: Incident, isWaiting: boolean, now: number): number | null {
  if (isActive(incident)) return now + EVERY_MS;
  const last = (incident.resolvedAt ?? now) + HOUR_MS;
  return isWaiting && now < last ? last : null;
}

const worst = (one: Impact, other: Impact): Impact => (IMPACTS.indexOf(one) > IMPACTS.indexOf(other) ? one : other);

/** An incident that receipts show is confirmed. */
function confirmed(incident: Incident, isShown: boolean): Incident {
  if (!isShown || incident.status !== 'unconfirmed') return incident;
  return { ...incident, status: 'open', confirmedBy: 'receipts' };
}

interface Counted {
  readonly change: ChangedIncident;
  readonly corroboration: Corroboration;
  readonly totals: ReceiptTotals;
  readonly now: number;
}

/** The first entry of an incident; of one that has ended also its last. */
function firstEntries({ change, corroboration, totals, now }: Counted): readonly EnteredChange[] {
  const impact = impactByReceipts(totals);
  const entered = { ...corroboration, enteredAt: now };
  const opened = enter(change, entered, { event: 'opened', impact, at: now });
  if (isActive(change.incident)) return [opened];
  const { incident } = opened;
  return [opened, enter({ incident, updates: [] }, entered, { event: 'resolved', impact, at: now })];
}

/** The next entry of an incident in the log that has not ended; undefined: there is nothing new to say. */
function nextLogged(logged: LoggedEvent, totals: ReceiptTotals, now: number): LoggedEvent | undefined {
  const isEnded = logged.event === 'resolved';
  if (!showsProblem(totals))
    return !isEnded && now - logged.at >= HOUR_MS ? { ...logged, event: 'resolved', at: now } : undefined;
  const impact = worst(logged.impact, impactByReceipts(totals));
  return isEnded || impact !== logged.impact ? { event: 'updated', impact, at: now } : undefined;
}

/**
 * What follows in the log. It ends there when receipts have not shown the problem for an hour: a source that never
 * resolves can't hold a score down.
 */
function laterEntry({ change, corroboration, totals, now }: Counted): EnteredChange {
  const { logged } = corroboration;
  if (logged === null || !isActive(change.incident)) return change;
  const next = nextLogged(logged, totals, now);
  return next === undefined ? change : enter(change, corroboration, next);
}

/** Tenants whose receipts do not count: the publisher, and those of the sources. */
function exceptFor({ tenant, members }: Incident, orbId: string, { published }: CountDeps): readonly string[] {
  const publisher = published.version(orbId)?.namespace ?? tenant;
  return [...new Set([publisher, ...members.map(({ source }) => namespaceOf(source))])];
}

function corroborationOf({ corroboration }: Incident, totals: ReceiptTotals, now: number): Corroboration {
  const counts = {
    windowRuns: totals.runs,
    errorBp: basisPoints(totals),
    baselineErrorBp: basisPoints(totals.baseline),
  };
  return { countedAt: now, counts, enteredAt: corroboration?.enteredAt ?? null, logged: corroboration?.logged ?? null };
}

/** The changes that a count makes, in this order. @throws LedgerError the receipts could not be counted */
async function counted(incident: Incident, deps: CountDeps, now: number): Promise<readonly EnteredChange[]> {
  const { target } = incident;
  if (target.kind !== 'orb') return [{ incident: { ...incident, countAt: null }, updates: [] }];
  const totals = await deps.count(windowOf(incident, target.orb, exceptFor(incident, target.orb, deps), now));
  const corroboration = corroborationOf(incident, totals, now);
  const isNew = corroboration.logged === null;
  const isShown = showsProblem(totals);
  const countAt = nextCount(incident, isNew && isThin(totals), now);
  const after = { ...confirmed(incident, isShown), corroboration, countAt };
  const change = withUpdates(incident, after, { now, by: 'receipts' });
  const step = { change, corroboration, totals, now };
  if (!isNew) return [laterEntry(step)];
  return isShown && (await mayEnter(after, target.orb, deps, now)) ? firstEntries(step) : [change];
}

/** Counts receipts for an incident. A count that fails is repeated ten minutes later: nothing else waits for it. */
export async function countReceipts(
  incident: Incident,
  deps: CountDeps,
  now: number,
): Promise<readonly EnteredChange[]> {
  try {
    return await counted(incident, deps, now);
  } catch (error) {
    deps.logger.warn('receipts could not be counted for an incident', { incident_id: incident.incidentId, error });
    return [{ incident: { ...incident, countAt: now + EVERY_MS }, updates: [] }];
  }
}
