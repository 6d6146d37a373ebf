import type { JsonObject } from '../../json/json-value.ts';

const KEPT = new Set(['webhook-id', 'sentry-hook-resource', 'x-github-event', 'x-webhook-id', 'content-type']);
const KEPT_START = 'ce-';

/**
 * The headers that expressions may read, by their names in lower case; of a header that came twice the first one.
 * Credentials and signatures are never among them.
 */
export const expressionHeaders = (headers: readonly (readonly [name: string, value: string])[]): JsonObject =>
  Object.fromEntries(
    headers
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name]) => KEPT.has(name) || name.startsWith(KEPT_START))
      .toReversed(),
  );
