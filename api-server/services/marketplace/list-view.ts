import type { JsonObject } from '../../../core/json/json-value.ts';
import type { ListedOrb } from '../../../core/publication/listed-orb.ts';
import { MAX_OFFSET, type Page } from './list-query.ts';

const time = (ms: number): string => new Date(ms).toISOString();

/** An item of `GET /marketplace/orbs` (trust.md §7). */
export function listItem(orb: ListedOrb): JsonObject {
  const { publisher, standing } = orb;
  const reputation = `/reputation/${encodeURIComponent(orb.orbId)}`;
  return {
    orb_id: orb.orbId,
    org: publisher.org,
    name: orb.name,
    version: orb.version,
    description: orb.description,
    provider: orb.provider,
    capabilities: orb.capabilities,
    certification_tier: standing.tier,
    tier_status: standing.tierStatus,
    reputation_score: standing.score,
    score_bp: standing.scoreBp,
    confidence: standing.confidence,
    status: orb.status,
    manifest_digest: orb.manifestDigest,
    publisher: {
      org: publisher.org,
      verified: publisher.verified,
      proof: publisher.proof,
      since: publisher.since === null ? null : time(publisher.since),
    },
    published_at: time(orb.publishedAt),
    updated_at: time(orb.updatedAt),
    links: { reputation, certificate: `${reputation}/certificate`, badge: `${reputation}/badge` },
  };
}

/** An item of the public list: exactly the four members of the specification (spec §2.7). */
export const publicItem = ({ name, description, standing }: ListedOrb): JsonObject => ({
  name,
  description,
  certification_tier: standing.tier,
  reputation_score: standing.score,
});

/** A page of a list, with the address of the next one. */
export interface ListPage {
  readonly body: JsonObject;
  /** Path and query; null on the last page, and where the next one begins beyond the largest offset. */
  readonly next: string | null;
}

/**
 * @param path of the list
 * @param query of the request; its other members stay in the address of the next page
 */
export function listPage(
  items: readonly ListedOrb[],
  { limit, offset }: Page,
  options: { readonly path: string; readonly query: URLSearchParams; readonly item: (orb: ListedOrb) => JsonObject },
): ListPage {
  const { path, query, item } = options;
  const total = items.length;
  const end = offset + limit;
  const following = new URLSearchParams(query);
  following.set('limit', String(limit));
  following.set('offset', String(end));
  const next = end < total && end <= MAX_OFFSET ? `${path}?${following.toString()}` : null;
  return { body: { items: items.slice(offset, end).map(item), total, limit, offset, next }, next };
}
