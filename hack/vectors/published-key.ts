import type { JsonObject } from '../../core/json/json-value.ts';
import type { KeyRole, PublishedKey } from '../../core/receipt/keys-document.ts';
import type { TestKey } from './primitives.ts';

/** An active key of a keys document. */
export const publishedKey = ({ kid, jwk }: TestKey, role: KeyRole): PublishedKey & JsonObject => ({
  kid,
  jwk: { ...jwk },
  role,
  status: 'active',
  not_before: '2026-11-01T00:00:00.000Z',
  not_after: null,
  revoked_at: null,
  revoked_log_index: null,
  reason: null,
});
