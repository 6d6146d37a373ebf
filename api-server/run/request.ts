import type { Finding } from '../../core/manifest/finding.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { parseOrbId, type OrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { problem } from '../http/problem.ts';
import type { Reply, RouteRequest } from '../http/route.ts';

/** Body of `POST /orbisets/{id}/execute` (spec §2.2); the inputs are not yet checked against the manifest. */
export interface ExecuteBody {
  readonly orbId: OrbId;
  readonly inputs: JsonValue;
}

export type ParsedBody =
  | { readonly ok: true; readonly body: ExecuteBody }
  | { readonly ok: false; readonly reply: Reply };

type FieldError = Pick<Finding, 'pointer' | 'code' | 'detail'>;

const MEMBERS = new Set(['orb_id', 'inputs']);

const escapeToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function orbIdErrors(value: JsonObject): readonly FieldError[] {
  const { orb_id: text } = value;
  if (text === undefined) {
    return [
      { pointer: '/orb_id', code: 'missing-member', detail: 'Say which Orb to execute: "orb_id": "org.name@1.0.0".' },
    ];
  }
  const parsed = typeof text === 'string' ? parseOrbId(text) : undefined;
  return parsed?.ok === true
    ? []
    : [{ pointer: '/orb_id', code: 'orb-id-malformed', detail: 'An Orb id has the form {org}.{name}@{semver}.' }];
}

function shapeErrors(value: JsonObject): readonly FieldError[] {
  const unknown = Object.keys(value).filter((name) => !MEMBERS.has(name));
  const errors = unknown.slice(0, 20).map((name) => ({
    pointer: `/${escapeToken(name)}`,
    code: 'unknown-member',
    detail: 'Only orb_id and inputs are allowed here; put inputs of the Orb into inputs.',
  }));
  return [...orbIdErrors(value), ...errors];
}

/** 422 with one entry per fault. */
export const invalidInputs = (request: RouteRequest, errors: readonly FieldError[]): ParsedBody & { ok: false } => ({
  ok: false,
  reply: problem(request, 'invalid-inputs', {
    errors: errors.map(({ pointer, code, detail }) => ({ pointer, code, detail })),
  }),
});

/** Parses the request body strictly. Every fault is reported with its pointer. */
export function parseExecute(request: RouteRequest): ParsedBody {
  const json = readJson(request.body);
  if (!json.ok) {
    const errors = json.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
    return { ok: false, reply: problem(request, 'invalid-json', { errors }) };
  }
  const { value } = json;
  if (!isJsonObject(value)) {
    return invalidInputs(request, [
      { pointer: '', code: 'not-an-object', detail: 'The body is a JSON object with orb_id and inputs.' },
    ]);
  }
  const errors = shapeErrors(value);
  const orbId = typeof value['orb_id'] === 'string' ? parseOrbId(value['orb_id']) : undefined;
  if (errors.length > 0 || orbId?.ok !== true) return invalidInputs(request, errors);
  return { ok: true, body: { orbId: orbId.value, inputs: value['inputs'] ?? {} } };
}
