import type { Severity } from '../mapping/signal.ts';
import { episodesOf, type Episode, type Episodes, type Member } from './episodes.ts';
import {
  impactOf,
  isActive,
  isMuted,
  NO_ACTIONS,
  type ChangedIncident,
  type Incident,
  type IncidentUpdate,
} from './incident.ts';

/** What an incident is about: the same for every incident of its group. */
export type IncidentGroup = Pick<Incident, 'tenant' | 'groupKey' | 'target' | 'host' | 'fingerprint' | 'title'>;

export interface SettleInput {
  readonly group: IncidentGroup;
  /** The newest incident of the group; undefined: there was none. */
  readonly newest: Incident | undefined;
  /** The states of all sources of the group, as they are by now. */
  readonly members: readonly Member[];
  /** Whether another source shows a problem of the same target. */
  readonly hasOtherSource: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What moved: goes to the history. */
  readonly by: 'signal' | 'time' | 'receipts';
  readonly newId: () => string;
}

const isSureAlone = ({ trust, monitor }: Member): boolean => trust !== 'low' && monitor !== 'publisher';

function confirmationOf({ newest, members, hasOtherSource }: SettleInput): Incident['confirmedBy'] {
  if (newest?.confirmedBy !== undefined && newest.confirmedBy !== null) return newest.confirmedBy;
  const firing = members.filter(({ state }) => state.starts.length > 0);
  return hasOtherSource || firing.length > 1 ? 'source' : null;
}

type State = Pick<Incident, 'status' | 'acknowledgedAt' | 'resolvedAt'>;

function openState(episode: Episode, incident: Incident, now: number): State {
  const active = episode.spans.filter(({ end }) => end === null || end > now);
  const { acknowledgedAt } = incident.actions;
  const byHand = acknowledgedAt !== null && active.every(({ from }) => from <= acknowledgedAt);
  const byVendor = active.every((span) => span.acknowledgedAt !== null);
  const vendorAt = Math.max(...active.map((span) => span.acknowledgedAt ?? 0));
  if (byHand || byVendor)
    return { status: 'acknowledged', acknowledgedAt: byHand ? acknowledgedAt : vendorAt, resolvedAt: null };
  const isSure = incident.confirmedBy !== null || incident.members.some(isSureAlone);
  return { status: isSure ? 'open' : 'unconfirmed', acknowledgedAt: null, resolvedAt: null };
}

function stateOf(episode: Episode, incident: Incident, now: number): State {
  const { withdrawnAt } = incident.actions;
  const { acknowledgedAt } = incident;
  if (withdrawnAt !== null)
    return { status: 'withdrawn', acknowledgedAt, resolvedAt: incident.resolvedAt ?? withdrawnAt };
  const { end } = episode;
  return end === null || end > now
    ? openState(episode, incident, now)
    : { status: 'resolved', acknowledgedAt, resolvedAt: end };
}

const RAISED: Readonly<Record<Severity, number>> = { critical: 0, high: 1, warning: 2, low: 3, info: 4 };

/** A change of the status in words; undefined: it did not change, or the incident is not shown yet. */
function statusText(was: Incident['status'], { status }: Incident): string | undefined {
  if (was === status || status === 'pending') return undefined;
  if (!isActive({ status })) return status;
  if (was === 'pending') return status === 'unconfirmed' ? 'opened, unconfirmed' : 'opened';
  if (was === 'resolved') return 'reopened';
  return status === 'open' ? `open, was ${was}` : status;
}

/** Changes beside the status. */
function changesOf(before: Incident, after: Incident): readonly string[] {
  const texts: string[] = [];
  if (RAISED[after.severity] < RAISED[before.severity]) texts.push(`severity ${after.severity}`);
  if (before.confirmedBy === null && after.confirmedBy !== null)
    texts.push(after.confirmedBy === 'source' ? 'confirmed by a second source' : 'confirmed by receipts');
  if (before.flapping !== after.flapping) texts.push(after.flapping ? 'flapping' : 'no longer flapping');
  return texts;
}

/** What a step did, in words; empty: nothing that a reader wants to know. */
function textsOf(before: Incident | undefined, after: Incident): readonly string[] {
  const was = before?.status ?? 'pending';
  const moved = statusText(was, after);
  const texts = moved === undefined ? [] : [moved];
  return before === undefined || was === 'pending' ? texts : [...texts, ...changesOf(before, after)];
}

/**
 * An incident after a step, with what the step adds to its history. While it flaps, is muted, or another incident stands
 * for it, nothing is added except its end.
 */
