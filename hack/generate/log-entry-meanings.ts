import type { ENTRY_MEMBERS } from '../../core/log-entry/entry-members.ts';

type Members = typeof ENTRY_MEMBERS;

/** What a kind of log entry says, and what the score reads of it. */
interface KindMeaning {
  readonly says: string;
  readonly score: string;
  /** Meanings of members that other kinds don't have, or with another meaning. */
  readonly members?: Partial<Readonly<Record<string, string>>>;
}

/** Meanings of all kinds, in the order in which the reference shows them. */
export const KIND_MEANINGS: Readonly<Record<keyof Members, KindMeaning>> = {
  receipt: {
    says: 'A run of a published version ended. The receipt itself is not in the log.',
    score: 'The score reads it: a run counts by its outcome, its caller, its duration and its age.',
    members: {
      self: 'true: the caller’s tenant owns the organisation of the Orb. Such a run does not count.',
      outcome: 'Result of the run. Only `success`, `orb_error` and `timeout` count.',
      duration_ms: 'Duration of the run, in ms.',
      slo_ms: 'Duration that the manifest promises, in ms.',
      jws_sha256: 'Hex SHA-256 of the signed receipt, as text.',
    },
  },
  receipt_private: {
    says: 'A run of a version ended that is not published: it tells neither the Orb nor the caller.',
    score: 'The score ignores it.',
    members: { jws_sha256: 'Hex SHA-256 of the signed receipt, as text.' },
  },
  publish: {
    says: 'A version was published. Its manifest is public from then on.',
    score: 'The score reads it: the age of a line begins with its first one.',
    members: { ontology: 'Version of the ontology that the manifest passed.' },
  },
  test_report: {
    says: 'A report of tests was accepted.',
    score: 'The score reads it: the newest one of a version counts, for 90 days.',
    members: {
      required: 'Number of required tests.',
      passed: 'Number of required tests that passed.',
      provenance: 'How much the report is worth: `self_reported`, `receipted`, `platform` or `independent`.',
    },
  },
  incident: {
    says: 'An incident was opened, updated, resolved or withdrawn. Nothing writes these entries yet.',
    score: 'The score reads it: the last entry of each attributed incident, unless it was withdrawn.',
    members: { orb_id: 'The version; null: an incident of the platform.', event: 'What happened to the incident.' },
  },
  violation: {
    says: 'A run broke a rule of the platform. Nothing writes these entries yet.',
    score: 'The score reads it: by severity and age, for the whole line.',
    members: { receipt_id: 'Receipt of the run; null: there is none.' },
  },
  audit: {
    says: 'Receipts that a test report cites were compared with what it discloses, also when it was refused.',
    score: 'The score reads it: invalid receipts lower the score for 30 days, and cap it for 7.',
  },
  org: {
    says: 'The proof of an organisation changed, or the platform suspended or restored it.',
    score: 'The score reads it: bronze needs a proven organisation, silver one that was not suspended for 90 days.',
    members: { event: 'What happened to the organisation.', proof: 'Kind of the proof: `operator` or `dns`.' },
  },
  orb_status: {
    says: 'The status of a published version changed.',
    score: 'The score reads it: a suspended version has the score 0.',
    members: { status: 'The new status.' },
  },
  tier_change: {
    says: 'The held tier of a version or its state changed.',
    score: 'The score ignores it; whoever recomputes scores checks it.',
    members: {
      from: 'The tier before.',
      to: 'The tier from now on.',
      criteria_failed: 'Criteria of the next higher tier that do not hold.',
    },
  },
  certificate: {
    says: 'A certificate was issued.',
    score: 'The score ignores it.',
    members: { tier: 'The tier that it certifies.' },
  },
  revocation: {
    says: 'A certificate or a receipt was revoked.',
    score: 'The score ignores it.',
    members: { sha256: 'Hex SHA-256 of what is revoked, as text.' },
  },
  key_event: {
    says: 'A signing key was announced, taken into use, retired or revoked.',
    score: 'The score ignores it; a receipt of a revoked key is good only before this entry.',
    members: { event: 'What happened to the key.', reason: 'Why; null: there is no reason.' },
  },
  swap: {
    says: 'An Orb changed its provider.',
    score: 'The score ignores it.',
    members: {
      from: 'The provider before.',
      to: 'The provider from now on.',
      jws_sha256: 'Hex SHA-256 of the signed swap receipt, as text.',
    },
  },
  algorithm: {
    says: 'A way to compute scores was published.',
    score: 'The score ignores it.',
    members: { sha256: 'Hex SHA-256 of its definition.' },
  },
  retraction: {
    says: 'The platform takes an earlier entry out of the scores. The entry itself stays in the log.',
    score:
      'The score reads it: the entry at `index` is ignored. It is a `receipt`, `violation`, `incident`, `test_report` or `audit`. A retraction can’t be retracted.',
  },
};

/** Meanings of members that are the same in all kinds. */
export const MEMBER_MEANINGS: Partial<Readonly<Record<string, string>>> = {
  algorithm: 'How the score was computed, such as `orb-reputation/1`.',
  as_of: 'Day of the evaluation.',
  at: 'When it happened.',
  attributed: 'true: the Orb is the cause.',
  caller_tag: 'Name of the caller’s tenant for one month. Nobody but the platform knows the tenant.',
  certificate_sha256: 'Hex SHA-256 of the certificate (JWT), as text.',
  checked: 'Number of receipts that the report cites.',
  finished_at: 'When the run ended.',
  id: 'Name of the algorithm.',
  impact: 'How bad the incident is.',
  incident_id: 'Name of the incident.',
  index: 'Index of the entry that is retracted; it is lower than that of this entry.',
  invalid: 'Number of those whose disclosed values do not fit.',
  kid: 'Thumbprint of the key (RFC 7638).',
  manifest_digest: 'Digest of the manifest: `sha256:` and 64 hex digits.',
  orb_id: 'The version: `{org}.{name}@{version}`.',
  org: 'First label of the ids.',
  reason: 'Why, in the words of who did it.',
  receipt_id: 'Id of the receipt.',
  report_sha256: 'Hex SHA-256 of the canonical report.',
  role: 'What the key signs: `receipt`, `log`, `certificate` or `root`.',
  rule: 'Name of the rule.',
  score_bp: 'The score in hundredths of a point, 0 to 10000.',
  severity: 'How bad it is.',
  status_index: 'Place of the certificate in the status lists.',
  suite_digest: 'Digest of the suites; null: the tests are of no suite.',
  target: 'What is revoked.',
  tested_at: 'When the tests ended.',
  tier_status: 'State of the held tier.',
  tree_size: 'Number of log entries that the evaluation read.',
  valid_until: 'End of the certificate.',
};
