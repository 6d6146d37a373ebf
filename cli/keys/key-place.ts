import { join } from 'node:path';
import { createApiKey, listApiKeys, revokeApiKey } from '../../adapters/api-keys/files.ts';
import { ApiKeyError, type CreatedApiKey, type NewApiKey } from '../../adapters/api-keys/new-key.ts';
import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { DATA } from '../args/verb.ts';
import { CLUSTER_FLAGS } from '../cluster/cluster-flags.ts';
import { placeOf } from '../cluster/place.ts';
import { announceCluster } from '../cluster/announce-cluster.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { clusterKeys } from './cluster-keys.ts';

/** The API keys that are stored. */
export interface StoredKeys {
  /** By expiry, the next to expire first. */
  readonly keys: readonly ApiKeyRecord[];
  /** Entries that should be keys but are not valid, with the reason and without values. */
  readonly broken: readonly { readonly file: string; readonly detail: string }[];
}

/** The store of the API keys of one platform. */
export interface KeyPlace {
  /** For people: `.orb/api-keys`, or a namespace. */
  readonly name: string;
  /** Creates and stores a key. @throws ApiKeyError a rule is broken */
  readonly create: (newKey: NewApiKey) => Promise<CreatedApiKey>;
  readonly list: () => Promise<StoredKeys>;
  /** @returns false when there is no such key */
  readonly revoke: (keyId: string) => Promise<boolean>;
}

/** Flags that say which platform's keys to use. */
export const KEY_PLACE_FLAGS: readonly Flag[] = [DATA, ...CLUSTER_FLAGS];

function folderKeys(data: string, io: Io): KeyPlace {
  const folder = join(data, 'api-keys');
  return {
    name: folder,
    create: (newKey) => createApiKey(folder, newKey, { now: io.clock.now(), random: io.random }),
    list: () => listApiKeys(folder),
    revoke: (keyId) => revokeApiKey(folder, keyId),
  };
}

/** The keys of npm start, or those of a cluster. @throws Failure the named cluster does not exist */
export async function keyPlace(args: Args, io: Io): Promise<KeyPlace> {
  const place = await placeOf(args, io);
  if (place.kind === 'local') return folderKeys(place.data, io);
  const cluster = await io.openCluster(place.selection);
  announceCluster(cluster, place, io);
  return clusterKeys(cluster, place.platformNamespace, io);
}

/** Creates a key. @throws Failure the request breaks a rule: nothing is stored */
export async function createKeyIn(place: KeyPlace, newKey: NewApiKey): Promise<CreatedApiKey> {
  try {
    return await place.create(newKey);
  } catch (error) {
    if (error instanceof ApiKeyError) throw invalid(error.message);
    throw error;
  }
}
