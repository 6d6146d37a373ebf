import type { JsonObject } from '../json/json-value.ts';

/** Whether a signed document names the schema of its own issuer. The URL is compared, never fetched (trust.md §1.1). */
export const schemaIsOfIssuer = ({ schema, issuer }: JsonObject, kind: 'receipt' | 'swap-receipt' | 'keys'): boolean =>
  typeof issuer === 'string' && schema === `${issuer}/schemas/${kind}/v1`;
