import type { Trust } from '../verification/scheme.ts';
import { SEVERITIES, type Severity } from '../mapping/signal.ts';
import { occurrencesOf, worstOf, type Occurrence, type SignalState } from './signal-state.ts';

const FLAPPING_WINDOW_MS = 600_000;
const FLAPPING_TURNS = 4;
/** A problem that comes back within this time of its end is the same incident. */
export const REOPEN_MS = 600_000;

/** Rules of a source, `effects` of its document. Durations are milliseconds. */
interface Effects {
  readonly minSeverity: Severity;
  readonly forMs: number;
  readonly quietPeriodMs: number;
}

/** The state of one source within an incident. */
export interface Member {
  /** `namespace/name`. */
  readonly source: string;
  readonly trust: Trust;
  /** Whose monitor it is: computed, never declared. */
  readonly monitor: 'platform' | 'publisher' | 'consumer';
  readonly state: SignalState;
  readonly effects: Effects;
}

/** A time during which one source shows the problem. */
interface Span {
  readonly from: number;
  /** With the quiet period, or the calm after flapping; null: it fires. */
  readonly end: number | null;
  readonly severity: Severity;
  /** The vendor acknowledged it at this time. */
  readonly acknowledgedAt: number | null;
}

/** Spans that are one incident, because none begins later than 10 minutes after the others ended. */
export interface Episode {
  readonly openedAt: number;
  readonly end: number | null;
  /** The worst of its spans. */
  readonly severity: Severity;
  readonly spans: readonly Span[];
}

export interface Episodes {
  /** Oldest first; of all but the last the end is known. */
  readonly episodes: readonly Episode[];
  /** Four changes within ten minutes, and no ten minutes without a change since. */
  readonly flapping: boolean;
  /** When time alone may change something next; null: never. */
  readonly dueAt: number | null;
}

interface Bounds {
  readonly now: number;
  /** When a person closed the incident. */
  readonly resolvedAt: number | null;
  /** A person closed an earlier incident at this time. */
  readonly floor: number | null;
}

interface Flap {
  readonly from: number;
  readonly until: number;
}

/** Times of flapping: from the fourth change within ten minutes until ten minutes after the last change. */
function flapsOf(occurrences: readonly Occurrence[]): readonly Flap[] {
  const turns = occurrences.flatMap(({ from, until }) => (until === null ? [from] : [from, until]));
  const flaps: Flap[] = [];
  for (const [index, at] of turns.entries()) {
    const last = flaps.at(-1);
    const earlier = turns[index - FLAPPING_TURNS + 1];
    if (last !== undefined && at < last.until) flaps[flaps.length - 1] = { ...last, until: at + FLAPPING_WINDOW_MS };
    else if (earlier !== undefined && at - earlier < FLAPPING_WINDOW_MS)
      flaps.push({ from: earlier, until: at + FLAPPING_WINDOW_MS });
  }
  return flaps;
}

/** The end of an occurrence by itself: a suppression at the vendor ends it, and flapping prolongs it. */
function ownEnd({ from, until }: Occurrence, { state, effects }: Member, flaps: readonly Flap[]): number | null {
  const { mark } = state;
  const suppressedAt = until === null && mark?.status === 'suppressed' && mark.at >= from ? mark.at : null;
  const ended = until ?? suppressedAt;
  if (ended === null) return null;
  const calm = flaps.findLast((flap) => ended >= flap.from && ended < flap.until)?.until ?? 0;
  return Math.max(ended + effects.quietPeriodMs, calm);
}

/** The end of an occurrence for the incident: a person may end it earlier. */
function endOf(occurrence: Occurrence, member: Member, flaps: readonly Flap[], { resolvedAt }: Bounds): number | null {
  const end = ownEnd(occurrence, member, flaps);
  if (resolvedAt === null || resolvedAt < occurrence.from) return end;
  return end === null ? resolvedAt : Math.min(end, resolvedAt);
}

const isSevere = ({ severity }: Occurrence, { effects }: Member): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(effects.minSeverity);

/** Whether a source may show a problem that is severe enough. One that never did opens no incident. */
export const isEverSevere = ({ starts }: SignalState, { minSeverity }: Pick<Effects, 'minSeverity'>): boolean =>
  starts.some(({ severity }) => SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(minSeverity));

interface MemberSpans {
  readonly spans: readonly Span[];
  readonly dues: readonly number[];
  readonly flapping: boolean;
}

function spansOf(member: Member, bounds: Bounds): MemberSpans {
  const { now, floor } = bounds;
  const all = occurrencesOf(member.state);
  const flaps = flapsOf(all);
  const counted = all.filter((one) => isSevere(one, member) && (floor === null || one.from > floor));
  const opens = (one: Occurrence): number => one.from + member.effects.forMs;
  const { mark } = member.state;
  const spans = counted
    .filter((one) => opens(one) <= (one.until ?? now) && opens(one) <= now)
    .map((one) => ({
      from: one.from,
      end: endOf(one, member, flaps, bounds),
      severity: one.severity,
      acknowledgedAt: one.until === null && mark?.status === 'acknowledged' && mark.at >= one.from ? mark.at : null,
    }));
  const waiting = counted.filter((one) => one.until === null).map(opens);
  const ends = spans.flatMap(({ end }) => end ?? []);
  const calm = flaps.map(({ until }) => until);
  const flapping = flaps.some(({ from, until }) => from <= now && now < until);
  return { spans, flapping, dues: [...waiting, ...ends, ...calm].filter((at) => at > now) };
}

const laterEnd = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

function joined(spans: readonly Span[]): readonly Episode[] {
  const episodes: Episode[] = [];
  for (const span of spans.toSorted((one, other) => one.from - other.from)) {
    const last = episodes.at(-1);
    if (last !== undefined && (last.end === null || span.from <= last.end + REOPEN_MS))
      episodes[episodes.length - 1] = {
        openedAt: last.openedAt,
        end: laterEnd(last.end, span.end),
        severity: worstOf([last.severity, span.severity]),
        spans: [...last.spans, span],
      };
    else episodes.push({ openedAt: span.from, end: span.end, severity: span.severity, spans: [span] });
  }
  return episodes;
}

/**
 * The incidents that the states of a group's sources show at a time: a function of the states and of what people did, so
 * the order in which signals came has no effect.
 * @param members states that share tenant, Orb or host, and fingerprint
 */
export function episodesOf(members: readonly Member[], bounds: Bounds): Episodes {
  const found = members.map((member) => spansOf(member, bounds));
  const dues = found.flatMap((one) => one.dues);
  return {
    episodes: joined(found.flatMap(({ spans }) => spans)),
    flapping: found.some(({ flapping }) => flapping),
    dueAt: dues.length === 0 ? null : Math.min(...dues),
  };
}
