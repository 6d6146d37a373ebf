import { codePointLength } from '../../../core/json-schema/values.ts';
import { ORB_STATUSES, TIERS } from '../../../core/log-entry/entry-members.ts';
import type { OrbStatus } from '../../../core/publication/listed-orb.ts';
import { SORTS, type ListQuery, type Sort } from '../../../core/publication/list-query.ts';
import type { Tier } from '../../../core/reputation/criteria.ts';
import type { Parameter } from '../../http/operation.ts';
import { queryParameter } from '../../http/pages.ts';
import { QueryReader, type Query } from '../../http/query.ts';

/** A part of a list. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;
export const MAX_OFFSET = 10_000;
const MAX_TEXT = 100;

const oneOf =
  <T extends string>(words: readonly T[]) =>
  (text: string): text is T =>
    words.some((word) => word === text);

const listOf =
  (words: readonly string[]) =>
  (text: string): text is string =>
    text.split(',').every((one) => words.includes(one));

const isText = (text: string): text is string => text.length > 0 && codePointLength(text) <= MAX_TEXT;
const isTerm = (text: string): text is string =>
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?$/.test(text) && text.length <= MAX_TEXT;
const isOrg = (text: string): text is string => /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text) && text.length <= 253;

/** Parameters that both lists have. */
export const pageParameters: readonly Parameter[] = [
  queryParameter('limit', 'Items of a page.', { type: 'integer', minimum: 1, maximum: MAX_LIMIT }),
  queryParameter('offset', 'Items before the page.', { type: 'integer', minimum: 0, maximum: MAX_OFFSET }),
];

/** Parameters of `GET /marketplace/orbs`. */
export const listParameters: readonly Parameter[] = [
  queryParameter('tier', 'Exactly this tier, or one of a comma list.', { type: 'string' }),
  queryParameter('min_tier', 'This tier or a higher one.', { type: 'string', enum: [...TIERS] }),
  ...pageParameters,
  queryParameter('q', 'Part of name or description.', { type: 'string', minLength: 1, maxLength: MAX_TEXT }),
  queryParameter('capability', 'A capability, or a prefix such as `text.`.', { type: 'string' }),
  queryParameter('org', 'Of this organisation.', { type: 'string' }),
  queryParameter('status', 'Comma list; default active,deprecated.', { type: 'string' }),
  queryParameter('updated_since', 'Changed at this time or later (UTC).', { type: 'string' }),
  queryParameter('latest', 'Only the highest active version of each name.', { type: 'boolean' }),
  queryParameter('sort', 'Default score, the highest first.', { type: 'string', enum: [...SORTS] }),
];

const pick = <T extends string>(words: readonly T[], text: string): readonly T[] =>
  words.filter((word) => text.split(',').includes(word));

const given = <Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } => {
  const some: { [N in Name]?: T } = {};
  if (value !== undefined) some[name] = value;
  return some;
};

function readPage(reader: QueryReader, limit: number): Page {
  return {
    limit: reader.integer('limit', 1, MAX_LIMIT) ?? limit,
    offset: reader.integer('offset', 0, MAX_OFFSET) ?? 0,
  };
}

/** Reads the query of `GET /marketplace/orbs`. */
export function parseListQuery(query: URLSearchParams): Query<ListQuery & Page> {
  const reader = new QueryReader(
    query,
    listParameters.map(({ name }) => name),
  );
  const tiers = reader.text('tier', listOf(TIERS), `one of ${TIERS.join(', ')}, or a comma list`);
  const minTier = reader.text('min_tier', oneOf<Tier>(TIERS), `one of ${TIERS.join(', ')}`);
  const status = reader.text('status', listOf(ORB_STATUSES), `one of ${ORB_STATUSES.join(', ')}, or a comma list`);
  const statuses = status === undefined ? (['active', 'deprecated'] as const) : pick<OrbStatus>(ORB_STATUSES, status);
  return reader.result({
    ...readPage(reader, DEFAULT_LIMIT),
    ...given('tiers', tiers === undefined ? undefined : pick<Tier>(TIERS, tiers)),
    ...given('minTier', minTier),
    ...given('text', reader.text('q', isText, `a text of 1 to ${MAX_TEXT} characters`)),
    ...given('capability', reader.text('capability', isTerm, 'a capability such as text.translate, or text.')),
    ...given('org', reader.text('org', isOrg, 'the name of an organisation')),
    ...given('updatedSince', reader.time('updated_since')),
    statuses,
    latest: reader.flag('latest'),
    sort: reader.text('sort', oneOf<Sort>(SORTS), SORTS.join(', ')) ?? 'score',
  });
}

/** Reads the query of `GET /marketplace/orbs/public`. @returns a page of null: all items */
export function parsePublicQuery(query: URLSearchParams): Query<Page | null> {
  const reader = new QueryReader(query, ['limit', 'offset']);
  const page = readPage(reader, MAX_LIMIT);
  return reader.result([...query.keys()].length === 0 ? null : page);
}
