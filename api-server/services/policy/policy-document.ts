import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import { objectAt } from '../../../core/json/members.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import type { WantedPolicy } from '../../../core/policy/document/plan-write.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import type { PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { validatePolicy } from '../../../core/policy/simulation/validate-policy.ts';
import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { PolicyPlace } from '../../policy/port.ts';
import { readPolicy, scopeFindings } from './policy-body.ts';

/** What a policy is checked against before it is written. */
export interface DocumentChecks {
  /** The policies that meet the runs of a namespace. */
  readonly policies: { readonly of: (namespace: string) => PolicySet | undefined };
  readonly platformNamespace: string;
  /** ms since the epoch */
  readonly now: number;
}

export type CheckedPolicy =
  | { readonly ok: true; readonly wanted: WantedPolicy }
  /** Errors, with pointers into the policy. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

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

/** Errors of a policy that keep it from taking force; empty: it would. */
export function errorsOf(
  { namespace, name }: PolicyPlace,
  spec: OrbPolicySpec,
  { policies, now }: DocumentChecks,
): readonly Finding[] {
  const id = `${namespace}/${name}`;
  const others = (policies.of(namespace)?.members ?? []).filter((member) => member.id !== id);
  const { findings } = validatePolicy(
    { namespace, name, spec },
    others.map(({ compiled }) => compiled),
    now,
    CEL_ENGINE,
  );
  return findings.filter(({ severity }) => severity === 'error');
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
export function checkPolicy(value: JsonValue, place: PolicyPlace, checks: DocumentChecks): CheckedPolicy {
  const read = readPolicy(placed(value, place));
  if (!read.ok) return { ok: false, findings: read.findings };
  const metadata = objectAt(value, 'metadata');
  const findings = [
    ...placeFindings(metadata, place),
    ...scopeFindings(read.value, place.namespace, checks.platformNamespace),
    ...errorsOf(place, read.value.spec, checks),
  ];
  if (findings.length > 0) return { ok: false, findings };
  const wanted = {
    spec: objectAt(value, 'spec'),
    labels: namesIn(metadata, 'labels'),
    annotations: namesIn(metadata, 'annotations'),
  };
  return { ok: true, wanted };
}
