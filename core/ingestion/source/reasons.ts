import { no, unknown, yes, type Reasons } from '../../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbSignalSource. */
export const SOURCE_REASONS = {
  Ready: {
    Accepted: yes('The source is valid, and its secrets can be read: it receives.'),
    Pending: unknown('No API process has taken this version over yet.'),
    Disabled: no('spec.mode is Disabled: deliveries are refused.'),
    SecretUnusable: no('A secret can not be used, so deliveries are put off: SecretsReadable names it.'),
    SpecInvalid: no('The spec has errors: correct it as the message says. The last valid version receives on.'),
    MappingInvalid: no(
      'An expression of mapping or match does not compile: correct it as the message says. The last valid version receives on.',
    ),
  },
  Reconciling: {
    Pending: yes('No API process has taken this version over yet.'),
  },
  Stalled: {
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    MappingInvalid: yes('The operator waits until the spec is changed.'),
  },
  SecretsReadable: {
    SecretsReadable: yes('The API reads every secret that the source names.'),
    SecretForbidden: no(
      'The API may not read Secrets here: an Orbiset in this namespace brings the RoleBinding orb-vault-reader.',
    ),
    SecretNotFound: no('The Secret that the message names does not exist in this namespace.'),
    SecretKeyMissing: no('The Secret that the message names has no such key.'),
    SecretEmpty: no('The value is empty, and an empty secret would accept anybody: write a value.'),
    SecretMalformed: no('The value is no key of Standard Webhooks: write whsec_ or whpk_ and its base64.'),
  },
  Receiving: {
    Receiving: yes('Deliveries are accepted at status.urlPath.'),
    LastValidVersion: yes('An earlier version receives on, because this one is refused.'),
    Disabled: no('spec.mode is Disabled: deliveries are refused.'),
    SecretUnusable: no('Deliveries are put off with 503 until every secret can be used.'),
    NeverValid: no('No version of this source was ever valid, so its URL is unknown.'),
  },
} as const satisfies Reasons;
