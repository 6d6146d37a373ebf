import type { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { createApiKey } from '../adapters/api-keys/files.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import { readIfExists } from '../adapters/private-file/read-if-exists.ts';
import type { Scope } from '../core/api-key/scopes.ts';
import type { DataFolder } from './data-folder.ts';

/** An API key of the tenant `default`, for the person at this machine. */
export interface LocalKey {
  readonly key: string;
  /** This start made the key, so it was not shown yet. */
  readonly fresh: boolean;
}

const SCOPES: readonly Scope[] = [
  'orbs:execute',
  'receipts:read',
  'providers:read',
  'providers:swap',
  'reputation:read',
  'marketplace:read',
  'marketplace:publish',
  'policies:read',
  'policies:write',
  'policies:simulate',
  'decisions:read',
  'ingest:read',
  'ingest:admin',
  'incidents:write',
];

function keyIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const known = typeof value === 'object' && value !== null && 'api_key' in value ? value.api_key : undefined;
    return typeof known === 'string' ? known : undefined;
  } catch {
    return undefined; // half a file, after a full disk: a new key replaces it
  }
}

/**
 * The key of the last start while it is valid, otherwise a new key. It is stored for the command line with mode 0600.
 */
export async function localKey(
  folder: DataFolder,
  store: ApiKeyStore,
  tools: { readonly now: number; readonly random: (bytes: number) => Uint8Array },
): Promise<LocalKey> {
  const known = keyIn(await readIfExists(folder.credentials));
  const is = known === undefined ? undefined : store.authenticate(`Bearer ${known}`, '127.0.0.1');
  // A key of an earlier version may lack a scope.
  if (known !== undefined && is?.kind === 'ok' && SCOPES.every((scope) => is.caller.scopes.has(scope))) {
    return { key: known, fresh: false };
  }
  // Its holder works at this machine, and may measure how much the platform takes.
  const newKey = { tenants: ['default'], scopes: SCOPES, rate: '0', createdBy: 'npm start' };
  const { text } = await createApiKey(folder.apiKeys, newKey, tools);
  await store.refresh();
  return { key: text, fresh: true };
}

/** Stores the API's current address and key for the command line. */
export const writeCredentials = (folder: DataFolder, url: string, key: string): Promise<void> =>
  replacePrivate(folder.credentials, `${JSON.stringify({ url, api_key: key }, null, 2)}\n`);
