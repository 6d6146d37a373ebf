import type { HttpBounds } from '../../adapters/process/http-bound-flags.ts';

/** Bounds of the listener (security.md S6). The first ones are settings; of the bytes and counts 0 is no bound. */
export interface ServerLimits extends HttpBounds {
  readonly bodyBytes: number;
  /** Longest time without a byte in either direction, ms: longer than the longest run (120 s). */
  readonly silenceMs: number;
  /** Longest time in which the caller takes no byte of a large answer, ms. */
  readonly stallMs: number;
  /** Requests that may wait behind open answers, on all connections together. */
  readonly waiting: number;
}

/** The defaults of the settings are those of their flags; a test compares them. */
export const serverLimits: ServerLimits = {
  bodyBytes: 1_048_576,
  headerBytes: 16_384,
  headerCount: 200,
  connections: 8192,
  connectionsPerAddress: 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveMs: 60_000,
  silenceMs: 150_000,
  stallMs: 30_000,
  waitingPerConnection: 64,
  waiting: 4096,
  unreadBytes: 67_108_864,
  partBytes: 33_554_432,
  partBytesPerAddress: 16_777_216,
  partBytesPerKey: 16_777_216,
};

/** Why a connection or request was ended by the HTTP side itself; labels of a metric. */
export const REFUSALS = [
  'connections',
  'connections-per-address',
  'waiting-requests',
  'unread-bytes',
  'body-bytes',
  'body-bytes-per-address',
  'body-bytes-per-key',
  'body-chunks',
  'headers-too-large',
  'request-timeout',
  'malformed-request',
] as const;

export type Refusal = (typeof REFUSALS)[number];
