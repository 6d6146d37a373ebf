import type { Operation, Parameter } from '../../http/operation.ts';
import type { Reputation } from '../../reputation/reputation.ts';

/** Form of the name of an organisation. */
export const ORG = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** What the routes of organisations need. */
export type OrgParts = Pick<Reputation, 'orgs' | 'listings' | 'platformNamespace'>;

/** The organisation in a path. */
export const orgParameter: Parameter = {
  name: 'org',
  in: 'path',
  description: 'Organisation.',
  schema: { type: 'string', pattern: ORG.source, maxLength: 63 },
};

type Body = NonNullable<Operation['requestBody']>;

/** A body that must be sent, as JSON. */
export const bodyOf = (schema: Body['content'][string]['schema']): Body => ({
  required: true,
  content: { 'application/json': { schema } },
});
