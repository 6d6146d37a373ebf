import { ORB_STATUSES, TIERS, TIER_STATUSES } from '../../../core/log-entry/entry-members.ts';
import type { JsonSchema } from '../../http/operation.ts';
import { closed, count, ref, shapes, text } from '../../http/schemas.ts';

type Schema = Exclude<JsonSchema, boolean>;

const nullable = (schema: JsonSchema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const words = (list: readonly string[]): Schema => ({ type: 'string', enum: [...list] });

const publisher = closed({
  org: text('Organisation: the first label of the id.'),
  verified: { type: 'boolean', description: 'Its namespace has proven that it owns the name.' },
  proof: nullable(words(['operator', 'dns'])),
  since: nullable(shapes.time),
});

const item = closed({
  orb_id: shapes.orbId,
  org: text('Organisation.'),
  name: text('{org}.{name}'),
  version: text('SemVer.'),
  description: text('Empty when the manifest has none.'),
  provider: text('The provider of the manifest.'),
  capabilities: { type: 'array', items: { type: 'string' }, maxItems: 8 },
  certification_tier: words(TIERS),
  tier_status: words(TIER_STATUSES),
  reputation_score: shapes.score,
  score_bp: { type: 'integer', minimum: 0, maximum: 10_000 },
  confidence: words(['provisional', 'low', 'medium', 'high']),
  status: words(ORB_STATUSES),
  manifest_digest: shapes.digest,
  publisher,
  published_at: shapes.time,
  updated_at: shapes.time,
  links: closed({ reputation: text('Path.'), certificate: text('Path.'), badge: text('Path.') }),
});

const pageOf = (items: JsonSchema, limit: JsonSchema): Schema =>
  closed({
    items: { type: 'array', items },
    total: count('Items of all pages.'),
    limit,
    offset: count('Items before this page.'),
    next: nullable(text('Path of the next page.')),
  });

export const listSchema = pageOf(item, { type: 'integer', minimum: 1, maximum: 100 });

export const publicListSchema = pageOf(
  closed({
    name: text('{org}.{name}'),
    description: text('Empty when the manifest has none.'),
    certification_tier: words(TIERS),
    reputation_score: shapes.score,
  }),
  nullable({ type: 'integer', minimum: 1, maximum: 100 }),
);

const STAGES = ['schema', 'ontology', 'namespace', 'version', 'tests', 'verification', 'listing'];

const finding = closed(
  {
    severity: words(['error', 'warning', 'info']),
    code: text('The rule.'),
    pointer: text('RFC 6901, into the request body.'),
    message: text('What to do.'),
    suggestion: text('Nearest known name.'),
    rule_url: text('Page of the rule.'),
  },
  ['suggestion'],
);

/** Schemas that routes of the marketplace share. */
export const marketplaceSchemas: Readonly<Record<string, JsonSchema>> = {
  ValidationReport: closed({
    valid: { type: 'boolean' },
    orb_id: nullable(shapes.orbId),
    manifest_digest: nullable(shapes.digest),
    ontology: closed({ id: text('Ontology.'), version: text('SemVer.') }),
    stages: {
      type: 'array',
      items: closed({ id: words(STAGES), status: words(['passed', 'failed', 'not_run']) }),
    },
    tests: nullable(
      closed({
        required: count('Required cases.'),
        passed: count('Of these, passed.'),
        provenance: words(['self_reported', 'receipted', 'platform', 'independent']),
        suite_digest: nullable(shapes.digest),
      }),
    ),
    findings: { type: 'array', items: finding },
  }),
};

export const publishedSchema = closed({
  orb_id: shapes.orbId,
  version: text('SemVer.'),
  manifest_digest: shapes.digest,
  status: words(['listed', 'pending_verification']),
  certification_tier: words(TIERS),
  reputation_score: shapes.score,
  validation_report: ref('ValidationReport'),
  log: closed({ index: count('Place of the publish entry in the log.') }),
});

export const orbStatusSchema = closed({
  orb_id: shapes.orbId,
  status: words(ORB_STATUSES),
  log: closed({ index: count('Place of the entry in the log.') }),
});
