import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from '../../adapters/keys/key-folder.ts';
import { loadKeys, loadKeysFrom } from '../../adapters/keys/load-keys.ts';
import type { PlatformKeys } from '../../adapters/keys/port.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { checkLedgerVersion } from '../../adapters/ledger/sqlite-copy/check-copy.ts';
import { lockForProcess } from '../../adapters/ledger/sqlite/process-lock.ts';
import { replacePrivate } from '../../adapters/private-file/private-file.ts';
import { readIfExists } from '../../adapters/private-file/read-if-exists.ts';
import type { ObjectRef } from '../../core/reconcile/kube-object.ts';
import type { Cluster } from '../io/cluster.ts';
import { invalid } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { secretSource } from './key-secret.ts';
import { ledgerFailure, ledgerFile } from './ledger-file.ts';

/** The place of one platform's keys, where the keys document can be replaced. */
export interface AdoptPlace {
  readonly name: string;
  readonly keys: PlatformKeys;
  /** The root's private key; undefined when it was moved away. */
  readonly rootPem: string | undefined;
  /** Replaces only the keys document. */
  readonly replace: (keysJws: string) => Promise<void>;
  /** What to do so that the API reads the new document. */
  readonly next: string;
}

const ROOT = FILES.privateKey('root');

/** A running API would continue under the old origin, and a newer program's ledger must not be changed. */
function checkStopped(data: string): void {
  const file = ledgerFile(data);
  if (!existsSync(file)) return;
  try {
    lockForProcess(file, process.pid).release();
    checkLedgerVersion(file);
  } catch (error) {
    throw ledgerFailure(error);
  }
}

/** The folder of `npm start`. @throws Failure its API runs, or a newer program wrote its ledger */
export async function folderPlace(data: string): Promise<AdoptPlace> {
  checkStopped(data);
  const folder = join(data, 'keys');
  return {
    name: folder,
    keys: await loadKeys(folder),
    rootPem: await readIfExists(join(folder, ROOT)),
    replace: (keysJws) => replacePrivate(join(folder, FILES.keysJws), `${keysJws}\n`),
    next: 'start the API again',
  };
}

/** The Secret of a platform. @throws Failure the Secret does not exist */
export async function secretPlace(cluster: Cluster, ref: Required<ObjectRef>, io: Io): Promise<AdoptPlace> {
  const name = `the Secret ${ref.namespace}/${ref.name}`;
  const secret = await cluster.client.get(KINDS.secret, ref, io.signal);
  if (secret === undefined) throw invalid(`there is no Secret ${ref.namespace}/${ref.name}`);
  const source = secretSource(secret, ref);
  const { resourceVersion } = secret.metadata;
  return {
    name,
    keys: await loadKeysFrom(source),
    rootPem: await source.read(ROOT),
    replace: async (keysJws) => {
      const data = { [FILES.keysJws]: Buffer.from(`${keysJws}\n`).toString('base64') };
      const body = { metadata: { resourceVersion }, data };
      await cluster.client.patch(KINDS.secret, ref, { type: 'merge', body, fieldManager: 'orb' }, io.signal);
    },
    next: `kubectl rollout restart deployment -l app.kubernetes.io/part-of=orb-platform,app.kubernetes.io/component=api -n ${ref.namespace}`,
  };
}
