import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EvaluatedDraft } from '../../../adapters/draft-worker/port.ts';
import { childPointer } from '../../../core/manifest/child-pointer.ts';
import type { Finding } from '../../../core/manifest/finding.ts';
import type { JsonValue } from '../../../core/json/json-value.ts';
import { MAX_SET_UNITS, unitsOfSet } from '../../../core/policy/decision/cost-budget.ts';
import { policySet, type PolicyInForce, type PolicySet } from '../../../core/policy/decision/policy-set.ts';
import type { WrittenPolicy } from '../../../core/policy/document/compile-document.ts';
import { definePolicy } from '../../../core/policy/document/definition.ts';
import { fixedPolicy, type FixedPolicy } from '../../../core/policy/simulation/fixed-policy.ts';
import { readPolicy } from './policy-body.ts';

/** Which policies a simulation tries: drafts alone, those in force, or those in force with drafts in place of some. */
export const INCLUDES = ['draft', 'current', 'current+draft'] as const;
export type Include = (typeof INCLUDES)[number];

/** Policies that a simulation was given, one from each document. */
export type ReadDrafts =
  | { readonly ok: true; readonly policies: readonly WrittenPolicy[] }
  /** Errors, with pointers into the body. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

export type Drafted =
  | { readonly ok: true; readonly set: PolicySet }
  /** Errors, with pointers into the body. */
  | { readonly ok: false; readonly findings: readonly Finding[] };

const error = (code: string, pointer: string, detail: string): Finding => ({
  severity: 'error',
  code,
  pointer,
  detail,
});

function draftOf(value: JsonValue, tenant: string): WrittenPolicy | readonly Finding[] {
  const read = readPolicy(value);
  if (!read.ok) return read.findings;
  const { metadata, spec } = read.value;
  if (metadata.namespace !== undefined && metadata.namespace !== tenant) {
    const detail = `the run is one of namespace ${tenant}: write that, or leave it out`;
    return [error('namespace-mismatch', '/metadata/namespace', detail)];
  }
  return { namespace: tenant, name: metadata.name, spec };
}

const isWritten = (draft: WrittenPolicy | readonly Finding[]): draft is WrittenPolicy => 'spec' in draft;

const errorsAt = (findings: readonly Finding[], index: number): readonly Finding[] =>
  findings
    .filter(({ severity }) => severity === 'error')
    .map((finding) => ({ ...finding, pointer: `${childPointer('/policies', index)}${finding.pointer}` }));

/** Reads the documents of drafts. Other work gets a turn between two of them. */
export async function readDrafts(given: readonly JsonValue[], tenant: string): Promise<ReadDrafts> {
  const policies: WrittenPolicy[] = [];
  const findings: Finding[] = [];
  for (const [index, value] of given.entries()) {
    const draft = draftOf(value, tenant);
    if (isWritten(draft)) policies.push(draft);
    else findings.push(...errorsAt(draft, index));
    await nextTurn();
  }
  return findings.length === 0 ? { ok: true, policies } : { ok: false, findings };
}

/** A draft counts as enforced whatever its mode says: the question is what it would do. */
const enforced = ({ namespace, name, spec }: WrittenPolicy, policy: FixedPolicy): PolicyInForce => ({
  definition: definePolicy(namespace, name, spec),
  compiled: fixedPolicy(policy),
  mode: 'Enforce',
});

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
 * @param drafts those that `include` asks for
 * @param evaluated what their thread found, in the same order
 */
export function draftSet(
  current: PolicySet,
  drafts: readonly WrittenPolicy[],
  evaluated: readonly EvaluatedDraft[],
  include: Include,
): Drafted {
  const findings = evaluated.flatMap((draft, index) => (draft.ok ? [] : errorsAt(draft.findings, index)));
  if (findings.length > 0) return { ok: false, findings };
  const policies = drafts.flatMap((written, index) => {
    const draft = evaluated[index];
    return draft?.ok === true ? [enforced(written, draft.policy)] : [];
  });
  const set = include === 'current' ? current : joined(current, policies, include);
  const over = include === 'current' ? [] : overBudget(set);
  return over.length > 0 ? { ok: false, findings: over } : { ok: true, set };
}
