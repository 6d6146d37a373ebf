import type { Caller } from '../../core/api-key/caller.ts';
import type { Share } from '../../core/fair-share/share.ts';
import { orbisetRef } from './tenant.ts';

/** Whose work a request is: that of the Orbiset in its path, else that of the key's first tenant. */
export const requestShare = (caller: Caller | undefined, { id = '' }: Readonly<Record<string, string>>): Share => ({
  tenant: orbisetRef(id, caller)?.namespace ?? caller?.tenants[0] ?? '',
  key: caller?.id ?? 'anonymous',
});
