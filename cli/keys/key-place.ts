import { join } from 'node:path';
import { createApiKey, listApiKeys, revokeApiKey } from '../../adapters/api-keys/files.ts';
import { ApiKeyError, type CreatedApiKey, type NewApiKey } from '../../adapters/api-keys/new-key.ts';
import type { ApiKeyRecord } from '../../core/api-key/record.ts';
import type { Args } from '../args/parse-args.ts';
import { DATA, type Flag } from '../args/verb.ts';
import { CLUSTER_FLAGS } from '../cluster/cluster-flags.ts';
import { placeOf } from '../cluster/place.ts';
import { tellCluster } from '../cluster/tell-cluster.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { clusterKeys } from './cluster-keys.ts';

/** What is stored of API keys. */
export interface StoredKeys {
  /** By expiry, the next one first. */
  readonly keys: readonly ApiKeyRecord[];
  /** What should be a key and is none, and why; no values. */
  readonly broken: readonly { readonly file: string; readonly detail: string }[];
}

/** Where the API keys of one platform are. */
export interface KeyPlace {
  /** For people: `.orb/api-keys`, or a namespace. */
  readonly name: string;
  /** Stores a new one. @throws ApiKeyError a rule is broken */
  readonly create: (wish: NewApiKey) => Promise<CreatedApiKey>;
  readonly list: () => Promise<StoredKeys>;
  /** @returns false when there was none */
  readonly revoke: (keyId: string) => Promise<boolean>;
}

/** Flags that say whose keys are meant. */
export const KEY_PLACE_FLAGS: readonly Flag[] = [DATA, ...CLUSTER_FLAGS];

function folderKeys(data: string, io: Io): KeyPlace {
  const folder = join(data, 'api-keys');
  return {
    name: folder,
    create: (wish) => createApiKey(folder, wish, { now: io.clock.now(), random: io.random }),
    list: () => listApiKeys(folder),
    revoke: (keyId) => revokeApiKey(folder, keyId),
  };
}

/** The keys of npm start, or those of a cluster. @throws Failure no cluster where one was named */
export async function keyPlace(args: Args, io: Io): Promise<KeyPlace> {
  const place = await placeOf(args, io);
  if (place.kind === 'local') return folderKeys(place.data, io);
  const cluster = await io.openCluster(place.wish);
  tellCluster(cluster, place, io);
  return clusterKeys(cluster, place.platformNamespace, io);
}

/** Makes a key. @throws Failure what was asked for breaks a rule: nothing is stored */
export async function createIn(place: KeyPlace, wish: NewApiKey): Promise<CreatedApiKey> {
  try {
    return await place.create(wish);
  } catch (error) {
    if (error instanceof ApiKeyError) throw invalid(error.message);
    throw error;
  }
}
