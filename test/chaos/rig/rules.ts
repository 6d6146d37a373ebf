import type { KubeRequest, Verb } from './kube-request.ts';
import type { WritePoint } from './write-points.ts';

/** When a process dies around one of its writes. */
export const CRASH_MODES = ['before-send', 'after-send', 'after-response'] as const;
export type CrashMode = (typeof CRASH_MODES)[number];

/** An answer that the rig makes in place of the API server. */
export interface MadeAnswer {
  readonly status: number;
  readonly reason: string;
  /** Whole seconds, sent as `Retry-After` and in `details`. */
  readonly retryAfterSeconds?: number;
}

/** The proxy's action for one request. */
export type Action =
  /** The server never receives the request. */
  | { readonly kind: 'answer'; readonly answer: MadeAnswer }
  /** The server executes it, but the caller gets another answer. */
  | { readonly kind: 'applied'; readonly answer: MadeAnswer }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Ends the caller; `kill` resolves when the process is gone. */
  | { readonly kind: 'kill'; readonly when: CrashMode; readonly kill: () => Promise<void> };

/** A request that arrived. */
interface Seen {
  readonly request: KubeRequest;
  /** Its name, if it is a write. */
  readonly point: WritePoint | undefined;
}

/** Decides what to do with a request; the first rule that does not return undefined wins. */
export type Rule = (seen: Seen) => Action | undefined;

/** Kills once, at the write of that name. */
export function crashAt(point: WritePoint, when: CrashMode, kill: () => Promise<void>): Rule {
  let used = false;
  return (seen) => {
    if (used || seen.point !== point) return undefined;
    used = true;
    return { kind: 'kill', when, kill };
  };
}

/** The requests that a rule applies to; an absent member matches all. */
export interface Match {
  readonly verbs?: readonly Verb[];
  readonly resources?: readonly string[];
}

const matches = ({ verbs, resources }: Match, { verb, resource }: KubeRequest): boolean =>
  (verbs === undefined || verbs.includes(verb)) && (resources === undefined || resources.includes(resource));

/** Answers the next `times` matching requests with this answer, and then stops. */
export function answerNext(match: Match, answer: MadeAnswer, times = 1): Rule {
  let left = times;
  return ({ request }) => {
    if (left === 0 || !matches(match, request)) return undefined;
    left -= 1;
    return { kind: 'answer', answer };
  };
}

/** Faults of the error injector (reliability.md §2.2). */
export const INJECTED = {
  conflict: { kind: 'answer', answer: { status: 409, reason: 'Conflict' } },
  'too-many': { kind: 'answer', answer: { status: 429, reason: 'TooManyRequests', retryAfterSeconds: 1 } },
  internal: { kind: 'answer', answer: { status: 500, reason: 'InternalError' } },
  unavailable: { kind: 'answer', answer: { status: 503, reason: 'ServiceUnavailable' } },
  timeout: { kind: 'answer', answer: { status: 504, reason: 'Timeout' } },
  'applied-timeout': { kind: 'applied', answer: { status: 504, reason: 'Timeout' } },
  delay: { kind: 'delay', ms: 10_000 },
} as const satisfies Readonly<Record<string, Action>>;
type Injected = keyof typeof INJECTED;

/** A conflict is an answer to a write that names a version; a read never gets a conflict. */
const ONLY_WRITES: ReadonlySet<Injected> = new Set(['conflict', 'applied-timeout']);
const READS: ReadonlySet<Verb> = new Set(['get', 'list', 'watch']);

export interface Injection {
  /** Share of requests, 0 … 1. */
  readonly rate: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
  readonly match?: Match;
  /** Default: all. */
  readonly faults?: readonly Injected[];
}

/** Fails a seeded share of the requests, each with a fault drawn evenly from those that its verb can have. */
export function injectErrors({ rate, random, match = {}, faults }: Injection): Rule {
  const all: readonly Injected[] = faults ?? [
    'conflict',
    'too-many',
    'internal',
    'unavailable',
    'timeout',
    'applied-timeout',
    'delay',
  ];
  return ({ request }) => {
    if (request.verb === 'other' || !matches(match, request)) return undefined;
    if (random() >= rate) return undefined;
    const possible = READS.has(request.verb) ? all.filter((fault) => !ONLY_WRITES.has(fault)) : all;
    const drawn = possible[Math.floor(random() * possible.length)];
    return drawn === undefined ? undefined : INJECTED[drawn];
  };
}

/** `Status` in the form of the API server. */
export const statusBody = ({ status, reason, retryAfterSeconds }: MadeAnswer): string =>
  JSON.stringify({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${reason}: made by the fault rig`,
    reason,
    code: status,
    ...(retryAfterSeconds === undefined ? {} : { details: { retryAfterSeconds } }),
  });
