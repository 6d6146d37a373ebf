/**
 * What a member of a log entry holds: a text, a time (ISO, in UTC), a day (`YYYY-MM-DD`), a count (an integer ≥ 0), a
 * boolean, a list of texts, or one of the given words.
 */
export type MemberForm = 'text' | 'text or null' | 'time' | 'day' | 'count' | 'boolean' | 'texts' | readonly string[];

const SEVERITY = ['low', 'medium', 'high', 'critical'] as const;
const OUTCOME = ['success', 'orb_error', 'timeout', 'policy_denied', 'caller_error', 'platform_error'] as const;

/** Certification tiers, the lowest first (trust.md §5.4). */
export const TIERS = ['uncertified', 'bronze', 'silver', 'gold', 'platinum'] as const;

/** States of a held tier (trust.md §5.4). */
export const TIER_STATUSES = ['stable', 'at_risk', 'suspended'] as const;

/** How much the evidence of a test report is worth, the weakest first (trust.md §8.4). */
export const PROVENANCES = ['self_reported', 'receipted', 'platform', 'independent'] as const;

/** States of a published version (trust.md §8.6). */
export const ORB_STATUSES = ['active', 'deprecated', 'yanked', 'suspended'] as const;

/** The members of each kind of log entry beside `v` and `kind` (trust.md §2.1). An entry has all of them and no other. */
export const ENTRY_MEMBERS = {
  receipt: {
    receipt_id: 'text',
    orb_id: 'text',
    manifest_digest: 'text',
    caller_tag: 'text',
    self: 'boolean',
    outcome: OUTCOME,
    duration_ms: 'count',
    slo_ms: 'count',
    finished_at: 'time',
    jws_sha256: 'text',
  },
  receipt_private: { receipt_id: 'text', finished_at: 'time', jws_sha256: 'text' },
  publish: { orb_id: 'text', manifest_digest: 'text', org: 'text', ontology: 'text', at: 'time' },
  test_report: {
    orb_id: 'text',
    manifest_digest: 'text',
    suite_digest: 'text or null',
    report_sha256: 'text',
    required: 'count',
    passed: 'count',
    provenance: 'text', // an unknown one counts as self_reported (trust.md §5.3)
    tested_at: 'time',
    at: 'time',
  },
  incident: {
    incident_id: 'text',
    orb_id: 'text or null',
    impact: ['minor', 'major', 'critical'],
    event: ['opened', 'updated', 'resolved', 'withdrawn'],
    attributed: 'boolean',
    at: 'time',
  },
  violation: {
    orb_id: 'text',
    manifest_digest: 'text',
    rule: 'text',
    severity: SEVERITY,
    receipt_id: 'text or null',
    at: 'time',
  },
  audit: { orb_id: 'text', manifest_digest: 'text', checked: 'count', invalid: 'count', at: 'time' },
  org: { org: 'text', event: ['verified', 'unverified', 'suspended', 'restored'], proof: 'text', at: 'time' },
  orb_status: { orb_id: 'text', status: ORB_STATUSES, reason: 'text', at: 'time' },
  tier_change: {
    orb_id: 'text',
    manifest_digest: 'text',
    from: TIERS,
    to: TIERS,
    tier_status: TIER_STATUSES,
    score_bp: 'count',
    algorithm: 'text',
    as_of: 'day',
    tree_size: 'count',
    criteria_failed: 'texts',
    at: 'time',
  },
  certificate: {
    orb_id: 'text',
    manifest_digest: 'text',
    certificate_sha256: 'text',
    tier: TIERS,
    valid_until: 'time',
    status_index: 'count',
    at: 'time',
  },
  revocation: { target: ['certificate', 'receipt'], sha256: 'text', reason: 'text', at: 'time' },
  key_event: {
    kid: 'text',
    role: 'text',
    event: ['next', 'active', 'retired', 'revoked'],
    reason: 'text or null',
    at: 'time',
  },
  swap: { orb_id: 'text', from: 'text', to: 'text', reason: 'text', jws_sha256: 'text', at: 'time' },
  algorithm: { id: 'text', sha256: 'text', at: 'time' },
  retraction: { index: 'count', reason: 'text', at: 'time' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MemberForm>>>>;
