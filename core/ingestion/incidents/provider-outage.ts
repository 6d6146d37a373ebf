import { REOPEN_MS } from './episodes.ts';
import { worstOf } from './signal-state.ts';
import { impactOf, isActive, NO_ACTIONS, type ChangedIncident, type Incident } from './incident.ts';
import { outageHosts } from './outage.ts';
import { withUpdates } from './settle.ts';

export interface HostInput {
  readonly tenant: string;
  readonly host: string;
  /** Key of the group of the provider's outage. */
  readonly groupKey: string;
  /** The newest outage of this host; undefined: there was none. */
  readonly newest: Incident | undefined;
  /** Incidents of single Orbs at this host that are active, or whose parent is the newest outage. */
  readonly orbs: readonly Incident[];
  readonly now: number;
  readonly newId: () => string;
}

const orbOf = ({ target }: Incident): string => (target.kind === 'orb' ? target.orb : '');

const outage = ({ tenant, host, groupKey, newId }: HostInput, openedAt: number): Incident => ({
  incidentId: newId(),
  tenant,
  groupKey,
  target: { kind: 'provider', host },
  host,
  fingerprint: 'provider-outage',
  title: `several Orbs fail at ${host}`,
  status: 'pending',
  severity: 'info',
  impact: 'minor',
  confirmedBy: 'source',
  flapping: false,
  parentId: null,
  openedAt,
  acknowledgedAt: null,
  resolvedAt: null,
  floor: null,
  dueAt: null,
  countAt: null,
  members: [],
  actions: NO_ACTIONS,
  corroboration: null,
});

/** An outage that comes back within ten minutes is the same one, unless a person ended it. */
const isReopened = ({ actions, resolvedAt }: Incident, openedAt: number): boolean =>
  actions.resolvedAt === null &&
  actions.withdrawnAt === null &&
  resolvedAt !== null &&
  openedAt <= resolvedAt + REOPEN_MS;

/** The outage that stands for the Orbs of a host; undefined: they fail apart from each other. */
function standing(input: HostInput): Incident | undefined {
  const { host, newest, orbs } = input;
  if (newest !== undefined && isActive(newest)) return newest;
  const firing = orbs.filter(isActive);
  const found = firing.map((one) => ({ orbId: orbOf(one), host, openedAt: one.openedAt }));
  if (outageHosts(found).length === 0) return undefined;
  const openedAt = Math.min(...firing.map((one) => one.openedAt));
  return newest !== undefined && isReopened(newest, openedAt) ? newest : outage(input, openedAt);
}

function followed(parent: Incident, { orbs }: HostInput): Incident {
  const active = orbs.filter(isActive);
  const worst = worstOf((active.length > 0 ? active : orbs).map(({ severity }) => severity));
  const shared = { severity: worst, impact: impactOf(worst) };
  const { acknowledgedAt, resolvedAt, withdrawnAt } = parent.actions;
  if (withdrawnAt !== null) return { ...parent, status: 'withdrawn', resolvedAt: parent.resolvedAt ?? withdrawnAt };
  const ended = orbs.flatMap((one) => one.resolvedAt ?? []);
  if (active.length === 0 || resolvedAt !== null)
    return { ...parent, status: 'resolved', resolvedAt: resolvedAt ?? Math.max(...ended, parent.openedAt) };
  const status = acknowledgedAt === null ? 'open' : 'acknowledged';
  return { ...parent, ...shared, status, acknowledgedAt, resolvedAt: null };
}

/**
 * What happens at a host when incidents of its Orbs changed. At least three Orbs that begin to fail within five minutes
 * are an outage of the host: one incident stands for them, and ends when all of them have ended.
 * @returns the outage, and each incident of an Orb that it newly stands for; empty: nothing changed
 */
export function settleHost(input: HostInput): readonly ChangedIncident[] {
  const parent = standing(input);
  if (parent === undefined) return [];
  const { orbs, now, newest } = input;
  const isNew = parent !== newest;
  const change = withUpdates(isNew ? undefined : parent, followed(parent, input), { now, by: 'signal' });
  const adopted = isActive(change.incident)
    ? orbs.filter((one) => isActive(one) && one.parentId !== parent.incidentId)
    : [];
  const children = adopted.map((one) => ({
    incident: { ...one, parentId: parent.incidentId },
    updates: [{ at: now, by: 'signal', text: `part of the outage of ${input.host}` }],
  }));
  return [change, ...children];
}
