import { FILES } from '../../adapters/keys/key-folder.ts';
import { loadKeysFrom, type KeySource } from '../../adapters/keys/load-keys.ts';
import { newKeyFiles } from '../../adapters/keys/new-keys.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { KubeError } from '../../adapters/kube/port.ts';
import { LOG_HEAD_NAME } from '../../adapters/log-head/config-map-head-store.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import type { KubeObject, ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Cluster } from '../io/cluster.ts';
import { EXIT, Failure, invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { KEEP_METADATA } from './keep-metadata.ts';

/** The Secret with the keys of a platform: its entries are the files of `--keys DIR`. */
export interface KeySecret {
  readonly keys: PlatformKeys;
  readonly outcome: 'made' | 'kept';
  /** True while the root's private key is in the Secret. */
  readonly hasRoot: boolean;
}

const ROOT = FILES.privateKey('root');

function textOf(secret: KubeObject, file: string): string | undefined {
  const data = secret['data'];
  const value = isJsonObject(data) && Object.hasOwn(data, file) ? data[file] : undefined;
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : undefined;
}

/** The entries of a Secret as the files of a key folder. */
export const secretSource = (secret: KubeObject, { namespace, name }: Required<ObjectRef>): KeySource => ({
  read: async (file) => textOf(secret, file),
  exposure: async () => undefined,
  place: (file) => `${file} in the Secret ${namespace}/${name}`,
});

/** A platform that has signed gets no new keys: they could not continue its log. @throws Failure it has signed */
async function checkUnsigned(cluster: Cluster, { namespace, name }: Required<ObjectRef>, io: Io): Promise<void> {
  const head = await cluster.client.get(KINDS.configMap, { namespace, name: LOG_HEAD_NAME }, io.signal);
  if (head === undefined) return;
  throw invalid(
    `there is no Secret ${namespace}/${name}, and the platform has signed with its keys (ConfigMap ${LOG_HEAD_NAME}): no others were made`,
    'restore that Secret from its backup, or name the one that has the keys',
    'an API that still runs has them: let it run, see "When the keys are lost" in docs/backup-and-restore.md',
    'to give up its receipts and start again: delete that ConfigMap, and the volume of the ledger',
  );
}

/** @returns false when the Secret exists already; it was not changed */
async function create(cluster: Cluster, ref: Required<ObjectRef>, issuer: string, io: Io): Promise<boolean> {
  const files = newKeyFiles({ issuer, now: io.clock.now(), random: io.random });
  const data = Object.fromEntries([...files].map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
  const metadata = { ...ref, ...KEEP_METADATA };
  try {
    await cluster.client.create(
      KINDS.secret,
      { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data },
      io.signal,
    );
    return true;
  } catch (error) {
    if (error instanceof KubeError && error.reason === 'AlreadyExists') return false;
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
    throw new Failure(EXIT.invalid, `there is no namespace ${ref.namespace}`, [
      `kubectl create namespace ${ref.namespace}`,
    ]);
  }
}

/**
 * Makes the Secret with every key, once, by `create`. Of two callers at the same time one makes it; an existing Secret
 * is only read.
 * @throws KeysError the existing Secret is not complete
 * @throws Failure the keys were lost, or the namespace does not exist
 */
export async function initKeySecret(
  cluster: Cluster,
  ref: Required<ObjectRef>,
  issuer: string,
  io: Io,
): Promise<KeySecret> {
  const isThere = (await cluster.client.get(KINDS.secret, ref, io.signal)) !== undefined;
  if (!isThere) await checkUnsigned(cluster, ref, io);
  const made = !isThere && (await create(cluster, ref, issuer, io));
  const secret = await cluster.client.get(KINDS.secret, ref, io.signal);
  if (secret === undefined)
    throw new Failure(EXIT.unreachable, `the Secret ${ref.namespace}/${ref.name} was deleted just now`, [
      'run it again',
    ]);
  const keys = await loadKeysFrom(secretSource(secret, ref));
  return { keys, outcome: made ? 'made' : 'kept', hasRoot: textOf(secret, ROOT) !== undefined };
}
