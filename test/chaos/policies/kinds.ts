import type { OrbPolicySpec, PolicyRule } from '../../../crds/orbpolicy.ts';

/** What happens to a run, by the beginning of its text: nothing, or a denial in one of the phases. */
export const KINDS = ['allowed', 'before', 'request', 'response'] as const;
export type Kind = (typeof KINDS)[number];

/** The phase in which the runs of a kind are denied. */
export const DENIED_IN: Readonly<Record<Kind, 'PreFlight' | 'Request' | 'Response' | undefined>> = {
  allowed: undefined,
  before: 'PreFlight',
  request: 'Request',
  response: 'Response',
};

export const kindOf = (text: string): Kind | undefined => KINDS.find((kind) => text.startsWith(`${kind}-`));

const deny = (when: string): PolicyRule => ({ name: 'rule', effect: 'deny', when, message: 'denied by the test' });

function specOf(kind: Kind, condition: string): OrbPolicySpec {
  const phase = DENIED_IN[kind] ?? 'PreFlight';
  return { mode: 'Enforce', inputFacts: { text: 'string' }, match: { phases: [phase] }, rules: [deny(condition)] };
}

/**
 * Files with a policy for each phase.
 * @param isBroken true: the next versions, which don't compile, so that those before stay in force
 */
export const policyFiles = (isBroken: boolean): Readonly<Record<string, string>> =>
  Object.fromEntries(
    KINDS.filter((kind) => kind !== 'allowed').map((kind) => {
      const condition = isBroken ? 'inputs.tex == ""' : `inputs.text.startsWith("${kind}-")`;
      const policy = { kind: 'OrbPolicy', metadata: { name: kind }, spec: specOf(kind, condition) };
      return [`${kind}.json`, JSON.stringify({ apiVersion: 'orbs.dev/v1alpha1', ...policy })];
    }),
  );
