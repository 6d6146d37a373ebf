import type { Drafts, ValidateWork } from '../../../adapters/draft-worker/port.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { objectAt } from '../../../core/json/members.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import { unitsOfSet } from '../../../core/policy/decision/cost-budget.ts';
import type { PolicySet } from '../../../core/policy/decision/policy-set.ts';
import type { WantedPolicy } from '../../../core/policy/document/plan-write.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import { problem } from '../../http/problem.ts';
import { refuse, type RouteRequest, type Step } from '../../http/route.ts';
import type { PolicyPlace } from '../../policy/port.ts';
import { draftStep } from './draft-answer.ts';
import { problemErrors, readPolicy, scopeFindings } from './policy-body.ts';

type Units = ValidateWork['othersUnits'];

/** What a policy is checked against before it is written. */
export interface DocumentChecks {
  /** The policies that meet the runs of a namespace. */
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
  readonly platformNamespace: string;
  readonly drafts: Pick<Drafts, 'validate'>;
  /** ms since the epoch */
  readonly now: number;
}

/** The document with namespace and name of its place, where it names none. */
export function placed(value: JsonValue, { namespace, name }: PolicyPlace): JsonValue {
  if (!isJsonObject(value)) return value;
  const metadata = value['metadata'] ?? {};
  return isJsonObject(metadata) ? { ...value, metadata: { namespace, name, ...metadata } } : value;
}

function placeFindings(metadata: JsonObject, place: PolicyPlace): readonly Finding[] {
  return (['namespace', 'name'] as const).flatMap((member): readonly Finding[] => {
    const wanted = place[member];
    if (metadata[member] === undefined || metadata[member] === wanted) return [];
    const detail = `the path says ${wanted}: write that, or leave it out`;
    return [{ severity: 'error', code: 'place-mismatch', pointer: `/metadata/${member}`, detail }];
  });
}

/** Units of the other policies that can meet the runs of a policy. */
export function unitsBeside({ namespace, name }: PolicyPlace, policies: DocumentChecks['policies']): Units {
  const id = `${namespace}/${name}`;
  const others = (policies.of(namespace)?.members ?? []).filter((member) => member.id !== id);
  return unitsOfSet(others.map(({ compiled }) => compiled));
}

/** Refuses a policy with errors that keep it from taking force. */
export async function checkSpec(
  request: RouteRequest,
  place: PolicyPlace,
  spec: OrbPolicySpec,
  { policies, drafts, now }: DocumentChecks,
): Promise<Step<undefined>> {
  const work = { policy: { ...place, spec }, othersUnits: unitsBeside(place, policies), now };
  const checked = draftStep(request, await drafts.validate(work, place.namespace), '/spec');
  if (!checked.ok) return checked;
  const errors = problemErrors(checked.value.findings);
  return errors.length === 0 ? { ok: true, value: undefined } : refuse(problem(request, 'policy-invalid', { errors }));
}

const namesIn = (
  metadata: JsonObject,
  member: 'labels' | 'annotations',
): Readonly<Record<string, string>> | undefined =>
  metadata[member] === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(objectAt(metadata, member)).flatMap(([name, value]) =>
          typeof value === 'string' ? [[name, value]] : [],
        ),
      );

/** Checks a policy that is to be written: schema, place, language, tests and budget. */
export async function checkPolicy(
  request: RouteRequest,
  value: JsonValue,
  place: PolicyPlace,
  checks: DocumentChecks,
): Promise<Step<WantedPolicy>> {
  const read = readPolicy(placed(value, place));
  if (!read.ok) return refuse(problem(request, 'policy-invalid', { errors: problemErrors(read.findings) }));
  const metadata = objectAt(value, 'metadata');
  const findings = [
    ...placeFindings(metadata, place),
    ...scopeFindings(read.value, place.namespace, checks.platformNamespace),
  ];
  if (findings.length > 0) return refuse(problem(request, 'policy-invalid', { errors: problemErrors(findings) }));
  const checked = await checkSpec(request, place, read.value.spec, checks);
  if (!checked.ok) return checked;
  const wanted = {
    spec: objectAt(value, 'spec'),
    labels: namesIn(metadata, 'labels'),
    annotations: namesIn(metadata, 'annotations'),
  };
  return { ok: true, value: wanted };
}
