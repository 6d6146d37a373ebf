import type { OrbPolicySpec } from '../../../crds/orbpolicy.ts';
import type { Digest } from '../../json/digest.ts';
import { jcs } from '../../json/jcs.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json-value.ts';
import { digestOfText } from '../../manifest/digest.ts';
import type { Phase } from '../facts/fact-schema.ts';

type Filled = Required<Omit<OrbPolicySpec, 'promotion'>>;

/** A policy with every default of policy.md §2 filled in. */
export interface PolicyDefinition {
  readonly namespace: string;
  readonly name: string;
  readonly spec: Filled & Pick<OrbPolicySpec, 'promotion'>;
  readonly phases: readonly Phase[];
  /** Percent of the pairs of caller and Orb that are enforced. */
  readonly rolloutPercent: number;
  /** What was replayed and is in force: everything but mode, priority, tests and promotion. */
  readonly digest: Digest;
}

const DEFAULTS: Filled = {
  engine: 'cel',
  scope: 'Namespace',
  mode: 'Audit',
  failurePolicy: 'Fail',
  defaultEffect: 'allow',
  requireReady: false,
  priority: 100,
  match: {},
  inputFacts: {},
  variables: [],
  rules: [],
  rollout: {},
  exceptions: [],
  tests: [],
};

/** The value as JSON: absent members, which types allow, are left out. */
function jsonOf(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(jsonOf);
  if (isJsonObject(value)) return membersOf(value);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
const membersOf = (value: object): JsonObject =>
  Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, jsonOf(member)]),
  );

function digestOf(spec: PolicyDefinition['spec']): Digest {
  const { engine, scope, match, inputFacts, variables, rules } = spec;
  const { failurePolicy, defaultEffect, requireReady, rollout, exceptions } = spec;
  const means = { engine, scope, match, inputFacts, variables, rules };
  return digestOfText(jcs(membersOf({ ...means, failurePolicy, defaultEffect, requireReady, rollout, exceptions })));
}

/** Fills in the defaults. A default that is written out gives the same digest. */
export function definePolicy(namespace: string, name: string, written: OrbPolicySpec): PolicyDefinition {
  const spec = { ...DEFAULTS, ...written };
  return {
    namespace,
    name,
    spec,
    phases: spec.match.phases === undefined || spec.match.phases.length === 0 ? ['PreFlight'] : spec.match.phases,
    rolloutPercent: spec.rollout.percent ?? 100,
    digest: digestOf(spec),
  };
}

/** `namespace/name`, as records and receipts name a policy. */
export const policyName = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
