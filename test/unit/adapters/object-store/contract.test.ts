import { openObjectStore } from '../../../../adapters/object-store/object-store.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';
import { kubeClientContract } from '../../../support/kube/client-contract.ts';
import { recordingLogger } from '../../../support/kube/recorders.ts';
import { objectRows } from '../../../support/object-rows.ts';
import { openSqliteFixture } from '../../../support/sqlite-ledger.ts';

const deps = { clock: createFakeClock(0), logger: recordingLogger(), newUid: () => crypto.randomUUID() };

kubeClientContract('the object store, over rows in memory', async () => {
  const { client } = await openObjectStore({ ...deps, ledger: objectRows() });
  return { client, namespace: 'contract', close: client.close };
});

kubeClientContract('the object store, over a SQLite ledger', async () => {
  const { ledger, dispose } = await openSqliteFixture();
  const { client } = await openObjectStore({ ...deps, ledger });
  return { client, namespace: 'contract', close: dispose };
});
