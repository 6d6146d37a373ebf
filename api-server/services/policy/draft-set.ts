import { childPointer } from '../../../core/manifest/child-pointer.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { MAX_SET_UNITS, unitsOfSet } from '../../../core/policy/decision/cost-budget.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import { compileDocument } from '../../../core/policy/document/compile-document.ts';
import { CEL_ENGINE } from '../../../core/policy/language/cel-engine.ts';
import { readPolicy } from './policy-body.ts';

/** Which policies a simulation tries: drafts alone, those in force, or those in force with drafts in place of some. */
export const INCLUDES = ['draft', 'current', 'current+draft'] as const;
export type Include = (typeof INCLUDES)[number];

export type Drafted =
  | { readonly ok: true; readonly set: PolicySet }
  /** Errors, with pointers into the body. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

interface Draft {
  readonly policy: PolicyInForce | undefined;
  readonly findings: readonly Finding[];
}

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

/** A draft counts as enforced whatever its mode says: the question is what it would do. */
function draftOf(value: JsonValue, tenant: string, now: number): Draft {
  const read = readPolicy(value);
  if (!read.ok) return { policy: undefined, findings: read.findings };
  const { metadata, spec } = read.value;
  if (metadata.namespace !== undefined && metadata.namespace !== tenant) {
    const detail = `the run is one of namespace ${tenant}: write that, or leave it out`;
    return { policy: undefined, findings: [error('namespace-mismatch', '/metadata/namespace', detail)] };
  }
  const document = compileDocument({ namespace: tenant, name: metadata.name, spec }, now, CEL_ENGINE);
  if (!document.ok) return { policy: undefined, findings: document.findings };
  const { definition, compiled } = document;
  return { policy: { definition, compiled, mode: 'Enforce' }, findings: [] };
}

const errorsOf = ({ findings }: Draft, index: number): readonly Finding[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({ ...finding, pointer: `${childPointer('/policies', index)}${finding.pointer}` }));

const idOf = ({ definition: { namespace, name } }: PolicyInForce): string => `${namespace}/${name}`;

function overBudget({ members }: PolicySet): readonly Finding[] {
  const units = Object.values(unitsOfSet(members.map(({ compiled }) => compiled)));
  return units.every((used) => used <= MAX_SET_UNITS)
    ? []
    : [error('too-expensive', '/policies', `the policies together cost more than ${MAX_SET_UNITS} units in a phase`)];
}

function joined(current: PolicySet, drafts: readonly PolicyInForce[], include: Include): PolicySet {
  const replaced = new Set(drafts.map(idOf));
  const isKept = (id: string): boolean => include !== 'draft' && !replaced.has(id);
  return policySet(
    [...current.members.filter(({ id }) => isKept(id)), ...drafts],
    current.missing.filter(({ id }) => isKept(id)),
  );
}

/**
 * The policies that a simulation tries.
 * @param now ms since the epoch
 */
export function draftSet(
  current: PolicySet,
  given: readonly JsonValue[],
  include: Include,
  { tenant, now }: { readonly tenant: string; readonly now: number },
): Drafted {
  if (include === 'current') return { ok: true, set: current };
  const drafts = given.map((value) => draftOf(value, tenant, now));
  const findings = drafts.flatMap(errorsOf);
  if (findings.length > 0) return { ok: false, findings };
  const set = joined(
    current,
    drafts.flatMap(({ policy }) => policy ?? []),
    include,
  );
  const over = overBudget(set);
  return over.length > 0 ? { ok: false, findings: over } : { ok: true, set };
}
