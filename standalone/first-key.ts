import { createApiKey, listApiKeys } from '../adapters/api-keys/files.ts';
import { readIfThere, writePrivate, type DataFolder } from './data-folder.ts';

const TENANT = 'default';

/** A key of the tenant `default` for the person at this machine. */
export interface LocalKey {
  readonly key: string;
  /** Made by this start, so it has not been shown yet. */
  readonly fresh: boolean;
}

function keyIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && 'api_key' in value && typeof value.api_key === 'string'
    ? value.api_key
    : undefined;
}
