import { LedgerError, type Ledger } from '../../adapters/ledger/port.ts';
import type { StateRow } from '../../adapters/ledger/tables/state.ts';

/** Rows of `state` in memory. */
export interface ObjectRows extends Pick<Ledger, 'states' | 'putState' | 'deleteState'> {
  readonly rows: ReadonlyMap<string, string>;
  /** Writes so far: `put Orb acme/echo`. */
  readonly writes: readonly string[];
  /** Called before each write; may wait. An error that it throws is the refusal, and nothing is written. */
  before: (write: string) => Promise<void> | void;
  /** Called after a row was written: an error that it throws hides the write. */
  after: (write: string) => Promise<void> | void;
  /** Sets the text of a row directly, without the store. */
  readonly set: (key: string, json: string) => void;
}

export const ledgerAway = (): LedgerError => new LedgerError('ledger-unavailable', 'the disk is full');

export function objectRows(): ObjectRows {
  const rows = new Map<string, string>();
  const writes: string[] = [];
  const around = async (write: string, act: () => void): Promise<void> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await its.before(write);
    writes.push(write);
    act();
    await its.after(write);
  };
  const its: ObjectRows = {
    rows,
    writes,
    before: () => undefined,
    after: () => undefined,
    set: (key, json) => void rows.set(key, json),
    states: async (kind): Promise<readonly StateRow[]> =>
      kind === 'object' ? [...rows].map(([key, json]) => ({ key, json })) : [],
    putState: (_kind, key, json) => around(`put ${key}`, () => void rows.set(key, json)),
    deleteState: (_kind, key) => around(`delete ${key}`, () => void rows.delete(key)),
  };
  return its;
}
