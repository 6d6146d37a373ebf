import { SEVERITIES, type EventDraft, type Severity, type SignalStatus } from '../mapping/signal.ts';

/** Most starts and most ends that a state keeps; the newest stay. */
const MAX_KEPT = 64;
/** A vendor's clock may be ahead by this much; a later time counts as the time of receipt. */
const AHEAD_MS = 300_000;

/** What the state of a fingerprint reads of a signal. Times are milliseconds since the epoch. */
export interface StateEvent {
  readonly status: SignalStatus;
  readonly severity: Severity;
  /** The vendor's start, else its time of occurrence, else the time of receipt. */
  readonly startsAt: number;
  /** Only of `resolved`: the vendor's end, else its time of occurrence, else the time of receipt. */
  readonly endsAt: number;
  readonly occurredAt: number;
}

/**
 * What a state reads of an event. A time of the far future counts as the time of receipt: an end in the year 2100 would
 * keep the fingerprint closed until then.
 */
export function stateEventOf(event: EventDraft, receivedAt: number): StateEvent {
  const { status, severity, startsAt, endsAt, occurredAt } = event;
  const past = (time: number): number => (time > receivedAt + AHEAD_MS ? receivedAt : time);
  const occurred = past(occurredAt ?? receivedAt);
  return {
    status,
    severity,
    startsAt: past(startsAt ?? occurred),
    endsAt: past(endsAt ?? occurred),
    occurredAt: occurred,
  };
}

interface Start {
  readonly at: number;
  readonly severity: Severity;
}

interface Mark {
  readonly at: number;
  readonly status: 'acknowledged' | 'suppressed';
}

/**
 * State of one fingerprint. It holds no order of arrival: every member is a maximum or a set, so any order and any
 * repetition of the same signals gives the same state (ingestion.md §4).
 */
export interface SignalState {
  /** The newest starts at distinct times, oldest first. */
  readonly starts: readonly Start[];
  /** The newest ends at distinct times, oldest first. An end that came first closes a start that comes late. */
  readonly ends: readonly number[];
  /** Newest acknowledgement or suppression. */
  readonly mark: Mark | null;
}

export const EMPTY_STATE: SignalState = { starts: [], ends: [], mark: null };

const rank = (severity: Severity): number => SEVERITIES.indexOf(severity);
const worse = (one: Severity, other: Severity): Severity => (rank(one) <= rank(other) ? one : other);

/** The worst of severities; info of none. */
export const worstOf = (severities: readonly Severity[]): Severity =>
  severities.reduce<Severity>((worst, severity) => worse(worst, severity), 'info');

function laterMark(one: Mark | null, other: Mark | null): Mark | null {
  if (one === null || other === null) return one ?? other;
  if (other.at !== one.at) return other.at > one.at ? other : one;
  // Of two at one time the acknowledgement counts: a person made it.
  return one.status === 'acknowledged' ? one : other;
}

function mergeStarts(one: readonly Start[], other: readonly Start[]): readonly Start[] {
  const byTime = new Map<number, Severity>();
  for (const { at, severity } of [...one, ...other]) byTime.set(at, worse(severity, byTime.get(at) ?? 'info'));
  return [...byTime]
    .map(([at, severity]) => ({ at, severity }))
    .toSorted((first, second) => first.at - second.at)
    .slice(-MAX_KEPT);
}

const mergeEnds = (one: readonly number[], other: readonly number[]): readonly number[] =>
  [...new Set([...one, ...other])].toSorted((first, second) => first - second).slice(-MAX_KEPT);

/** The state after the signals of both. */
export const mergeStates = (one: SignalState, other: SignalState): SignalState => ({
  starts: mergeStarts(one.starts, other.starts),
  ends: mergeEnds(one.ends, other.ends),
  mark: laterMark(one.mark, other.mark),
});

function stateOf({ status, severity, startsAt, endsAt, occurredAt }: StateEvent): SignalState {
  switch (status) {
    case 'firing':
      return { ...EMPTY_STATE, starts: [{ at: startsAt, severity }] };
    case 'resolved':
      return { ...EMPTY_STATE, ends: [endsAt] };
    case 'acknowledged':
    case 'suppressed':
      return { ...EMPTY_STATE, mark: { at: occurredAt, status } };
    case 'info':
      return EMPTY_STATE;
    default:
      return status satisfies never;
  }
}

/** The state after one more signal. */
export const applySignal = (state: SignalState, event: StateEvent): SignalState => mergeStates(state, stateOf(event));

/** A time from a start to the first end after it. */
export interface Occurrence {
  readonly from: number;
  /** Null: it still fires. */
  readonly until: number | null;
  /** The worst of its starts. */
  readonly severity: Severity;
}

type Turn = { readonly at: number; readonly start?: Severity };

// An end at the time of a start comes after it.
const inOrder = (one: Turn, other: Turn): number =>
  one.at - other.at || Number(one.start === undefined) - Number(other.start === undefined);

/** The occurrences of a fingerprint, oldest first; at most the last one still fires. */
export function occurrencesOf({ starts, ends }: SignalState): readonly Occurrence[] {
  const found: Occurrence[] = [];
  const turns: readonly Turn[] = [
    ...starts.map(({ at, severity }) => ({ at, start: severity })),
    ...ends.map((at) => ({ at })),
  ];
  // The newest end is behind every start up to it, however many starts came between two ends.
  let open: Occurrence | undefined;
  for (const { at, start } of turns.toSorted(inOrder)) {
    if (start !== undefined)
      open =
        open === undefined
          ? { from: at, until: null, severity: start }
          : { ...open, severity: worse(open.severity, start) };
    else if (open !== undefined) {
      found.push({ ...open, until: at });
      open = undefined;
    }
  }
  return open === undefined ? found : [...found, open];
}

/** What a state means. */
export type StateView =
  | { readonly kind: 'none' }
  | { readonly kind: 'resolved'; readonly endedAt: number; readonly hasFired: boolean }
  | {
      readonly kind: 'firing' | 'acknowledged' | 'suppressed';
      /** Start of the occurrence. */
      readonly startedAt: number;
      /** The worst of the occurrence. */
      readonly severity: Severity;
    };

/** Firing while a start is after the newest end; an acknowledgement holds for the occurrence that it came after. */
export function viewOf(state: SignalState): StateView {
  const { ends, mark } = state;
  const last = occurrencesOf(state).at(-1);
  if (last?.until === null) {
    const kind = mark !== null && mark.at >= last.from ? mark.status : 'firing';
    return { kind, startedAt: last.from, severity: last.severity };
  }
  const endedAt = ends.at(-1);
  return endedAt === undefined ? { kind: 'none' } : { kind: 'resolved', endedAt, hasFired: last !== undefined };
}
