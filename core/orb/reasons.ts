import { no, unknown, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an Orb. */
export const ORB_REASONS = {
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
