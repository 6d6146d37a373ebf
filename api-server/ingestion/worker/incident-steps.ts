import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import type { Member } from '../../../core/ingestion/incidents/episodes.ts';
import {
  isActive,
  targetKey,
  type ChangedIncident,
  type Incident,
} from '../../../core/ingestion/incidents/incident.ts';
import { settleHost } from '../../../core/ingestion/incidents/provider-outage.ts';
import { settle, type IncidentGroup, type SettleInput } from '../../../core/ingestion/incidents/settle.ts';
import type { WorkingSet } from './working-set.ts';

/** Most sources of one incident, so that its row stays below 64 KiB. */
const MAX_MEMBERS = 12;

export interface StepTools {
  readonly work: WorkingSet;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly newId: () => string;
}

/** Key of the incidents of a problem: what it is about, and its fingerprint. */
export const groupKeyOf = (target: Incident['target'], fingerprint: string): string =>
  // A list of texts is canonical as it is written (RFC 8785).
  `sha256:${sha256Hex(JSON.stringify([targetKey(target), fingerprint.toWellFormed()]))}`;

const isSureAlone = ({ trust, monitor }: Member): boolean => trust !== 'low' && monitor !== 'publisher';

/** Whether an incident shows the same target by a source that the members are not of. */
function isOfOtherSource(other: Incident, groupKey: string, members: readonly Member[]): boolean {
  const sources = new Set(members.map(({ source }) => source));
  return other.groupKey !== groupKey && other.members.some(({ source }) => !sources.has(source));
}

async function hasOtherSource(
  { work }: StepTools,
  { tenant, target, groupKey }: IncidentGroup,
  members: readonly Member[],
): Promise<boolean> {
  if (members.some(isSureAlone)) return false;
  const others = await work.ofTarget(tenant, target);
  return others.some((other) => isOfOtherSource(other, groupKey, members));
}

function withMember(members: readonly Member[], added: Member | undefined): readonly Member[] {
  if (added === undefined) return members;
  const others = members.filter(({ source }) => source !== added.source);
  return others.length >= MAX_MEMBERS
    ? members
    : [...others, added].toSorted((one, other) => (one.source < other.source ? -1 : 1));
}

const wasActive = (before: Incident | undefined): boolean => before !== undefined && isActive(before);

/** Incidents of the same target that a new one confirms: it comes from another source. */
async function confirmOthers(tools: StepTools, opened: Incident): Promise<readonly Incident[]> {
  const { work, now, newId } = tools;
  const changed: Incident[] = [];
  for (const other of await work.ofTarget(opened.tenant, opened.target)) {
    if (other.status !== 'unconfirmed' || !isOfOtherSource(opened, other.groupKey, other.members)) continue;
    const input = { group: other, newest: other, members: other.members, hasOtherSource: true, now, newId };
    for (const change of settle({ ...input, by: 'signal' })) {
      work.put(change, now);
      changed.push(change.incident);
    }
  }
  return changed;
}

/** The outage of a host follows the incidents of its Orbs. */
async function followHost({ work, now, newId }: StepTools, { tenant, host, target }: Incident): Promise<void> {
  if (host === null || target.kind !== 'orb') return;
  const groupKey = groupKeyOf({ kind: 'provider', host }, 'provider-outage');
  const newest = await work.newest(tenant, groupKey);
  const orbs = await work.orbsAt(tenant, host, newest?.incidentId);
  for (const change of settleHost({ tenant, host, groupKey, newest, orbs, now, newId })) work.put(change, now);
}

/** Puts changes of a group, with what they mean for other incidents. */
async function spread(
  tools: StepTools,
  newest: Incident | undefined,
  changes: readonly ChangedIncident[],
): Promise<void> {
  const { work } = tools;
  for (const change of changes) work.put(change, tools.now);
  for (const { incident } of changes) {
    const before = incident.incidentId === newest?.incidentId ? newest : undefined;
    if (wasActive(before) === isActive(incident) && before?.severity === incident.severity) continue;
    if (isActive(incident) && !wasActive(before)) await confirmOthers(tools, incident);
    await followHost(tools, incident);
  }
}

/**
 * Settles a group after one of its sources changed.
 * @param member the source as it is now; undefined: only the time moved
 * @throws LedgerError
 */
export async function settleGroup(
  tools: StepTools,
  group: IncidentGroup,
  member: Member | undefined,
  by: SettleInput['by'] = 'signal',
): Promise<void> {
  const { work, now, newId } = tools;
  const newest = await work.newest(group.tenant, group.groupKey);
  const members = withMember(newest?.members ?? [], member);
  const other = await hasOtherSource(tools, group, members);
  const changes = settle({ group, newest, members, hasOtherSource: other, now, by, newId });
  await spread(tools, newest, changes);
}
