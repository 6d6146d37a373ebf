import type { JsonObject } from '../json/json-value.ts';
import { RUN_OUTCOMES } from '../receipt/record.ts';
import { RUN_STATUSES } from '../run/run-status.ts';

/** A suite file holds at most so many bytes (trust.md §8.3). */
export const MAX_SUITE_BYTES = 256 * 1024;
/** All suites of an Orb hold at most so many cases (trust.md §8.3). */
export const MAX_CASES = 200;
/** All suites of an Orb; an OrbPublication has the same bound. */
export const MAX_SUITES = 64;

// The longest `timeout_ms` of a manifest (design.md §2). A delay may be longer, so that it exceeds every deadline.
const MAX_TIMEOUT_MS = 120_000;
const MAX_DELAY_MS = 600_000;
const MAX_NAMES = 256;

const named = (values: JsonObject): JsonObject => ({
  type: 'object',
  maxProperties: MAX_NAMES,
  additionalProperties: values,
});
const text = (maxLength: number): JsonObject => ({ type: 'string', minLength: 1, maxLength });
const ms = (maximum: number): JsonObject => ({ type: 'integer', minimum: 0, maximum });
const closed = (required: readonly string[], properties: JsonObject): JsonObject => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});

const ID = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
  description: 'Lower-case letters, digits and hyphens, at most 63; it begins with a letter or a digit.',
};
const SECRETS = { ...named({ type: 'string', maxLength: 8192 }), propertyNames: text(253) };
const MODE = { enum: ['mock', 'live'] };
const TIMEOUT = { ...ms(MAX_TIMEOUT_MS), minimum: 1 };

const ASSERTION = {
  ...closed([], { equals: {}, schema: { type: 'object' }, absent: { const: true } }),
  minProperties: 1,
  maxProperties: 1,
};

const REQUEST = closed([], {
  method: text(16),
  url: text(8192),
  headers: named({ $ref: '#/$defs/assertion' }),
  body: {},
});

const EXPECT = closed(['status'], {
  status: { enum: RUN_STATUSES },
  outcome: { enum: RUN_OUTCOMES },
  outputs: named({ $ref: '#/$defs/assertion' }),
  request: REQUEST,
  attempts: { type: 'integer', minimum: 0, maximum: 16 },
  active_provider: text(63),
  max_execution_ms: ms(MAX_TIMEOUT_MS),
});

const RESPONSE = closed(['provider'], {
  provider: text(63),
  status: { type: 'integer', minimum: 200, maximum: 599 },
  error: { enum: ['timeout', 'connect', 'tls'] },
  headers: named({ type: 'string', maxLength: 8192 }),
  body: {},
  delay_ms: ms(MAX_DELAY_MS),
});

const CASE = closed(['id', 'inputs', 'expect'], {
  id: ID,
  required: { type: 'boolean' },
  mode: MODE,
  timeout_ms: TIMEOUT,
  secrets: SECRETS,
  inputs: { type: 'object', maxProperties: MAX_NAMES },
  responses: { type: 'array', minItems: 1, maxItems: 64, items: RESPONSE },
  expect: EXPECT,
});

/** JSON Schema of a suite file (trust.md §8.3). */
export const SUITE_SCHEMA: JsonObject = {
  ...closed(['format', 'name', 'orb', 'cases'], {
    format: { const: 'orbtest/1' },
    name: ID,
    orb: text(253),
    defaults: closed([], { mode: MODE, timeout_ms: TIMEOUT, secrets: SECRETS }),
    cases: { type: 'array', minItems: 1, maxItems: MAX_CASES, items: CASE },
  }),
  $defs: { assertion: ASSERTION },
};
