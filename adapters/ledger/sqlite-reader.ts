import { DatabaseSync } from 'node:sqlite';
import { LedgerError } from './port.ts';
import { ledgerError } from './sqlite/sqlite-error.ts';
import { TABLES, type TablePorts } from './tables/tables.ts';

/** The part of a ledger that a second thread reads. */
export interface SqliteReader extends Pick<
  TablePorts,
  | 'lineEvidence'
  | 'tierChanges'
  | 'entries'
  | 'recordedRuns'
  | 'receiptTotals'
  | 'signalStates'
  | 'incidentsByGroup'
  | 'openIncidents'
  | 'incidents'
> {
  readonly close: () => void;
}

const onlyRead = (): never => {
  throw new LedgerError('ledger-unavailable', 'this connection only reads');
};

/**
 * Opens the file of a ledger that this process has open, for reads in another thread. A read shows committed
 * transactions, and waits for no writer.
 * @throws LedgerError
 */
export function openSqliteReader(file: string): SqliteReader {
  const opened: DatabaseSync[] = [];
  const open = (): DatabaseSync => {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    opened.push(db);
    return db;
  };
  try {
    const reader = open();
    const ports = TABLES.port({
      prepare: (sql) => reader.prepare(sql),
      longReads: open,
      read: async (query) => {
        try {
          return await query();
        } catch (error) {
          throw ledgerError(error);
        }
      },
      write: onlyRead,
      writeLong: onlyRead,
      writeLogged: onlyRead,
      loggedRows: () => 0,
      now: onlyRead,
      random: onlyRead,
      dataKey: new Uint8Array(32),
    });
    const { lineEvidence, tierChanges, entries, recordedRuns, receiptTotals } = ports;
    const { signalStates, incidentsByGroup, openIncidents, incidents } = ports;
    const ofReceipts = { lineEvidence, tierChanges, entries, recordedRuns, receiptTotals };
    const ofSignals = { signalStates, incidentsByGroup, openIncidents, incidents };
    return { ...ofReceipts, ...ofSignals, close: () => opened.forEach((db) => db.close()) };
  } catch (error) {
    for (const db of opened) db.close();
    throw ledgerError(error);
  }
}
