import type { ReceiptRecord } from '../receipt/record.ts';

// SHA-256 of `[]`, the JCS of an empty array: an empty policy set, no facts recorded (policy.md §3.4, §4).
const EMPTY_ARRAY_DIGEST = 'sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945';

/** The decision of an empty policy set: it allows, and records that nothing was evaluated. */
export const EMPTY_POLICY: ReceiptRecord['policy'] = {
  set_digest: EMPTY_ARRAY_DIGEST,
  facts_schema: 'orb-facts/1',
  facts_digest: EMPTY_ARRAY_DIGEST,
  decision: 'allow',
  violations: [],
};
