/** One documented reason of a condition. */
interface Reason {
  readonly status: 'True' | 'False' | 'Unknown';
  /** Meaning of the reason, and what to do. */
  readonly meaning: string;
}

/** Condition type → reason → its documentation. */
type Reasons = Readonly<Record<string, Readonly<Record<string, Reason>>>>;

const yes = (meaning: string): Reason => ({ status: 'True', meaning });
const no = (meaning: string): Reason => ({ status: 'False', meaning });
const unknown = (meaning: string): Reason => ({ status: 'Unknown', meaning });

const ORB = {
  Ready: {
    Ready: yes('The manifest of this generation is valid and runs.'),
    ManifestInvalid: no(
      'The manifest has errors: correct it as the message says. The last valid version, if there is one, keeps running.',
    ),
    OrbIdConflict: no(
      'Another Orb of the namespace has this orb_id, and is older or the only one with a valid version: choose another id, or delete one of the two.',
    ),
    UnsafeInteger: no('An integer is outside ±(2^53−1) and was rounded in transit: write it as a string.'),
  },
  Stalled: {
    ManifestInvalid: yes('The operator waits until the manifest is changed.'),
    OrbIdConflict: yes('The operator waits until one of the two Orbs has another orb_id or is deleted.'),
    UnsafeInteger: yes('The operator waits until the integer is written as a string.'),
  },
  ProvidersResolved: {
    AllResolved: yes('Every provider that swap_config names has an execution.'),
    ProviderUndefined: no('A named provider has no execution, so it is never chosen: add /providers/NAME/execution.'),
    ManifestInvalid: unknown('The manifest has errors: its providers are not known.'),
    OrbIdConflict: unknown('Another Orb of the namespace has this orb_id: this one has no providers.'),
    UnsafeInteger: unknown('An integer was rounded in transit: the providers are not known.'),
  },
  SecretsBound: {
    HostsBound: yes('For each provider there is an Orbiset that may run the Orb and binds its secrets to its host.'),
    HostNotBound: no(
      'A provider is skipped in every run: no Orbiset that may run the Orb allows its secrets for its host. The message names them: add the host to allowedHosts.',
    ),
  },
  PinValid: {
    PinFollowed: yes('The pin is followed.'),
    PinExpired: yes('The pin has expired and is ignored; you can remove it.'),
    PinHandled: yes('The pin asked for one swap (mode: once), which was made; you can remove it.'),
    PinOverridden: yes(
      'The pinned provider failed, so another one is used (mode: soft). The pin no longer counts: set it again if you still need it.',
    ),
    PinProviderUndefined: no('The manifest does not define the pinned provider: pin a provider that it defines.'),
    PinMalformed: no('The pin does not fit its schema and is ignored: correct it as the message says.'),
    PinTimeInvalid: no('expires_at is not a valid time: write it as 2026-01-31T12:00:00Z.'),
    ManifestInvalid: unknown('The manifest has errors, and no earlier version was valid: the pin is not followed.'),
    OrbIdConflict: unknown('Another Orb of the namespace has this orb_id: the pin is not followed.'),
    UnsafeInteger: unknown(
      'An integer was rounded in transit, and no earlier version was valid: the pin is not followed.',
    ),
  },
  MetricsAvailable: {
    MetricsFresh: yes('The metrics of the providers are fresh. With swap_config, the providers are compared by them.'),
    MetricsUnusable: no(
      'There were no usable metrics for five minutes, so there are no automatic swaps. Read the log of the operator, and check that Prometheus scrapes the API.',
    ),
    WindowsTooShort: no(
      'Prometheus scrapes the API too rarely for the windows of swap_config, so there are no automatic swaps. Set longer windows, or scrape more often.',
    ),
    NotConfigured: unknown(
      'The operator has no Prometheus, so there are no automatic swaps. Start it with --prometheus-url.',
    ),
  },
  ProvidersHealthy: {
    ProvidersHealthy: yes('The active provider is not known to fail, or another one could replace it.'),
    AllDown: no(
      'The active provider fails, and no other one is known to work: it stays active, and all of them are probed.',
    ),
  },
  FailedOver: {
    HardFailure: yes('The primary failed, so another provider is active.'),
    Latency: yes('The primary was too slow, so another provider is active.'),
    Manual: yes('Another provider than the primary is active, after a manual swap.'),
    NotPrimary: yes(
      'Another provider than the primary is active: the manifest names a new primary, or the primary has no execution.',
    ),
  },
  FailoverFrozen: {
    TooManySwaps: yes(
      'There were max_swaps_per_hour swaps within an hour: the provider stays active for an hour unless it fails. A manual swap ends the freeze.',
    ),
  },
} as const satisfies Reasons;