export function withUpdates(
  before: Incident | undefined,
  after: Incident,
  { now, by }: { readonly now: number; readonly by: string },
): ChangedIncident {
  const isQuiet = (before?.flapping === true && after.flapping) || isMuted(after, now) || after.parentId !== null;
  const texts = isQuiet && isActive(after) ? [] : textsOf(before, after);
  const updates: readonly IncidentUpdate[] = texts.map((text) => ({ at: now, by, text }));
  return { incident: after, updates };
}

function begun(
  { group, members, newId, now }: SettleInput,
  episode: Episode | undefined,
  floor: number | null,
): Incident {
  const severity = episode?.severity ?? 'info';
  return {
    ...group,
    incidentId: newId(),
    status: 'pending',
    severity,
    impact: impactOf(severity),
    confirmedBy: null,
    flapping: false,
    parentId: null,
    openedAt: episode?.openedAt ?? now,
    acknowledgedAt: null,
    resolvedAt: null,
    floor,
    dueAt: null,
    countAt: null,
    members,
    actions: NO_ACTIONS,
    corroboration: null,
  };
}

interface Placed {
  readonly incident: Incident;
  readonly episode: Episode;
  readonly isNew: boolean;
}

/** The episode of the newest incident, and a new incident for each later one. */
function placed(input: SettleInput, { episodes }: Episodes): readonly Placed[] {
  const { newest } = input;
  if (newest === undefined || newest.status === 'pending') {
    const episode = episodes.at(-1);
    if (episode === undefined) return [];
    return [{ incident: newest ?? begun(input, episode, null), episode, isNew: newest === undefined }];
  }
  const { openedAt } = newest;
  const own = Math.max(
    0,
    episodes.findLastIndex((episode) => episode.openedAt <= openedAt),
  );
  return episodes.slice(own).map((episode, index) => {
    if (index === 0) return { incident: newest, episode, isNew: false };
    const { resolvedAt, withdrawnAt } = newest.actions;
    return { incident: begun(input, episode, resolvedAt ?? withdrawnAt ?? newest.floor), episode, isNew: true };
  });
}

/** Receipts are counted when an incident about an Orb opens and when it ends; in between the counting goes on by itself. */
function countAtOf(before: Incident, after: State, now: number): number | null {
  if (before.target.kind !== 'orb' || after.status === 'withdrawn') return null;
  return isActive(before) === isActive(after) && before.status !== 'pending' ? before.countAt : now;
}

/** What comes back is not part of the outage that it was part of before. */
const parentOf = (before: Incident, after: State): string | null =>
  isActive(after) && !isActive(before) ? null : before.parentId;

function settled(input: SettleInput, { incident, episode, isNew }: Placed, found: Episodes): ChangedIncident {
  const { now, members, group, by } = input;
  const isLast = episode === found.episodes.at(-1);
  const before = isNew ? undefined : incident;
  const confirmedBy = isLast ? confirmationOf({ ...input, newest: before }) : incident.confirmedBy;
  const known: Incident = { ...incident, members, confirmedBy, title: group.title };
  const state = stateOf(episode, known, now);
  const after: Incident = {
    ...known,
    ...state,
    parentId: parentOf(incident, state),
    openedAt: episode.openedAt,
    severity: episode.severity,
    impact: incident.corroboration?.logged?.impact ?? impactOf(episode.severity),
    flapping: isLast && found.flapping,
    dueAt: isLast ? found.dueAt : null,
    countAt: countAtOf(incident, state, now),
  };
  return withUpdates(before, after, { now, by });
}

/** An incident that waits for `for`, or that the states no longer show. */
function waiting(input: SettleInput, { dueAt }: Episodes): readonly ChangedIncident[] {
  const { newest, members } = input;
  if (newest !== undefined) return [{ incident: { ...newest, members, dueAt }, updates: [] }];
  return dueAt === null ? [] : [{ incident: { ...begun(input, undefined, null), dueAt }, updates: [] }];
}

/**
 * The incidents of a group after its states, the acts of people or the time changed: the newest one, and those that began
 * since. Equal input gives equal incidents, whatever came first.
 */
export function settle(input: SettleInput): readonly ChangedIncident[] {
  const { newest, members, now } = input;
  const { resolvedAt, withdrawnAt } = newest?.actions ?? NO_ACTIONS;
  const found = episodesOf(members, { now, resolvedAt: resolvedAt ?? withdrawnAt, floor: newest?.floor ?? null });
  const places = placed(input, found);
  return places.length === 0 ? waiting(input, found) : places.map((place) => settled(input, place, found));
}
