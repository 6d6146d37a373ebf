// generated from schemas/orbpolicy.schema.json by hack/generate.ts: do not edit

/**
 * A policy: conditions that deny, allow or bind runs, decided before a secret is read.
 */
export interface OrbPolicy {
  /**
   * Version of the resource.
   */
  readonly apiVersion: 'orbs.dev/v1alpha1';
  /**
   * Kind of the resource.
   */
  readonly kind: 'OrbPolicy';
  readonly metadata: ObjectMeta;
  readonly spec: OrbPolicySpec;
  /**
   * Written by the platform; not read from files.
   */
  readonly status?: unknown;
}
/**
 * Metadata of a resource, as Kubernetes has it; only name, namespace, labels and annotations matter here.
 */
export interface ObjectMeta {
  /**
   * Lower-case letters, digits and "-", without a dot; at most 63 characters.
   */
  readonly name: string;
  /**
   * The tenant; the default namespace when absent.
   */
  readonly namespace?: string;
  /**
   * Labels.
   */
  readonly labels?: {
    /**
     * Letters, digits, ".", "_" and "-", with a letter or digit at both ends, or nothing.
     */
    readonly [k: string]: string;
  };
  /**
   * Annotations.
   */
  readonly annotations?: {
    readonly [k: string]: string;
  };
  /**
   * Set by Kubernetes; not read.
   */
  readonly creationTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionTimestamp?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly deletionGracePeriodSeconds?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly finalizers?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generateName?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly generation?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly managedFields?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly ownerReferences?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly resourceVersion?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly selfLink?: unknown;
  /**
   * Set by Kubernetes; not read.
   */
  readonly uid?: unknown;
}
/**
 * What the policy decides, and for which runs.
 */
export interface OrbPolicySpec {
  /**
   * Language of the expressions; cel when absent.
   */
  readonly engine?: 'cel';
  /**
   * Namespace (default): runs in Orbisets of its namespace. Platform: runs of every tenant; only in the namespace of the platform.
   */
  readonly scope?: 'Namespace' | 'Platform';
  /**
   * Audit (default) only records what it would decide; Enforce decides; Disabled does nothing.
   */
  readonly mode?: 'Enforce' | 'Audit' | 'Disabled';
  /**
   * What a rule that fails means: Fail (default) denies the run, Ignore takes the rule as false.
   */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Decision about a run that the policy matches and that no rule allows or denies; allow when absent.
   */
  readonly defaultEffect?: 'allow' | 'deny';
  /**
   * True: while no generation of the policy is in force, runs that it matches are denied; false when absent.
   */
  readonly requireReady?: boolean;
  /**
   * Which denial is reported first, the highest; 100 when absent. It never changes a decision.
   */
  readonly priority?: number;
  readonly match?: PolicyMatch;
  /**
   * Inputs whose values become facts, inputs.NAME, and are stored with the run.
   */
  readonly inputFacts?: {
    /**
     * Type of the fact; an input of another type is absent.
     */
    readonly [k: string]: 'string' | 'int' | 'bool';
  };
  /**
   * Named expressions, evaluated once and in order: variables.NAME.
   *
   * @maxItems 16
   */
  readonly variables?: readonly PolicyVariable[];
  /**
   * Rules. A policy without any only has the facts of runs recorded.
   *
   * @maxItems 32
   */
  readonly rules?: readonly PolicyRule[];
  readonly rollout?: PolicyRollout;
  /**
   * Switch off deny rules of this policy until a day.
   *
   * @maxItems 64
   */
  readonly exceptions?: readonly PolicyException[];
  /**
   * Tests that every generation must pass before it comes into force.
   *
   * @maxItems 64
   */
  readonly tests?: readonly PolicyTest[];
  readonly promotion?: PolicyPromotion;
}
/**
 * Runs that the policy means: all given parts must match, and an empty part matches all.
 */
export interface PolicyMatch {
  readonly orbs?: MatchOrbs;
  readonly orbisets?: MatchOrbisets;
  readonly callers?: MatchCallers;
  /**
   * When the policy decides; PreFlight alone when absent.
   *
   * @maxItems 3
   *
   * Items: PreFlight: before a secret is read. Request: for each provider's request. Response: before outputs leave.
   */
  readonly phases?: readonly ('PreFlight' | 'Request' | 'Response')[];
}
/**
 * Which Orbs.
 */
export interface MatchOrbs {
  /**
   * orb_ids; "*" stands for any text.
   *
   * @maxItems 64
   *
   * Items: An orb_id, or with "*" for any text: acme.mailer@*.
   */
  readonly ids?: readonly string[];
  readonly selector?: LabelSelector;
}
/**
 * Labels that an Orb must have.
 */
export interface LabelSelector {
  /**
   * All of these labels.
   */
  readonly matchLabels?: {
    /**
     * Letters, digits, ".", "_" and "-", with a letter or digit at both ends, or nothing.
     */
    readonly [k: string]: string;
  };
}
/**
 * Which Orbisets.
 */
export interface MatchOrbisets {
  /**
   * Names of Orbisets; "*" stands for any text.
   *
   * @maxItems 64
   *
   * Items: A name, or with "*" for any text.
   */
  readonly names?: readonly string[];
}
/**
 * Which callers.
 */
