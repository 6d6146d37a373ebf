import { isJsonObject, type JsonValue } from '../json/json-value.ts';
import { boolean, closed, digest, integer, listOf, matching, nullable, oneOf, text, time } from '../json/shape.ts';
import type { SwapEvidence } from './swap-record.ts';

/** A provider's name, as in a manifest. */
export const providerName = matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/);

const MAX = Number.MAX_SAFE_INTEGER;
const count = integer(0, MAX);
const basisPoints = integer(0, 100_000);
// The primary and at most 8 fallbacks.
const MAX_CANDIDATES = 9;

const config = closed({
  strategy: oneOf('latency', 'priority'),
  quantile_bp: basisPoints,
  window_s: nullable(count),
  min_samples: count,
  limit_ms: nullable(count),
  min_improvement_bp: basisPoints,
  consecutive: count,
  digest,
});

const expressions = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null && Object.values(value).every(text(2000));

const metrics = closed({
  source: oneOf('prometheus', 'process'),
  evaluated_at: time,
  age_ms: count,
  query_sha256: nullable(digest),
  promql: expressions,
});

const candidate = closed({
  provider: providerName,
  active: boolean,
  n: count,
  p50_ms: nullable(count),
  pq_ms: nullable(count),
  base_ms: nullable(count),
  attempts: count,
  bad: count,
  probe_n: count,
  probe_ok: count,
  eligible: boolean,
  why: text(128),
});

const object = (value: JsonValue): boolean => isJsonObject(value);

// The contents of `config`, `state` and the rows of `providers` are checked strictly when the decision is replayed.
const replay = closed({
  now: count,
  config: object,
  state: object,
  providers: listOf((value) => Array.isArray(value), MAX_CANDIDATES),
  omitted: listOf(oneOf('promql', 'candidates'), 2),
});

const members = {
  config,
  metrics,
  candidates: listOf(candidate, MAX_CANDIDATES),
  streak: count,
  hold: nullable(closed({ provider: providerName, until: time, level: count })),
  replay,
};
const ramp = closed({ provider: providerName, percent: integer(1, 100), trial: boolean, step_started_at: time });

const withoutRamp = closed(members);
const withRamp = closed({ ...members, ramp });

/**
 * Whether a value is the evidence of an automatic swap, a closed object. Beside the members of failover.md §10 it has
 * `replay`, which is needed to make the decision again. `ramp` is present only for a swap that ends a ramp.
 */
export const isSwapEvidence = (value: JsonValue): value is SwapEvidence => withoutRamp(value) || withRamp(value);
