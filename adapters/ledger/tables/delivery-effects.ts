import { deserialize, serialize } from 'node:v8';
import type { HeldLease } from './deliveries.ts';
import { changeColumns, type ChangeColumns, type IncidentChange } from './incident-changes.ts';
import { signalColumns, type NewSignal, type SignalColumns } from './signals.ts';
import { stateColumns, type SignalState, type StateColumns } from './signal-states.ts';
import { changeResult, type ChangeResult } from './incidents.ts';
import { nothing, type TableParts } from './table.ts';

/** What came of a delivery. */
type DeliveryOutcome =
  | { readonly state: 'done' }
  | {
      readonly state: 'dead';
      /** One of the reasons of ingestion.md §3, or `downstream`. */
      readonly reason: string;
      /** JSON Pointer of what is wrong; empty: the whole body. */
      readonly pointer: string;
      /** For people, ≤ 4 096 characters. */
      readonly detail: string;
    };

/** Everything that a delivery changes: one transaction. */
export interface DeliveryEffects {
  readonly deliveryId: string;
  readonly outcome: DeliveryOutcome;
  readonly signals: readonly NewSignal[];
  readonly states: readonly SignalState[];
  readonly incidents: readonly IncidentChange[];
}

/** Effects of a delivery as bytes: a thread that passes them on to the writer reads none of their rows. */
export interface PackedEffects extends Pick<DeliveryEffects, 'deliveryId' | 'outcome'> {
  /** Rows that they write. */
  readonly rows: number;
  /** Whether an entry of the log is among them. */
  readonly isLogged: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** What mapping a delivery wrote. */
interface EffectPort {
  /**
   * Applies effects in their order. A delivery that no longer waits is passed over with all its effects, so the same call
   * may be repeated. A later change of the same incident expects the revision that the earlier one makes. They are
   * written in slices: when a later slice is refused, what the earlier ones wrote stays.
   * @param effects each as it is, or packed by `packEffects`; packed ones are handed over, and serve one call
   */
  readonly applyDeliveries: (
    lease: HeldLease,
    effects: readonly (DeliveryEffects | PackedEffects)[],
  ) => Promise<ChangeResult>;
}

/** How the effects of a delivery cross to the writer; reason, pointer and detail of a dead one. */
export type EffectColumns = readonly [
  deliveryId: string,
  death: readonly [reason: string, pointer: string, detail: string] | null,
  signals: readonly SignalColumns[],
  states: readonly StateColumns[],
  incidents: readonly ChangeColumns[],
];

export type ApplyRow = readonly [
  op: 'applyDeliveries',
  lease: string,
  epoch: number,
  /** Each of `EffectColumns`. */
  effects: readonly Uint8Array[],
];

/**
 * Rows that one transaction writes at most, unless one delivery has more: they hold the writer's thread for some 10 ms.
 */
const SLICE_ROWS = 800;
/** The same while runs are written too: each waits for 2 or 3 ms. */
const SHARED_SLICE_ROWS = 200;
/** So many slices after the last run are small: the next run often comes a few of them later. */
const SHARED_SLICES = 20;

const rowsOf = ({ signals, states, incidents }: DeliveryEffects): number =>
  1 + signals.length + states.length + incidents.reduce((rows, { updates }) => rows + 2 + updates.length, 0);

/** The first effects of a list, at least one, with so many rows at most. */
function firstOf(effects: readonly PackedEffects[], most: number): readonly PackedEffects[] {
  let rows = 0;
  const end = effects.findIndex((one, position) => {
    rows += one.rows;
    return position > 0 && rows > most;
  });
  return end < 0 ? effects : effects.slice(0, end);
}

const effectColumns = ({ deliveryId, outcome, signals, states, incidents }: DeliveryEffects): EffectColumns => [
  deliveryId,
  outcome.state === 'dead' ? [outcome.reason, outcome.pointer, outcome.detail] : null,
  signals.map(signalColumns),
  states.map(stateColumns),
  incidents.map(changeColumns),
];

/** Packs effects, on the thread that made them. */
export function packEffects(effects: DeliveryEffects): PackedEffects {
  const { deliveryId, outcome, incidents } = effects;
  const isLogged = incidents.some(({ logEntry }) => logEntry !== undefined);
  // A copy: what V8 gives may lie in memory that holds more, and a message carries all of it.
  const bytes = new Uint8Array(serialize(effectColumns(effects)));
  return { deliveryId, outcome, rows: rowsOf(effects), isLogged, bytes };
}

/** `packEffects` made it: only its form is looked at. */
const isEffectColumns = (value: unknown): value is EffectColumns =>
  Array.isArray(value) && typeof value[0] === 'string' && value.slice(2).every(Array.isArray) && value.length === 5;

/** @param bytes that `packEffects` made in this process @throws TypeError other bytes */
export function unpackEffects(bytes: Uint8Array): EffectColumns {
  const columns: unknown = deserialize(bytes);
  if (!isEffectColumns(columns)) throw new TypeError('these are no effects of a delivery');
  return columns;
}

const packed = (effects: DeliveryEffects | PackedEffects): PackedEffects =>
  'bytes' in effects ? effects : packEffects(effects);

function effectPort({ writeLong, writeLogged, loggedRows }: TableParts<ApplyRow>): EffectPort {
  /** How many such rows there were when the last slice was committed, and slices since there were more. */
  let seen = loggedRows();
  let alone = SHARED_SLICES;
  const nextSlice = (effects: readonly PackedEffects[]): readonly PackedEffects[] => {
    alone = loggedRows() === seen ? alone + 1 : 0;
    return firstOf(effects, alone < SHARED_SLICES ? SHARED_SLICE_ROWS : SLICE_ROWS);
  };
  return {
    applyDeliveries: async ({ name, epoch }, effects) => {
      for (let left = effects.map(packed); left.length > 0;) {
        const slice = nextSlice(left);
        const send = slice.some(({ isLogged }) => isLogged) ? writeLogged : writeLong;
        const bytes = slice.map((one) => one.bytes);
        const result = changeResult(await send(['applyDeliveries', name, epoch, bytes]));
        seen = loggedRows();
        if (result.kind !== 'applied') return result;
        left = left.slice(slice.length);
      }
      return { kind: 'applied' };
    },
  };
}

/** Written with the log, by `sqlite-writer/ingest-writer.ts`. It has no table of its own. */
export const deliveryEffects = { schema: {}, port: effectPort, writers: nothing };