const ORBISET = {
  Ready: {
    Ready: yes('Runs are accepted, and every entry that the vault binds exists.'),
    Suspended: no('spec.suspended is true: new runs are refused.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
    PolicyUnavailable: no(
      'spec.policies asks for policies, which are reserved for later: every run is refused (503 policy-unavailable). Remove the member.',
    ),
    AwaitingVaultReport: unknown('The API has not reported yet whether the vault is complete.'),
    VaultIncomplete: no('An entry that the vault binds is missing; status.vault.missing names it.'),
    RoleBindingMissing: no('The API may not read Secrets here: create the RoleBinding that the message names.'),
    RoleBindingForeign: no('Another writer created a RoleBinding of the required name with other content: remove it.'),
  },
  Reconciling: {
    AwaitingVaultReport: yes('The API has not reported yet whether the vault is complete.'),
  },
  Stalled: {
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    PolicyUnavailable: yes('The operator waits until spec.policies is removed or empty.'),
  },
  VaultReady: {
    VaultComplete: yes('Every bound entry exists.'),
    SecretNotFound: no('A bound Secret does not exist: create it, or remove the binding.'),
    KeyMissing: no('A bound Secret lacks a key, or its value is not UTF-8: add it, or remove it from keys.'),
    DuplicateEntry: no('Two Secrets provide the same entry, so it counts as missing: rename one of them with keys.'),
    Forbidden: no('The API may not read Secrets of this namespace yet; see RoleBindingMissing.'),
  },
  TrailingNewline: {
    TrailingNewline: yes('A value ends with a newline, which is not sent: write it without one.'),
  },
  UnscrubbableSecret: {
    TooShort: yes('A value is shorter than 8 bytes or too long, so it can not be redacted in answers.'),
  },
  SecretInUrl: {
    SecretInUrl: yes(
      'A secret goes in a URL, which proxies and providers may log: use a header. The message names it and an Orb.',
    ),
  },
  OrbsResolved: {
    AllResolved: yes('Every Orb that spec.orbs lists exists.'),
    OrbUnknown: no('spec.orbs lists an Orb that does not exist; the others can be executed.'),
  },
} as const satisfies Reasons;

const PUBLICATION = {
  Ready: {
    AwaitingEvaluation: no('The publication is valid and has not been evaluated yet.'),
    ManifestInvalid: no('The manifest has errors: correct it as the message says.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
    UnsafeInteger: no('An integer is outside ±(2^53−1) and was rounded in transit: write it as a string.'),
    Suspended: no('spec.suspended is true: new runs of this version are refused.'),
  },
  Reconciling: {
    AwaitingEvaluation: yes('The evaluation is outstanding.'),
  },
  Stalled: {
    ManifestInvalid: yes('The operator waits until the manifest is changed.'),
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    UnsafeInteger: yes('The operator waits until the integer is written as a string.'),
  },
} as const satisfies Reasons;

/**
 * Every reason that a condition of a resource can have, by kind and condition type. docs/reference/resources.md is
 * generated from this list. Names are public: they are kept, new names are added.
 */
export const REASONS = { Orb: ORB, Orbiset: ORBISET, OrbPublication: PUBLICATION } as const satisfies Readonly<
  Record<string, Reasons>
>;
