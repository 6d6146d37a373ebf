import { printable } from '../json/printable.ts';
import { LONGEST_PAUSE_MS } from './retry-after.ts';
import { ATTEMPT_REASONS, type AttemptCause, type AttemptReason } from './reasons.ts';

const MAX_DETAIL = 300;
const MAX_PLACE = 120;

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** A place of a manifest, such as a pointer, as a part of a detail: on one line and not too long. */
export const placeText = (place: string): string => cut(printable(place), MAX_PLACE);

/** @param detail default: what the reason says in general */
export const causeOf = (reason: AttemptReason, detail: string = ATTEMPT_REASONS[reason].says): AttemptCause => ({
  reason,
  detail: cut(printable(detail), MAX_DETAIL),
});

/** The same cause after a change of its text, for example without secrets. */
export const withDetail = (cause: AttemptCause, detail: string): AttemptCause =>
  detail === cause.detail ? cause : causeOf(cause.reason, detail);

const KIB = 1024;

/** A limit of bytes: `4 MiB`, `1000 bytes`. */
export function limitText(bytes: number): string {
  if (bytes % (KIB * KIB) === 0) return `${bytes / (KIB * KIB)} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
}

/** A size: `812 bytes`, `1.2 kB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time that has passed: `3 d`, `5 h`, `12 min`, `40 s`. */
export function agoText(ms: number): string {
  if (ms >= DAY_MS) return `${Math.floor(ms / DAY_MS)} d`;
  if (ms >= HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return ms >= MINUTE_MS ? `${Math.floor(ms / MINUTE_MS)} min` : `${Math.floor(ms / 1000)} s`;
}

/** A limit of time: `800 ms`, `30 s`. */
export const spanText = (ms: number): string => (ms >= 1000 && ms % 100 === 0 ? `${ms / 1000} s` : `${ms} ms`);

const CREDENTIAL: ReadonlySet<number> = new Set([401, 402, 403]);

function reasonOfStatus(status: number): AttemptReason {
  if (status === 429) return 'rate-limited';
  if (status < 400) return 'redirected';
  if (status >= 500 || status === 408 || status === 425) return 'server-error';
  return CREDENTIAL.has(status) ? 'credential-refused' : 'request-rejected';
}

/** A longer pause is read as the longest one. */
const waitText = (ms: number): string =>
  `, asks to wait ${Math.ceil(ms / 1000)} s${ms >= LONGEST_PAUSE_MS ? ' or more' : ''}`;

/**
 * Why an answer with this status is a failure.
 * @param status not 2xx
 * @param retryAfterMs the pause that the answer asks for, if it names one
 */
export function statusCause(status: number, retryAfterMs?: number): AttemptCause {
  return causeOf(reasonOfStatus(status), `HTTP ${status}${retryAfterMs === undefined ? '' : waitText(retryAfterMs)}`);
}
