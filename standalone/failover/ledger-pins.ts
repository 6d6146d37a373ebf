import type { MemoryCatalog } from '../../adapters/catalog/memory-catalog.ts';
import type { Ledger } from '../../adapters/ledger/port.ts';
import type { Clock } from '../../adapters/time/clock.ts';
import type { OrbPlace, PinStore } from '../../api-server/providers/port.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { readJson } from '../../core/manifest/read-json.ts';
import { withState } from '../../core/orb/compile-orb.ts';
import type { CompiledOrb } from '../../core/orb/compiled-orb.ts';
import { pinOf } from '../../core/orb/plan-pin.ts';
import type { Pin } from '../../crds/orb.ts';

export interface LedgerPinsDeps {
  readonly ledger: Pick<Ledger, 'states' | 'putState' | 'deleteState'>;
  readonly catalog: MemoryCatalog;
  readonly clock: Pick<Clock, 'now'>;
}

const KIND = 'pin';

/** What is kept of one Orb: a pin, or that the one of its file was removed (files are read-only). */
type Row = { readonly pin: Pin } | { readonly hidden: string };

type Held = Pick<OrbPlace, 'namespace' | 'orbId'>;

const keyOf = ({ namespace, orbId }: Held): string => `${namespace}/${orbId}`;

function heldOf(key: string): Held | undefined {
  const slash = key.indexOf('/');
  const id = parseOrbId(key.slice(slash + 1));
  return id.ok ? { namespace: key.slice(0, slash), orbId: id.value.id } : undefined;
}

function parseRow(json: string): Row | undefined {
  const read = readJson(Buffer.from(json));
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const { pin, hidden } = read.value;
  if (typeof hidden === 'string') return { hidden };
  const found = pinOf({ apiVersion: '', kind: 'Orb', metadata: { name: 'pin' }, spec: { pin } });
  return found === undefined ? undefined : { pin: found };
}

/** One that is over stands before no pin that a file got since. */
const layOf =
  (row: Row, isOver: (row: Row) => boolean) =>
  (orb: CompiledOrb): CompiledOrb => {
    if ('pin' in row) return isOver(row) ? orb : withState(orb, { pin: row.pin, failover: orb.failover });
    return orb.pin?.id === row.hidden ? { ...orb, pin: undefined } : orb;
  };

/**
 * Pins of standalone (failover.md §6): rows of the ledger, before those of the resource files, which stay read-only. A pin of
 * a file that was removed by the API comes back when the file has another one.
 */
export async function createLedgerPins({ ledger, catalog, clock }: LedgerPinsDeps): Promise<PinStore> {
  const isOver = (row: Row): boolean => 'pin' in row && Date.parse(row.pin.expires_at) <= clock.now();
  const keep = async (orb: Held, row: Row): Promise<void> => {
    await ledger.putState(KIND, keyOf(orb), JSON.stringify(row));
    catalog.lay(orb, 'pin', layOf(row, isOver));
  };
  const drop = async (orb: Held): Promise<void> => {
    await ledger.deleteState(KIND, keyOf(orb));
    catalog.lay(orb, 'pin', undefined);
  };
  const shown = ({ namespace, orbId }: Held): CompiledOrb['pin'] => catalog.orb(namespace, orbId)?.compiled?.pin;
  for (const { key, json } of await ledger.states(KIND)) {
    const [held, row] = [heldOf(key), parseRow(json)];
    if (held === undefined || row === undefined || isOver(row)) await ledger.deleteState(KIND, key);
    else catalog.lay(held, 'pin', layOf(row, isOver));
  }
  return {
    set: async (orb, pin) => {
      if (catalog.orb(orb.namespace, orb.orbId) === undefined) return { kind: 'gone' };
      const replaced = shown(orb);
      await keep(orb, { pin });
      return { kind: 'set', replaced, owners: [] };
    },
    remove: async (orb) => {
      if (catalog.orb(orb.namespace, orb.orbId) === undefined) return { kind: 'gone' };
      const removed = shown(orb);
      const ofFile = catalog.bare(orb.namespace, orb.orbId)?.pin;
      await (ofFile === undefined ? drop(orb) : keep(orb, { hidden: ofFile.id }));
      return { kind: 'removed', removed, left: undefined, owners: [] };
    },
  };
}
