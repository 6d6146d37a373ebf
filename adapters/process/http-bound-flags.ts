import { valueOf, type Args } from './arguments.ts';
import type { DefaultFlag } from './flag.ts';
import { asDuration, asNumber } from './flag-values.ts';
import { UsageError } from './start-error.ts';

/** Bounds on what strangers make the HTTP side hold (security.md S6). Of counts and bytes, 0 is no bound. */
export interface HttpBounds {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Requests that may wait behind an open answer of their connection; one more cuts the connection. */
  readonly waitingPerConnection: number;
  /** Answers that callers have not read. */
  readonly unreadBytes: number;
  /** Bodies that have not arrived whole. */
  readonly partBytes: number;
  readonly partBytesPerAddress: number;
  readonly partBytesPerKey: number;
  /** Request line and headers together. */
  readonly headerBytes: number;
  readonly headerCount: number;
  /** Time until all headers are received, ms. */
  readonly headersTimeoutMs: number;
  /** Time until the body is received, ms. */
  readonly requestTimeoutMs: number;
  /** Time between two requests on one connection, ms. */
  readonly keepAliveMs: number;
}

type Range = readonly [min: number, max: number];

const count = (name: string, text: string, fallback: number, [min, max]: Range): DefaultFlag<number> => ({
  name,
  value: 'N',
  text,
  fallback: String(fallback),
  parse: asNumber(min, max),
});

const time = (name: string, text: string, fallback: string, max: string): DefaultFlag<number> => ({
  name,
  value: 'DURATION',
  text: `${text}, 1s to ${max}`,
  fallback,
  parse: asDuration('1s', max),
});

const MOST = 1_000_000;
const MOST_BYTES = 1_099_511_627_776;

/** Flags of the API and of standalone. */
export const HTTP_BOUND_FLAGS = {
  maxConnections: count(
    'max-connections',
    'most open connections; never more than the descriptors of the process allow',
    8192,
    [0, MOST],
  ),
  maxConnectionsPerAddress: count(
    'max-connections-per-address',
    'most open connections of an address, or of an IPv6 /64; 0 for no bound',
    1024,
    [0, MOST],
  ),
  maxPipelinedRequests: count(
    'max-pipelined-requests',
    'most requests that wait behind an open answer of their connection',
    64,
    [1, 1024],
  ),
  maxUnreadBytes: count(
    'max-unread-bytes',
    'most bytes of answers that callers have not read; 0 for no bound',
    67_108_864,
    [0, MOST_BYTES],
  ),
  maxPartBytes: count(
    'max-body-bytes',
    'most bytes of bodies that have not arrived whole; 0 for no bound',
    33_554_432,
    [0, MOST_BYTES],
  ),
  maxPartBytesPerAddress: count('max-body-bytes-per-address', 'the same for an address, or an IPv6 /64', 16_777_216, [
    0,
    MOST_BYTES,
  ]),
  maxPartBytesPerKey: count('max-body-bytes-per-key', 'the same for an API key or ServiceAccount', 16_777_216, [
    0,
    MOST_BYTES,
  ]),
  maxHeaderBytes: count('max-header-bytes', 'most bytes of request line and headers', 16_384, [1024, 65_536]),
  maxHeaders: count('max-headers', 'most headers of a request', 200, [16, 2000]),
  headersTimeout: time('headers-timeout', 'longest time until the headers of a request are there', '10s', '5m'),
  requestTimeout: time('request-timeout', 'longest time until a whole request is there', '30s', '10m'),
  keepAlive: time('keep-alive', 'time that a connection stays open between two requests', '60s', '1h'),
} as const satisfies Readonly<Record<string, DefaultFlag<number>>>;

const ROOM_FOR_BODIES = ['maxPartBytes', 'maxPartBytesPerAddress', 'maxPartBytesPerKey'] as const;

/**
 * The bounds of a command line.
 * @param maxRequestBytes largest body of a request
 * @throws UsageError a body that is allowed would find no room
 */
export function httpBoundsOf(args: Args, maxRequestBytes: number): HttpBounds {
  for (const bound of ROOM_FOR_BODIES) {
    const bytes = valueOf(args, HTTP_BOUND_FLAGS[bound]);
    if (bytes === 0 || bytes >= maxRequestBytes) continue;
    const { name } = HTTP_BOUND_FLAGS[bound];
    throw new UsageError(
      `--${name} ${bytes} is less than --max-request-bytes ${maxRequestBytes}: raise it, or lower that`,
    );
  }
  return {
    connections: valueOf(args, HTTP_BOUND_FLAGS.maxConnections),
    connectionsPerAddress: valueOf(args, HTTP_BOUND_FLAGS.maxConnectionsPerAddress),
    waitingPerConnection: valueOf(args, HTTP_BOUND_FLAGS.maxPipelinedRequests),
    unreadBytes: valueOf(args, HTTP_BOUND_FLAGS.maxUnreadBytes),
    partBytes: valueOf(args, HTTP_BOUND_FLAGS.maxPartBytes),
    partBytesPerAddress: valueOf(args, HTTP_BOUND_FLAGS.maxPartBytesPerAddress),
    partBytesPerKey: valueOf(args, HTTP_BOUND_FLAGS.maxPartBytesPerKey),
    headerBytes: valueOf(args, HTTP_BOUND_FLAGS.maxHeaderBytes),
    headerCount: valueOf(args, HTTP_BOUND_FLAGS.maxHeaders),
    headersTimeoutMs: valueOf(args, HTTP_BOUND_FLAGS.headersTimeout),
    requestTimeoutMs: valueOf(args, HTTP_BOUND_FLAGS.requestTimeout),
    keepAliveMs: valueOf(args, HTTP_BOUND_FLAGS.keepAlive),
  };
}
