import type { Ledger } from '../../../adapters/ledger/port.ts';
import type { Incident } from '../../../core/ingestion/incidents/incident.ts';
import { readIncident } from '../../../core/ingestion/incidents/read-incident.ts';
import type { PublishedVersions } from '../../../core/run/published.ts';
import type { SignalSource } from '../source.ts';
import type { KnownOrbs } from './known-orbs.ts';

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
const MOST_IN_DAY = 1;
const MOST_IN_MONTH = 3;
const OUTAGE_PUBLISHERS = 2;

export interface EnterDeps {
  readonly ledger: Pick<Ledger, 'incidents'>;
  readonly published: Pick<PublishedVersions, 'version'>;
  readonly orbs: KnownOrbs;
  readonly sourceOf: (key: string) => SignalSource | undefined;
}

/** The sources whose word may reach the log: signed, with effects on reputation, and not the publisher's. */
function sourcesThatCount({ members }: Incident, { sourceOf }: EnterDeps): readonly string[] {
  return members
    .filter(({ trust, monitor, source }) => {
      const found = sourceOf(source);
      return trust === 'signed' && monitor !== 'publisher' && found?.mode === 'Active' && found.effects.reputation;
    })
    .map(({ source }) => source);
}

/** Whether the version that runs here is the published one: the name of a private Orb never reaches the log. */
function isPublished({ tenant }: Incident, orbId: string, { published, orbs }: EnterDeps): boolean {
  const version = published.version(orbId);
  const running = orbs.find(tenant, orbId)?.compiled?.digest;
  return version !== undefined && running === version.manifestDigest;
}

/** Whether the incident is part of an outage of a provider: Orbs of several publishers fail at its host. */
async function isOfOutage(incident: Incident, { ledger, published }: EnterDeps): Promise<boolean> {
  const { parentId, host, tenant } = incident;
  if (parentId === null || host === null) return false;
  const { items } = await ledger.incidents(tenant, { provider: host, limit: 200 });
  const parts = items.filter(({ orbId, json }) => orbId !== null && readIncident(json).parentId === parentId);
  return new Set(parts.map(({ orbId }) => published.version(orbId ?? '')?.namespace ?? '')).size >= OUTAGE_PUBLISHERS;
}

/** Whether one of the sources may still enter an incident of this Orb. */
async function isBelowCaps(
  { tenant, incidentId }: Incident,
  orbId: string,
  { sources, now, ledger }: { readonly sources: readonly string[]; readonly now: number } & Pick<EnterDeps, 'ledger'>,
): Promise<boolean> {
  const entered: { readonly at: number; readonly by: readonly string[] }[] = [];
  let place: { readonly cursor?: string } | undefined = {};
  while (place !== undefined) {
    const page: Awaited<ReturnType<Ledger['incidents']>> = await ledger.incidents(tenant, {
      orbId,
      since: now - 2 * MONTH_MS,
      limit: 200,
      ...place,
    });
    for (const row of page.items) {
      const { corroboration, members } = readIncident(row.json);
      const at = corroboration?.enteredAt ?? null;
      if (row.incidentId !== incidentId && at !== null) entered.push({ at, by: members.map(({ source }) => source) });
    }
    place = page.nextCursor === null ? undefined : { cursor: page.nextCursor };
  }
  return sources.some((source) => {
    const mine = entered.filter(({ by }) => by.includes(source));
    const within = (ms: number): number => mine.filter(({ at }) => at > now - ms).length;
    return within(DAY_MS) < MOST_IN_DAY && within(MONTH_MS) < MOST_IN_MONTH;
  });
}

/**
 * Whether an incident that receipts show may get its first entry in the log.
 * @throws LedgerError
 */
export async function mayEnter(incident: Incident, orbId: string, deps: EnterDeps, now: number): Promise<boolean> {
  const sources = sourcesThatCount(incident, deps);
  if (sources.length === 0 || incident.status === 'unconfirmed' || !isPublished(incident, orbId, deps)) return false;
  if (await isOfOutage(incident, deps)) return false;
  return isBelowCaps(incident, orbId, { sources, now, ledger: deps.ledger });
}
