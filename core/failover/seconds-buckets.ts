/**
 * Upper bounds of every latency histogram in seconds (failover.md §2): the OpenTelemetry advice for HTTP clients plus
 * 15–120. The last bound is the longest timeout that a manifest can have, so that no attempt is beyond it.
 */
export const SECONDS_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 15, 30, 60, 120,
] as const;
