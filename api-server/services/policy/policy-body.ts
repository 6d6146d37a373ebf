import { checkSchema } from '../../../core/manifest/check-schema.ts';
import { checkValues } from '../../../core/manifest/check-values.ts';
import type { Checked, Finding } from '../../../core/manifest/finding.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { member } from '../../../core/json/members.ts';
import { readJson } from '../../../core/manifest/read-json.ts';
import type { OrbPolicy } from '../../../crds/orbpolicy.ts';
import { problem } from '../../http/problem.ts';
import type { ProblemError } from '../../http/problem-options.ts';
import { readMembers, type Member } from '../../http/read-members.ts';
import { refuse, type Refused, type RouteRequest, type Step } from '../../http/route.ts';
import { tenantOf, type TenantChoice } from '../../http/tenant.ts';

/** Largest body of a route of policies, bytes (policy.md §5). */
const MAX_BODY = 262_144;

/** Errors that an answer names. */
const MAX_ERRORS = 20;

const API_VERSION = 'orbs.dev/v1alpha1';

const tooLarge = (request: RouteRequest): Refused =>
  refuse(problem(request, 'body-too-large', { detail: `The limit is ${MAX_BODY} bytes.` }));

const isTooLarge = ({ body }: Pick<RouteRequest, 'body'>): boolean => body.length > MAX_BODY;

/** The value, unless a text in it holds half of a character: such a text has no digest. */
function wholeTexts<T extends JsonValue>(request: RouteRequest, value: T): Step<T> {
  const errors = checkValues(value).filter(({ code }) => code === 'invalid-unicode');
  return errors.length === 0
    ? { ok: true, value }
    : refuse(problem(request, 'invalid-json', { errors: problemErrors(errors.slice(0, MAX_ERRORS)) }));
}

/** Reads the members of a body of bounded size. */
export function readBody(request: RouteRequest, members: readonly Member[]): Step<JsonObject> {
  if (isTooLarge(request)) return tooLarge(request);
  const read = readMembers(request, members);
  return read.ok ? wholeTexts(request, read.value) : read;
}

/** A body that is one JSON value of bounded size. */
export function readJsonBody(request: RouteRequest): Step<JsonValue> {
  if (isTooLarge(request)) return tooLarge(request);
  const parsed = readJson(request.body);
  if (parsed.ok) return wholeTexts(request, parsed.value);
  const errors = parsed.findings.map(({ pointer, code, detail }) => ({ pointer, code, detail }));
  return refuse(problem(request, 'invalid-json', { errors }));
}

/** Checks a policy by its schema. `apiVersion` and `kind` may be left out: the route says what it is. */
export function readPolicy(value: JsonValue): Checked<OrbPolicy> {
  if (!isJsonObject(value)) {
    const detail = 'Write an object with metadata and spec.';
    return { ok: false, findings: [{ code: 'schema-type', pointer: '', detail, severity: 'error' }] };
  }
  return checkSchema('orbpolicy', { apiVersion: API_VERSION, kind: 'OrbPolicy', ...value });
}

/**
 * The tenant of a policy in a body: `?namespace=`, else the policy's own namespace, else the only one of the caller. The
 * first two must not differ.
 */
export function tenantOfPolicy(request: RouteRequest, policy: JsonValue): TenantChoice {
  if (request.caller === undefined) return { kind: 'unknown' };
  const asked = request.query.get('namespace');
  const written = member(member(policy, 'metadata'), 'namespace');
  if (typeof written !== 'string') return tenantOf(request.caller, asked);
  return asked !== null && asked !== written ? { kind: 'unknown' } : tenantOf(request.caller, written);
}

/** Scope `Platform` is for the namespace of the platform alone: its policies meet the runs of every tenant. */
export function scopeFindings({ spec }: OrbPolicy, tenant: string, platformNamespace: string): readonly Finding[] {
  if (spec.scope !== 'Platform' || tenant === platformNamespace) return [];
  const detail = `only a policy of namespace ${platformNamespace} can have scope Platform: write Namespace, or leave it out`;
  return [{ code: 'scope-not-allowed', pointer: '/spec/scope', detail, severity: 'error' }];
}

/** Errors among the findings, as a problem shows them. */
export const problemErrors = (findings: readonly Finding[]): readonly ProblemError[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map(({ pointer, code, detail, suggestion }) => ({
      pointer,
      code,
      detail,
      ...(suggestion === undefined ? {} : { suggestion }),
    }));
