import type { IdempotencyClaim } from '../../adapters/ledger/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { nearestOrbId } from '../../core/orb/nearest-orb-id.ts';
import type { CompiledOrbiset } from '../../core/orb/orbiset.ts';
import { problem } from '../http/problem.ts';
import { QueryReader } from '../http/query.ts';
import { refuse, type Refused, type RouteRequest, type Step } from '../http/route.ts';
import { orbisetRef } from '../http/tenant.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { idsInOrbiset } from '../orbs/visible-orbs.ts';
import { claimOf, malformedKey } from './idempotency.ts';

/** A request with all data that is known before its Orb is looked up. */
export interface ParsedRequest {
  readonly orbiset: CompiledOrbiset;
  readonly orbId: OrbId;
  /** Not yet checked against the manifest. */
  readonly inputs: JsonValue;
  readonly claim: IdempotencyClaim | undefined;
  readonly dryRun: boolean;
  readonly debug: boolean;
}

type Options = Pick<ParsedRequest, 'dryRun' | 'debug'>;
type Body = Pick<ParsedRequest, 'orbId' | 'inputs'>;
type FieldError = Pick<Finding, 'pointer' | 'code' | 'detail' | 'suggestion'>;

const NO_OPTIONS: Step<Options> = { ok: true, value: { dryRun: false, debug: false } };

/** A misspelt `dry_run` must not send a mail: unknown parameters and other values are refused. */
function optionsOf(request: RouteRequest): Step<Options> {
  if (request.query.size === 0) return NO_OPTIONS;
  const query = new QueryReader(request.query, ['dry_run', 'debug']);
  const read = query.result({ dryRun: query.flag('dry_run'), debug: query.flag('debug') });
  return read.ok ? read : refuse(problem(request, 'invalid-parameter', { errors: read.errors }));
}

/** The Orbiset of the path, if the caller may see it. */
function findOrbiset(runtime: Runtime, request: RouteRequest): Step<CompiledOrbiset> {
  const ref = orbisetRef(request.params['id'] ?? '', request.caller);
  const orbiset = ref === undefined ? undefined : runtime.catalog.orbiset(ref.namespace, ref.name);
  return orbiset === undefined ? refuse(problem(request, 'orbiset-not-found')) : { ok: true, value: orbiset };
}

const MEMBERS = new Set(['orb_id', 'inputs']);

const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const ORB_ID_MISSING: FieldError = {
  pointer: '/orb_id',
  code: 'missing-member',
  detail: 'Say which Orb to execute: "orb_id": "org.name@1.0.0".',
};
const ORB_ID_MALFORMED: FieldError = {
  pointer: '/orb_id',
  code: 'orb-id-malformed',
  detail: 'An Orb id has the form {org}.{name}@{semver}.',
};

function unknownMembers(value: JsonObject): readonly FieldError[] {
  const unknown = Object.keys(value).filter((name) => !MEMBERS.has(name));
  return unknown.slice(0, 20).map((name) => ({
    pointer: `/${escapeToken(name)}`,
    code: 'unknown-member',
    detail: 'Only orb_id and inputs are allowed here; put inputs of the Orb into inputs.',
  }));
}

/** 422 with one entry per fault. */
export const invalidInputs = (request: RouteRequest, errors: readonly FieldError[]): Refused =>
  refuse(
    problem(request, 'invalid-inputs', {
      errors: errors.map(({ pointer, code, detail, suggestion }) => ({
        pointer,
        code,
        detail,
        ...(suggestion === undefined ? {} : { suggestion }),
      })),
    }),
  );

/** The fault of an id; `acme.mail` without a version was probably meant as the highest one. */
function idFault(text: JsonValue | undefined, known: () => ReadonlySet<OrbId>): FieldError {
  if (text === undefined) return ORB_ID_MISSING;
  const suggestion = typeof text === 'string' ? nearestOrbId(text, known()) : undefined;
  return suggestion === undefined ? ORB_ID_MALFORMED : { ...ORB_ID_MALFORMED, suggestion };
}

function jsonOf(request: RouteRequest): Step<JsonObject> {
  const json = readJson(request.body);
  if (!json.ok) {
    const errors = json.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    return refuse(problem(request, 'invalid-json', { errors }));
  }
  if (isJsonObject(json.value)) return { ok: true, value: json.value };
  const detail = 'The body is a JSON object with orb_id and inputs.';
  return invalidInputs(request, [{ pointer: '', code: 'not-an-object', detail }]);
}

/** The body of spec §2.2, read strictly: every fault is reported with its pointer. @param known ids that may be meant */
function bodyOf(request: RouteRequest, known: () => ReadonlySet<OrbId>): Step<Body> {
  const json = jsonOf(request);
  if (!json.ok) return json;
  const { orb_id: text, inputs } = json.value;
  const unknown = unknownMembers(json.value);
  const orbId = typeof text === 'string' ? parseOrbId(text) : undefined;
  if (orbId?.ok !== true) {
    return invalidInputs(request, [idFault(text, known), ...unknown]);
  }
  return unknown.length === 0
    ? { ok: true, value: { orbId: orbId.value, inputs: inputs ?? {} } }
    : invalidInputs(request, unknown);
}

/** Parses a request without looking at Orbs. The caller of this function hides faults from anonymous requests. */
export function parseRequest(runtime: Runtime, request: RouteRequest): Step<ParsedRequest> {
  const options = optionsOf(request);
  if (!options.ok) return options;
  const orbiset = findOrbiset(runtime, request);
  if (!orbiset.ok) return orbiset;
  const limit = orbiset.value.limits.requestBytes;
  if (limit !== undefined && request.body.length > limit) {
    const detail = `The Orbiset allows ${limit} bytes (spec.limits.request_bytes).`;
    return refuse(problem(request, 'body-too-large', { detail }));
  }
  const claim = claimOf(runtime, request, orbiset.value);
  if (claim.kind === 'malformed') return refuse(malformedKey(request));
  const body = bodyOf(request, () => idsInOrbiset(runtime, request, orbiset.value));
  if (!body.ok) return body;
  const { dryRun, debug } = options.value;
  const { orbId, inputs } = body.value;
  return {
    ok: true,
    value: {
      orbiset: orbiset.value,
      orbId,
      inputs,
      claim: claim.kind === 'claim' ? claim.claim : undefined,
      dryRun,
      debug,
    },
  };
}
