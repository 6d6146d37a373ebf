import { no, yes, type Reasons } from '../reconcile/reasons.ts';

/** Reasons of the conditions of an OrbPublication. */
export const PUBLICATION_REASONS = {
  Ready: {
    AwaitingEvaluation: no('The publication is valid and has not been evaluated yet.'),
    Published: yes('This version is published, whatever its tier.'),
    ManifestInvalid: no('The manifest has errors: correct it as the message says.'),
    SpecInvalid: no('The spec has errors: correct it as the message says.'),
    UnsafeInteger: no('An integer is outside ±(2^53−1) and was rounded in transit: write it as a string.'),
    OrbIdConflict: no('An older publication of the namespace has the same orb_id: delete one of the two.'),
    Suspended: no('spec.suspended is true: new runs of this version are refused.'),
    NamespaceNotOwned: no(
      'The organisation belongs to another tenant. It is judged again when the organisation changes.',
    ),
    NamespaceUnverified: no('The organisation is not verified. It is judged again when the organisation changes.'),
    LedgerUnavailable: no('The ledger gives no answer; the publication is tried again.'),
  },
  Reconciling: {
    AwaitingEvaluation: yes('The evaluation is outstanding.'),
    LedgerUnavailable: yes('The evaluation is outstanding until the ledger answers.'),
  },
  Stalled: {
    ManifestInvalid: yes('The operator waits until the manifest is changed.'),
    SpecInvalid: yes('The operator waits until the spec is changed.'),
    UnsafeInteger: yes('The operator waits until the integer is written as a string.'),
    OrbIdConflict: yes('The operator waits until one of the two is deleted.'),
  },
  Published: {
    Published: yes(
      'The pipeline took this version; the log has its publish entry. Of every other code of the pipeline the reason is its name in CamelCase, as of the reasons here.',
    ),
    NamespaceNotOwned: no('The organisation belongs to another tenant.'),
    NamespaceUnverified: no('The organisation is not verified.'),
    VersionImmutable: no('This version was published with other bytes: publish a new version.'),
    VersionTombstoned: no('This version was yanked: publish a new version.'),
    VersionBuildMetadata: no('The version has build metadata: leave it out.'),
    LedgerUnavailable: no('The ledger gives no answer; the publication is tried again.'),
  },
  Certified: {
    Certified: yes('Its tier is bronze or higher.'),
    Uncertified: no('Its tier is uncertified; GET /reputation/{orb_id} says what the next tier needs.'),
  },
  OrbMatches: {
    OrbApplied: yes('The namespace has an Orb with these bytes.'),
    OrbNotApplied: no('The namespace has no Orb with these bytes, so nobody can run this version: apply the Orb.'),
  },
} as const satisfies Reasons;
