import { no, unknown, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an Orb. */
export const ORB_REASONS = {
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
    MetricsFresh: yes('The figures of the providers are fresh: they are compared, with swap_config.'),
    MetricsUnusable: no(
      'There were no usable figures for five minutes: nothing is swapped automatically. See the log of the operator, and whether Prometheus scrapes the API.',
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
