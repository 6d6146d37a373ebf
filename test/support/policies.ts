import type { OrbPolicySpec, PolicyRule } from '../../crds/orbpolicy.ts';
import { decide, NO_ORBISET_POLICIES, type DecideOptions } from '../../core/policy/decision/decide.ts';
import type { Decision } from '../../core/policy/decision/decision.ts';
import {
  policySet,
  type EffectiveMode,
  type MissingPolicy,
  type PolicyInForce,
} from '../../core/policy/decision/policy-set.ts';
import { compileDocument } from '../../core/policy/document/compile-document.ts';
import {
  callerFacts,
  laterFacts,
  orbFacts,
  orbisetFacts,
  requestFacts,
  type CallerFactsInput,
  type OrbisetFactsInput,
} from '../../core/policy/facts/build-facts.ts';
import { preFlightFacts, type PreFlightFacts, type PreFlightInput } from '../../core/policy/facts/pre-flight-facts.ts';
import type { Phase } from '../../core/policy/facts/fact-schema.ts';
import { CEL_ENGINE } from '../../core/policy/language/cel-engine.ts';
import type { Facts } from '../../core/policy/language/port.ts';

export const STARTED_AT = Date.parse('2026-11-20T10:00:00Z');

/** A policy as a document, in the namespace in which it is applied. */
export const policyObject = (name: string, spec: OrbPolicySpec): object => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbPolicy',
  metadata: { name },
  spec,
});

/** A policy that compiles, Enforce unless said otherwise. @throws TypeError it doesn't compile */
export function aPolicy(spec: OrbPolicySpec, name = 'policy', mode: EffectiveMode = 'Enforce'): PolicyInForce {
  const document = compileDocument({ namespace: 'acme', name, spec }, STARTED_AT, CEL_ENGINE);
  if (!document.ok) throw new TypeError(JSON.stringify(document.findings));
  return { definition: document.definition, compiled: document.compiled, mode };
}

export const aRule = (effect: PolicyRule['effect'], when: string, rule: Partial<PolicyRule> = {}): PolicyRule => ({
  name: 'rule',
  effect,
  when,
  ...(effect === 'require' ? { obligations: [{ type: 'noStore' }] } : {}),
  ...rule,
});

const ORB = orbFacts(
  {
    orbId: 'acme.mailer@1.2.0',
    manifestDigest: `sha256:${'a'.repeat(64)}`,
    labels: { tier: 'prod' },
    irreversible: true,
    hosts: ['mail.example'],
    providers: ['mail'],
    published: { tier: 'silver', score: 70, confidence: 'high', publisherVerified: true, at: STARTED_AT - 86_400_000 },
  },
  STARTED_AT,
);

/** A run before a secret is read, with what outlives it beside what does not. */
export interface SomeRun extends Omit<PreFlightInput, 'caller' | 'orbiset' | 'runsToday'> {
  readonly caller: Omit<CallerFactsInput, 'tenant'> & { readonly runsToday: number | undefined };
  readonly orbiset: OrbisetFactsInput & {
    readonly runsToday: number | undefined;
    readonly orbRunsToday: number | undefined;
  };
}

/** Facts of phase PreFlight, with their text. */
export function factsOfRun({ caller, orbiset, ...run }: SomeRun): PreFlightFacts {
  const counts = [caller.runsToday, orbiset.runsToday, orbiset.orbRunsToday] as const;
  const [ofCaller, ofOrbiset, ofOrb] = counts;
  const isKnown = ofCaller !== undefined && ofOrbiset !== undefined && ofOrb !== undefined;
  return preFlightFacts({
    ...run,
    caller: callerFacts({ ...caller, tenant: orbiset.namespace }),
    orbiset: orbisetFacts(orbiset),
    runsToday: isKnown ? { caller: ofCaller, orbiset: ofOrbiset, orb: ofOrb } : undefined,
  });
}

/** Facts of phase PreFlight. */
export const someFacts = (parts: Partial<SomeRun> = {}): Facts =>
  factsOfRun({
    orb: ORB,
    caller: { kind: 'api_key', id: 'key:k1', scopes: ['runs:execute'], groups: [], runsToday: 3 },
    orbiset: { namespace: 'acme', name: 'prod', labels: {}, runsToday: 30, orbRunsToday: 20 },
    startedAt: STARTED_AT,
    hasIdempotencyKey: true,
    inputs: { user: { name: 'Ada' }, amount: 12 },
    inputBytes: 40,
    inputNames: [],
    ...parts,
  }).facts;

/** Facts of phase Request. */
export const someRequestFacts = (host = 'mail.example'): Facts =>
  laterFacts(
    someFacts(),
    requestFacts({
      provider: 'mail',
      method: 'POST',
      host,
      port: 443,
      path: '/v1/send',
      queryNames: [],
      headerNames: ['authorization'],
      secretRefs: ['MAIL_KEY'],
      bodyBytes: 120,
    }),
  );

interface Asked {
  readonly facts?: Facts;
  readonly phase?: Phase;
  readonly missing?: readonly MissingPolicy[];
  readonly options?: Partial<DecideOptions>;
}

/** Decides with these policies alone. */
export function decideWith(
  policies: readonly PolicyInForce[],
  { facts = someFacts(), phase = 'PreFlight', missing = [], options = {} }: Asked = {},
): Decision {
  const defaults = { orbiset: NO_ORBISET_POLICIES, namespace: 'acme', kept: undefined };
  return decide(policySet(policies, missing), facts, phase, { ...defaults, ...options });
}
