import { newApiKey, type ApiKeyText } from '../../core/api-key/format.ts';
import {
  apiKeyDocument,
  MAX_LIFE_MS,
  parseApiKeyRecord,
  type ApiKeyFields,
  type ApiKeyRecord,
} from '../../core/api-key/record.ts';
import { encodeUtf8 } from '../../core/json/bytes.ts';
import { encodeHex } from '../../core/json/hex.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import type { Finding } from '../../core/manifest/finding.ts';
import { sha256 } from '../keys/primitives.ts';

/** The wanted properties of a new key. */
export interface NewApiKey extends Pick<ApiKeyFields, 'tenants' | 'scopes' | 'orbs' | 'cidrs' | 'rate' | 'createdBy'> {
  /** 1 ms to 365 days; default 90 days. */
  readonly lifeMs?: number;
}

export interface CreatedApiKey {
  /** The key itself, known only now: show it once, never log it. */
  readonly text: ApiKeyText;
  readonly record: ApiKeyRecord;
}

/** A requested key can't be made: the message names the rule. */
export class ApiKeyError extends Error {
  readonly code = 'api-key-invalid';
}

const DEFAULT_LIFE_MS = 90 * 86_400_000;

/** The findings of a stored key, on one line; no values. */
export const findingsText = (findings: readonly Finding[]): string =>
  findings.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');

/**
 * Makes a key and the Secret that stores its hash; does not write either.
 * @param now ms since epoch
 * @throws ApiKeyError the request breaks a rule of security.md §6.2
 */
export function makeApiKey(
  newKey: NewApiKey,
  namespace: string,
  { now, random }: { readonly now: number; readonly random: (bytes: number) => Uint8Array },
): CreatedApiKey & { readonly document: JsonObject } {
  const { keyId, text } = newApiKey(random);
  const { lifeMs = DEFAULT_LIFE_MS, ...rest } = newKey;
  if (!(lifeMs > 0 && lifeMs <= MAX_LIFE_MS)) throw new ApiKeyError('A key lives for at most 365 days.');
  const hash = encodeHex(sha256(encodeUtf8(text)));
  const document = apiKeyDocument({ ...rest, keyId, sha256: hash, notBefore: now, expiresAt: now + lifeMs }, namespace);
  const checked = parseApiKeyRecord(document);
  if (!checked.ok) throw new ApiKeyError(findingsText(checked.findings));
  return { text, record: checked.value, document };
}
