import type { ApiKeyStore } from '../adapters/api-keys/api-key-store.ts';
import { createApiKey } from '../adapters/api-keys/files.ts';
import { replacePrivate } from '../adapters/private-file/private-file.ts';
import type { Scope } from '../core/api-key/scopes.ts';
import { readIfThere, type DataFolder } from './data-folder.ts';

/** A key of the tenant `default` for the person at this machine. */
export interface LocalKey {
  readonly key: string;
  /** Made by this start: it has not been shown yet. */
  readonly fresh: boolean;
}

const SCOPES: readonly Scope[] = ['orbs:execute', 'receipts:read', 'providers:read', 'providers:swap'];

function keyIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const known = typeof value === 'object' && value !== null && 'api_key' in value ? value.api_key : undefined;
    return typeof known === 'string' ? known : undefined;
  } catch {
    return undefined; // half a file of a full disk: a new key replaces it
  }
}

/** The key of the last start while it is good, else a new one; kept for the command line with mode 0600. */
export async function localKey(
  folder: DataFolder,
  store: ApiKeyStore,
  tools: { readonly now: number; readonly random: (bytes: number) => Uint8Array },
): Promise<LocalKey> {
  const known = keyIn(await readIfThere(folder.credentials));
  const is = known === undefined ? undefined : store.authenticate(`Bearer ${known}`, '127.0.0.1');
  // One of an earlier version may lack a scope.
  if (known !== undefined && is?.kind === 'ok' && SCOPES.every((scope) => is.caller.scopes.has(scope))) {
    return { key: known, fresh: false };
  }
  const wish = { tenants: ['default'], scopes: SCOPES, createdBy: 'npm start' };
  const { text } = await createApiKey(folder.apiKeys, wish, tools);
  await store.refresh();
  return { key: text, fresh: true };
}

/** Tells the command line where the API listens now. */
export const writeCredentials = (folder: DataFolder, url: string, key: string): Promise<void> =>
  replacePrivate(folder.credentials, `${JSON.stringify({ url, api_key: key }, null, 2)}\n`);
