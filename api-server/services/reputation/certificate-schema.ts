import { TIER_STATUSES, TIERS } from '../../../core/log-entry/entry-members.ts';
import { CERTIFIED_STATUSES, CERTIFIED_TIERS } from '../../../core/certificate/credential.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, shapes, text } from '../../http/schemas.ts';

const seconds = {
  type: 'string',
  pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$',
  description: 'UTC, whole seconds.',
} as const;

const texts = { type: 'array', items: { type: 'string' } } as const;

const credential = closed({
  '@context': texts,
  type: texts,
  id: text('Address of this certificate.'),
  issuer: text('https origin of the platform.'),
  validFrom: seconds,
  validUntil: seconds,
  credentialSubject: closed({
    id: text('urn:orb:{orb_id}'),
    manifest_digest: shapes.digest,
    tier: { type: 'string', enum: CERTIFIED_TIERS },
    tier_status: { type: 'string', enum: CERTIFIED_STATUSES },
    reputation_score: { type: 'integer', minimum: 0, maximum: 100 },
    algorithm: text('Name of the formula.'),
    evidence: closed({
      log_origin: text('Name of the log.'),
      tree_size: count('Entries that the score was computed over.'),
      root_hash: text('Root of that tree, base64.'),
      as_of: text('UTC day.'),
    }),
    criteria_met: texts,
  }),
  credentialStatus: closed({
    id: text('Place in the status list.'),
    type: { const: 'BitstringStatusListEntry' },
    statusPurpose: { const: 'revocation' },
    statusListIndex: text('Decimal.'),
    statusListCredential: text('Address of the status list.'),
  }),
});

/** `GET /reputation/{orb_id}/certificate` as JSON. */
export const certificateSchema: JsonSchema = closed({
  status: { type: 'string', enum: ['active', 'suspended', 'revoked', 'expired'] },
  tier: { type: 'string', enum: TIERS, description: 'Tier that the Orb holds now.' },
  tier_status: { type: 'string', enum: TIER_STATUSES },
  valid_from: seconds,
  valid_until: seconds,
  credential,
  jwt: shapes.jws,
  verification: closed({
    verdict: { type: 'string', enum: ['valid', 'tampered', 'undecidable', 'untrusted'] },
    code: text('The first check that failed, or ok.'),
    checks: {
      type: 'array',
      items: closed({ id: text('The check.'), ok: { type: ['boolean', 'null'], description: 'null: not made.' } }),
    },
    key: { anyOf: [closed({ kid: text('Thumbprint.'), status: text('State of the key.') }), { type: 'null' }] },
    verified_at: shapes.time,
  }),
});
