import type { JsonObject, JsonValue } from '../json/json-value.ts';
import { lookup } from '../json/pointer.ts';
import {
  boolean,
  closed,
  digest,
  httpsOrigin,
  integer,
  listOf,
  matching,
  nullable,
  oneOf,
  text,
  time,
} from '../json/shape.ts';
import { isReceiptId, isRunId } from './ids.ts';
import { CHECK_ORDER, CHECK_WEIGHTS, type ReceiptRecord } from './record.ts';
import { schemaIsOfIssuer } from './schema-name.ts';

const MAX_MS = Number.MAX_SAFE_INTEGER;
const MAX_ATTEMPTS = 16;

// {org}.{name}@{semver} of design.md §2; the SemVer pattern comes from semver.org.
const ORB_ID =
  /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?@(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(?:\.(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

/** An `orb_id` in a signed document. */
export const orbId = matching(ORB_ID);

const isText = (value: JsonValue, check: (text: string) => boolean): boolean =>
  typeof value === 'string' && check(value);

const commitment = closed({ commitment: digest, media_type: text(255), size_bytes: integer(0, MAX_MS) });

const attempt = closed({
  provider: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/),
  outcome: oneOf('success', 'error', 'timeout', 'rate_limited', 'client_error', 'cancelled', 'blocked'),
  http_status: nullable(integer(100, 599)),
  duration_ms: integer(0, MAX_MS),
});

const execution = closed({
  run_id: (value) => isText(value, isRunId),
  outcome: oneOf('success', 'orb_error', 'timeout', 'policy_denied', 'caller_error', 'platform_error'),
  closed_by: oneOf('runtime', 'sweeper'),
  started_at: time,
  finished_at: time,
  duration_ms: integer(0, MAX_MS),
  slo_ms: integer(1, 120_000),
  attempts: listOf(attempt, MAX_ATTEMPTS),
});

const violation = closed({ rule: text(255), severity: oneOf('low', 'medium', 'high', 'critical') });

const policy = closed({
  set_digest: digest,
  facts_schema: text(255),
  facts_digest: digest,
  decision: oneOf('allow', 'deny'),
  violations: listOf(violation, 1000),
});

const RESULT = oneOf('pass', 'fail', 'unknown', 'not_applicable');

/** The eight checks in their order, with their fixed weights (trust.md §4). */
const checks = (value: JsonValue): boolean =>
  Array.isArray(value) &&
  value.length === CHECK_ORDER.length &&
  CHECK_ORDER.every((id, index) => {
    const item = lookup(value, [String(index)]);
    return item !== undefined && closed({ id: oneOf(id), weight: oneOf(CHECK_WEIGHTS[id]), result: RESULT })(item);
  });

const members = closed({
  schema: text(512),
  receipt_id: (value) => isText(value, isReceiptId),
  issuer: httpsOrigin,
  issued_at: time,
  orb: closed({ id: orbId, manifest_digest: digest, irreversible: boolean }),
  execution,
  caller: closed({ tag: matching(/^ct_[0-9a-f]{16}$/), self: boolean }),
  input: commitment,
  output: nullable(commitment),
  policy,
  checks,
  trust_score: integer(0, 100),
  risk_level: oneOf('low', 'medium', 'high', 'critical'),
  scoring: oneOf('orb-trust/1'),
  parent_receipt_id: nullable((value) => isText(value, isReceiptId)),
});

/** Whether a payload is a `receipt/v1` record (trust.md §1.1): a closed object whose schema belongs to its issuer. */
export const isReceiptRecord = (value: JsonObject): value is JsonObject & ReceiptRecord =>
  members(value) && schemaIsOfIssuer(value, 'receipt');
