import type { KubeClient, Reflector } from '../kube/port.ts';
import type { Ledger } from '../ledger/port.ts';
import type { Logger } from '../telemetry/port.ts';
import type { Clock } from '../time/clock.ts';
import { createLocalClient } from './local-client.ts';
import { createLocalReflector, type LocalReflectorOptions } from './local-reflector.ts';
import { OBJECT_ROWS, recordOfRow } from './object-row.ts';
import { ObjectTable } from './object-table.ts';
import { ObjectWrites } from './object-writes.ts';
import type { ObjectRecord } from './record.ts';

export interface ObjectStoreDeps {
  /** Rows of `state`, kind `object`. */
  readonly ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** A UUID. */
  readonly newUid: () => string;
}

/** Kubernetes-shaped objects of this process: the API server of a cluster of one (operator.md A16). */
export interface ObjectStore {
  /** When the ledger refuses a write, the call rejects with its LedgerError and changes no object. */
  readonly client: KubeClient;
  /** A cache of one selection. It is fed in the same turn in which a write is shown, before the write is answered. */
  readonly reflect: (options: LocalReflectorOptions) => Reflector;
}

async function storedObjects({ ledger, logger }: ObjectStoreDeps): Promise<readonly ObjectRecord[]> {
  const rows = await ledger.states(OBJECT_ROWS);
  return rows.flatMap((row) => {
    const record = recordOfRow(row);
    if (record === undefined) logger.warn('a stored object can not be read: its row is left alone', { key: row.key });
    return record === undefined ? [] : [record];
  });
}

/**
 * Reads every row, then serves. It must be the only store over its ledger: two stores would not see each other's
 * writes.
 * @throws LedgerError
 */
export async function openObjectStore(deps: ObjectStoreDeps): Promise<ObjectStore> {
  const { ledger, clock, logger, newUid } = deps;
  const table = new ObjectTable(await storedObjects(deps));
  const writes = new ObjectWrites(table, ledger);
  return {
    client: createLocalClient({ table, writes, now: clock.now, newUid }),
    reflect: (options) => createLocalReflector({ table, clock, logger }, options),
  };
}
