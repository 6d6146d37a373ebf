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
      'The manifest has errors: write what the message says. The last valid version, if there is one, runs on.',
    ),
    OrbIdConflict: no(
      'Another Orb of the namespace holds this orb_id, older or the only one with a valid version: choose another id or delete one of the two.',
    ),
    UnsafeInteger: no('An integer is beyond ±(2^53−1) and was rounded on its way: write it as a string.'),
  },
  Reconciling: {
    Progressing: yes('Work on this generation is not finished.'),
  },
  Stalled: {
    ManifestInvalid: yes('Nothing goes on until the manifest is changed.'),
    OrbIdConflict: yes('Nothing goes on until one of the two Orbs has another orb_id or is deleted.'),
    UnsafeInteger: yes('Nothing goes on until the integer is written as a string.'),
  },
  ProvidersResolved: {
    AllResolved: yes('Every provider that swap_config names has an execution.'),
    ProviderUndefined: no(
      'A provider is named and nothing says how it is called, so it is never chosen: add /providers/NAME/execution.',
    ),
    ManifestInvalid: unknown('The manifest has errors: its providers are not known.'),
    OrbIdConflict: unknown('Another Orb of the namespace holds this orb_id: this one has no providers.'),
    UnsafeInteger: unknown('An integer was rounded on its way: the providers are not known.'),
  },
  SecretsBound: {
    HostsBound: yes('For each provider there is an Orbiset that may run the Orb and binds its secrets to its host.'),
    HostNotBound: no(
      'A provider is skipped in every run: no Orbiset that may run the Orb binds the secrets that the message names to its host. Add the host to allowedHosts there.',
    ),
  },
  PinValid: {
    PinFollowed: yes('The pin is followed.'),
    PinExpired: yes('The pin has ended and is ignored; remove it when you like.'),
    PinHandled: yes('The pin asked for one swap (mode: once), which was made; remove it when you like.'),
    PinOverridden: yes(
      'The pinned provider failed and was left (mode: soft), so the pin no longer counts: pin it again.',
    ),
    PinProviderUndefined: no('The manifest does not define the pinned provider: name one that it does.'),
    PinMalformed: no('The pin does not fit its schema and is ignored: write what the message says.'),
    PinTimeInvalid: no('expires_at is no time: write it as 2026-01-31T12:00:00Z.'),
    ManifestInvalid: unknown('The manifest has errors and there never was a valid one: the pin is not followed.'),
    OrbIdConflict: unknown('Another Orb of the namespace holds this orb_id: the pin is not followed.'),
    UnsafeInteger: unknown('An integer was rounded on its way and no version was valid: the pin is not followed.'),
  },
  MetricsAvailable: {
    MetricsFresh: yes('The metrics of the providers are fresh: they are compared, with swap_config.'),
    MetricsUnusable: no(
      'There were no usable metrics for five minutes: nothing is swapped automatically. See the log of the operator, and whether Prometheus scrapes the API.',
    ),
    WindowsTooShort: no(
      'Prometheus scrapes the API too seldom for the windows of swap_config: nothing is swapped automatically. Name longer windows, or scrape more often.',
    ),
    NotConfigured: unknown(
      'The operator has no Prometheus: nothing is swapped automatically. Start it with --prometheus-url.',
    ),
  },
  ProvidersHealthy: {
    ProvidersHealthy: yes('The active provider is not known to fail, or another one could take over.'),
    AllDown: no(
      'The active provider fails and no other one is known to be well: it stays, and all of them are probed.',
    ),
  },
  FailedOver: {
    HardFailure: yes('Another provider is used than the primary, which failed.'),
    Latency: yes('Another provider is used than the primary, which was too slow.'),
    Manual: yes('Another provider is used than the primary: somebody swapped.'),
    NotPrimary: yes(
      'Another provider is used than the primary, since the primary of the manifest is another one than before or has no execution.',
    ),
  },
  FailoverFrozen: {
    TooManySwaps: yes(
      'There were max_swaps_per_hour swaps within an hour: the provider stays for an hour unless it fails. A manual swap ends that.',
    ),
  },
} as const satisfies Reasons;

const ORBISET = {
  Ready: {
    Ready: yes('Runs are accepted, and everything that the vault binds is there.'),
    Suspended: no('spec.suspended is true: new runs are refused.'),
    SpecInvalid: no('The spec has errors: write what the message says.'),
    PolicyUnavailable: no(
      'spec.policies asks for policies, which are reserved for later: every run is refused (503 policy-unavailable). Remove the member.',
    ),
    AwaitingVaultReport: unknown('The API has not yet said whether the vault is complete.'),
    VaultIncomplete: no('Something that the vault binds is missing; status.vault.missing names it.'),
    RoleBindingMissing: no('The API may not read Secrets here: make the RoleBinding that the message names.'),
    RoleBindingForeign: no('A RoleBinding of the needed name was made by somebody else with other content: remove it.'),
  },
  Reconciling: {
    AwaitingVaultReport: yes('The API has not yet said whether the vault is complete.'),
    Progressing: yes('Work on this generation is not finished.'),
  },
  Stalled: {
    SpecInvalid: yes('Nothing goes on until the spec is changed.'),
    PolicyUnavailable: yes('Nothing goes on until spec.policies is removed or empty.'),
  },
  VaultReady: {
    VaultComplete: yes('Every bound entry is there.'),
    SecretNotFound: no('A bound Secret does not exist: create it, or remove the binding.'),
    KeyMissing: no('A bound Secret lacks a key, or its value is no UTF-8: add it, or remove it from keys.'),
    DuplicateEntry: no('Two Secrets give the same entry, so it counts as missing: rename one with keys.'),
    Forbidden: no('The API may not read Secrets of this namespace yet; see RoleBindingMissing.'),
  },
  TrailingNewline: {
    TrailingNewline: yes('A value ends with a newline, which is not sent: write it without one.'),
  },
  UnscrubbableSecret: {
    TooShort: yes('A value is shorter than 8 bytes or too long: it can not be removed from answers.'),
  },
  SecretInUrl: {
    SecretInUrl: yes('A secret stands in a URL, where proxies and providers may log it: use a header.'),
  },
  OrbsResolved: {
    AllResolved: yes('Every Orb that spec.orbs lists is there.'),
    OrbUnknown: no('spec.orbs lists an Orb that nobody offers; the others can be executed.'),
  },
} as const satisfies Reasons;

const PUBLICATION = {
  Ready: {
    AwaitingEvaluation: no('The publication is valid and has not been evaluated yet.'),
    ManifestInvalid: no('The manifest has errors: write what the message says.'),
    SpecInvalid: no('The spec has errors: write what the message says.'),
    UnsafeInteger: no('An integer is beyond ±(2^53−1) and was rounded on its way: write it as a string.'),
    Suspended: no('spec.suspended is true: new runs of this version are refused.'),
  },
  Reconciling: {
    AwaitingEvaluation: yes('The evaluation is outstanding.'),
  },
  Stalled: {
    ManifestInvalid: yes('Nothing goes on until the manifest is changed.'),
    SpecInvalid: yes('Nothing goes on until the spec is changed.'),
    UnsafeInteger: yes('Nothing goes on until the integer is written as a string.'),
  },
} as const satisfies Reasons;

/**
 * Every reason that a condition of a resource can have, by kind and condition type. docs/reference/resources.md is
 * generated from this list. Names are public: they are kept, new names are added.
 */
export const REASONS = { Orb: ORB, Orbiset: ORBISET, OrbPublication: PUBLICATION } as const satisfies Readonly<
  Record<string, Reasons>
>;
