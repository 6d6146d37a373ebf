import { hash } from 'node:crypto';
import type { PolicyMatch } from '../../../crds/orbpolicy.ts';
import type { Digest } from '../../json/digest.ts';
import { jcs } from '../../json/jcs.ts';
import { digestOfText } from '../../manifest/digest.ts';
import { policyName, type PolicyDefinition } from '../document/definition.ts';
import { exceptionFinder, type ExceptionFinder } from '../document/exceptions.ts';
import { runMatcher } from '../document/match.ts';
import type { CompiledPolicy, Facts } from '../language/port.ts';

/** What holds of a policy: the mode that was asked for, or Audit while a gate is not met (policy.md §2). */
export type EffectiveMode = 'Enforce' | 'Audit';

/** A version of a policy that is in force. */
export interface PolicyInForce {
  readonly definition: PolicyDefinition;
  readonly compiled: CompiledPolicy;
  readonly mode: EffectiveMode;
}

/** A policy of which no generation is in force. */
export interface MissingPolicy {
  readonly namespace: string;
  readonly name: string;
  readonly mode: EffectiveMode;
  /** True as well: a version was in force, and this program can't compile it. */
  readonly requireReady: boolean;
  /** Undefined when it can't be read: then it means every run. */
  readonly match: PolicyMatch | undefined;
}

/** A policy as decisions use it. */
export interface SetMember extends PolicyInForce {
  /** `namespace/name`. */
  readonly id: string;
  readonly isMatch: (facts: Facts) => boolean;
  readonly exceptionFor: ExceptionFinder;
  /** Positions of rules whose results may be kept, and of the others. */
  readonly stable: readonly number[];
  readonly unstable: readonly number[];
}

export interface MissingMember extends MissingPolicy {
  readonly id: string;
  readonly isMatch: (facts: Facts) => boolean;
}

/** The policies of one tenant: those of its namespace and the Platform ones. Made again when one of them changes. */
export interface PolicySet {
  readonly digest: Digest;
  /** By `namespace/name`. */
  readonly members: readonly SetMember[];
  readonly missing: readonly MissingMember[];
  /** Inputs whose values become facts, for any of its policies. */
  readonly inputNames: readonly string[];
}

const byText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
const byId = (one: { readonly id: string }, other: { readonly id: string }): number => byText(one.id, other.id);

function memberOf(policy: PolicyInForce): SetMember {
  const { definition, compiled } = policy;
  const { match, exceptions } = definition.spec;
  const positions = compiled.rules.map((rule, index) => ({ index, isStable: rule.isStable }));
  return {
    ...policy,
    id: policyName(definition),
    isMatch: runMatcher(match),
    exceptionFor: exceptionFinder(exceptions),
    stable: positions.flatMap(({ index, isStable }) => (isStable ? [index] : [])),
    unstable: positions.flatMap(({ index, isStable }) => (isStable ? [] : [index])),
  };
}

/**
 * A set of policies, with the digest that decisions and receipts name (policy.md §3.4): SHA-256 of the JCS array of
 * `{namespace, name, digest, effectiveMode}`, sorted. A policy without a version in force has the digest `""`.
 * @param policies every policy of the tenant that is in force, Enforce or Audit; disabled ones are left out
 */
export function policySet(policies: readonly PolicyInForce[], missing: readonly MissingPolicy[]): PolicySet {
  const members = policies.map(memberOf).toSorted(byId);
  const absent = missing
    .map((policy) => ({ ...policy, id: policyName(policy), isMatch: runMatcher(policy.match ?? {}) }))
    .toSorted(byId);
  const listed = [
    ...members.map(({ id, definition: { namespace, name, digest }, mode }) => ({ id, namespace, name, digest, mode })),
    ...absent.map(({ id, namespace, name, mode }) => ({ id, namespace, name, digest: '', mode })),
  ].toSorted(byId);
  const digest = digestOfText(
    jcs(
      listed.map(({ namespace, name, digest: version, mode }) => ({
        namespace,
        name,
        digest: version,
        effectiveMode: mode,
      })),
    ),
  );
  const inputNames = new Set(members.flatMap(({ definition }) => Object.keys(definition.spec.inputFacts)));
  return { digest, members, missing: absent, inputNames: [...inputNames].toSorted() };
}

/**
 * Whether a policy is enforced for a caller and an Orb (policy.md §2): a share of the pairs, the same over all its
 * generations. Example: at 10 percent a given caller is in for about every tenth Orb, always the same ones.
 */
export function isInRollout(id: string, percent: number, callerId: string, orbId: string): boolean {
  if (percent >= 100) return true;
  const bucket = hash('sha256', `${id}:${callerId}:${orbId}`, 'buffer').readUInt32BE(0) % 10_000;
  return bucket < percent * 100;
}