export interface MatchCallers {
  /**
   * Kinds of callers.
   *
   * @maxItems 3
   *
   * Items: Kind of a caller.
   */
  readonly kinds?: readonly ('api_key' | 'service_account' | 'anonymous')[];
  /**
   * Callers; "*" stands for any text.
   *
   * @maxItems 64
   *
   * Items: key:KEYID, sa:NAMESPACE/NAME or anonymous, or with "*" for any text.
   */
  readonly ids?: readonly string[];
  /**
   * Callers that hold one of these scopes.
   *
   * @maxItems 32
   *
   * Items: A scope.
   */
  readonly scopes?: readonly string[];
}
/**
 * A named expression.
 */
export interface PolicyVariable {
  /**
   * A letter or "_", then up to 62 letters, digits or "_".
   */
  readonly name: string;
  /**
   * CEL; it sees the facts and the variables before it.
   */
  readonly expression: string;
}
/**
 * One rule.
 */
export interface PolicyRule {
  /**
   * Lower-case letters, digits and "-", at most 63 characters; unique in the policy.
   */
  readonly name: string;
  /**
   * What holds when the condition is true: the run is denied, allowed whatever defaultEffect says, or bound to obligations.
   */
  readonly effect: 'deny' | 'allow' | 'require';
  /**
   * Condition in CEL.
   */
  readonly when: string;
  /**
   * Text for the caller of a denied run.
   */
  readonly message?: string;
  /**
   * Text in CEL, at most 512 characters; when it fails, message is shown.
   */
  readonly messageExpression?: string;
  /**
   * Severity of the violation in the receipt; medium when absent.
   */
  readonly severity?: 'low' | 'medium' | 'high' | 'critical';
  /**
   * What the run is bound to, of rules that allow or require.
   *
   * @maxItems 16
   */
  readonly obligations?: readonly PolicyObligation[];
}
/**
 * One obligation. Each type has its own parameters.
 */
export interface PolicyObligation {
  /**
   * restrictHosts, maxResponseBytes, timeoutMs, redactResponse, noStore or requireApproval.
   */
  readonly type: string;
  /**
   * Of restrictHosts: the only hosts that the run may reach.
   *
   * @maxItems 64
   *
   * Items: A host name in lower case, or *.suffix, without scheme, port and path: api.example.com.
   */
  readonly hosts?: readonly string[];
  /**
   * Of maxResponseBytes: bytes. Of timeoutMs: milliseconds.
   */
  readonly value?: number;
  /**
   * Of redactResponse: outputs that become null.
   *
   * @maxItems 64
   *
   * Items: Name of an output.
   */
  readonly outputs?: readonly string[];
  /**
   * Of requireApproval: the scope that an approver needs.
   */
  readonly by?: string;
}
/**
 * For which share of callers and Orbs the policy is enforced; for the rest it is audited.
 */
export interface PolicyRollout {
  /**
   * Percent of the pairs of caller and Orb; 100 when absent.
   */
  readonly percent?: number;
}
/**
 * Switches off one deny rule for some runs.
 */
export interface PolicyException {
  /**
   * Name of the rule.
   */
  readonly rule: string;
  /**
   * orb_id, or with "*" for any text; every Orb when absent or empty.
   */
  readonly orb?: string;
  /**
   * Caller, or with "*" for any text; every caller when absent or empty.
   */
  readonly caller?: string;
  /**
   * Day and time at which it ends, at most 90 days ahead: 2026-12-31T00:00:00Z.
   */
  readonly until: string;
  /**
   * Why, for example the number of an incident.
   */
  readonly reason: string;
}
/**
 * A decision about given facts.
 */
export interface PolicyTest {
  /**
   * Lower-case letters, digits and "-", at most 63 characters; unique in the policy.
   */
  readonly name: string;
  /**
   * Facts, by the first part of their names: orb, caller, orbiset, run, request, response, inputs. The others have their defaults.
   */
  readonly input?: {
    /**
     * Facts by the rest of their names.
     */
    readonly [k: string]: {
      readonly [k: string]: unknown;
    };
  };
  readonly expect: PolicyExpectation;
}
/**
 * What the policy must decide when it is enforced and matches.
 */
export interface PolicyExpectation {
  /**
   * deny, allow, or none: no rule denies or allows.
   */
  readonly decision: 'allow' | 'deny' | 'none';
  /**
   * Name of a rule that must be true.
   */
  readonly rule?: string;
  /**
   * Types of the obligations that must hold, and no others.
   *
   * @maxItems 16
   *
   * Items: Type of an obligation.
   */
  readonly obligations?: readonly string[];
}
/**
 * What must be so before Enforce has an effect.
 */
export interface PolicyPromotion {
  readonly requireReplay?: RequireReplay;
}
/**
 * Limits that a finished replay of this version must meet.
 */
export interface RequireReplay {
  /**
   * How far back it must go, 1h to 2160h; 168h when absent. A whole number and h.
   */
  readonly window?: string;
  /**
   * Receipts that it must have decided on; 1000 when absent.
   */
  readonly minReceipts?: number;
  /**
   * Runs that were allowed and would be denied; 0 when absent.
   */
  readonly maxNewDenies?: number;
  /**
   * The same as percent of the decided receipts; 100 when absent.
   */
  readonly maxNewDenyPercent?: number;
  /**
   * Percent of all receipts that could not be decided; 5 when absent.
   */
  readonly maxIndeterminatePercent?: number;
}
