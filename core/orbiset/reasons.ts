import { no, unknown, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an Orbiset. */
export const ORBISET_REASONS = {
  Ready: {
    Ready: yes('Runs are accepted, and every entry that the vault binds exists.'),
    Suspended: no('spec.suspended is true: new runs are refused.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
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
