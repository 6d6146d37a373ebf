import type { Ledger } from '../../adapters/ledger/port.ts';
import { systemClock } from '../../adapters/time/clock.ts';
import { isJsonObject, type JsonObject } from '../../core/json/json-value.ts';
import { fileOf } from '../../core/files/file-object.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { specOf, statusOf } from '../../core/reconcile/read-object.ts';
import { KINDS } from '../../adapters/kube/kinds.ts';
import { openObjectStore } from '../../adapters/object-store/object-store.ts';
import { recordingLogger } from './kube/recorders.ts';
import { openDataLedger } from './data-ledger.ts';

const never = new AbortController().signal;

/** The old row of an Orb's pin; undefined: no row. */
export type OlderPinRow = { readonly pin: JsonObject } | { readonly hidden: string };

const keyOf = ({ metadata: { namespace = '', name } }: KubeObject): string => `${namespace}/${name}`;
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

async function writeOrb(ledger: Ledger, orb: KubeObject, pin: OlderPinRow | undefined): Promise<void> {
  const { namespace = '', uid, creationTimestamp = '' } = orb.metadata;
  const { validDigest, failover } = statusOf(orb);
  const held = `${namespace}/${textIn(specOf(orb)['orb_id'])}`;
  const state = { digest: validDigest, file: fileOf(orb), since: Date.parse(creationTimestamp) };
  await ledger.putState('valid-orb', keyOf(orb), JSON.stringify(state));
  if (pin !== undefined) await ledger.putState('pin', held, JSON.stringify(pin));
  if (isJsonObject(failover)) await ledger.putState('failover', held, JSON.stringify({ uid, ...failover }));
}

const newUid = (): string => crypto.randomUUID();

/**
 * Writes the rows of a data folder in the format before its resources were objects; its process has ended.
 * @param pinOf the row of an Orb's pin
 */
export async function makeOlder(data: string, pinOf: (orb: KubeObject) => OlderPinRow | undefined): Promise<void> {
  const { ledger } = await openDataLedger(data);
  const { client } = await openObjectStore({ ledger, clock: systemClock, logger: recordingLogger(), newUid });
  for (const orb of (await client.list(KINDS.orb, {}, never)).items) await writeOrb(ledger, orb, pinOf(orb));
  for (const orbiset of (await client.list(KINDS.orbiset, {}, never)).items) {
    const { namespace = '', name } = orbiset.metadata;
    const document = { kind: 'Orbiset', namespace, name, spec: specOf(orbiset) };
    const row = JSON.stringify({ document, file: fileOf(orbiset) });
    await ledger.putState('valid-orbiset', `${namespace}.${name}`, row);
  }
  for (const { key } of await ledger.states('object')) await ledger.deleteState('object', key);
  await ledger.close();
}
