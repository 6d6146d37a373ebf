/** Time that the provider takes for a slow run, ms. */
export const SLOW_MS = 2500;
export const FAST_MS = 40;

/** A tenant that attacks, and the one whose answers are measured. */
export const HOSTILE = 'hostile';
export const OTHER = 'other';

/** The secret that hostile answers repeat. */
export const SECRET = 'abcdefgh12345678';

/** Where callers come from: the rates and bounds by address must tell them apart. */
export const ADDRESSES = { other: '127.0.0.2', hostile: '127.0.1.1' } as const;

export const executePath = (namespace: string): string => `/orbisets/${namespace}.set/execute`;
export const runOf = (orb: string, text = 'x'): string => JSON.stringify({ orb_id: `${orb}@1.0.0`, inputs: { text } });

/** Bytes of an answer that is read on the event loop, and of one that a thread reads. */
const SMALL_BYTES = 64_000;
const LARGE_BYTES = 4 * 1_048_576 - 4096;

/** Answers of the hostile provider: their kinds are those of `hostileAnswers`. */
export const HOSTILE_ANSWERS = {
  hits: { kind: 'nothing but redaction hits', type: 'array', bytes: LARGE_BYTES },
  strings: { kind: 'nothing but empty strings', type: 'array', bytes: LARGE_BYTES },
  members: { kind: 'an object of many members', type: 'object', bytes: LARGE_BYTES },
  encoded: { kind: 'strings of percent-encoded bytes', type: 'array', bytes: SMALL_BYTES },
  stalled: { kind: 'nothing but empty strings', type: 'array', bytes: LARGE_BYTES },
} as const;

/** Input of the attacker's process. */
export interface AttackSettings {
  readonly attack: string;
  readonly port: number;
  /** A key without a rate: what holds its tenant back is its share alone. */
  readonly key: string;
  /** Keys with the rate that every key has by default. */
  readonly ratedKeys: readonly string[];
}

/** Input of the process with the measured caller. */
export interface CallerSettings {
  readonly port: number;
  readonly key: string;
  readonly seconds: number;
}

/** What the measured caller saw. */
export interface Called {
  /** Ms, one for each call. */
  readonly latencies: readonly number[];
  /** Answers without 200, by status; 0: the connection was cut. */
  readonly refused: Readonly<Record<string, number>>;
  /** How late timers of this process were, ms: its own part of the latencies. */
  readonly late: { readonly p99: number; readonly max: number };
}
