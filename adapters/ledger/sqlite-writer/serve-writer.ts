import type { MessagePort } from 'node:worker_threads';
import { LedgerError } from '../port.ts';
import type { FromWriter, ToWriter, WriterSettings } from '../sqlite/protocol.ts';
import { failureDetail } from '../sqlite/sqlite-error.ts';
import type { WriteRow } from '../tables/tables.ts';
import { logFault } from './check-head.ts';
import { openWriterDatabase } from './schema.ts';
import { Writer } from './writer.ts';

/** Handles the messages of a port one at a time, and answers each. A `close` message ends it. */
export function serveWriter(port: MessagePort): void {
  const answer = (message: FromWriter): void => port.postMessage(message);
  let writer: Writer | undefined;

  function open(settings: WriterSettings): void {
    try {
      const db = openWriterDatabase(settings.file, settings.identity, (progress) => {
        answer(['upgrading', progress]);
      });
      const fault = logFault(db);
      writer = new Writer(db, settings, fault);
      answer(['ready', ...writer.sizes(), fault ?? null]);
    } catch (error) {
      if (error instanceof LedgerError) answer(['unopened', error.code, error.message]);
      else {
        const message = `the ledger ${settings.file} can't be opened: ${failureDetail(error)}`;
        answer(['unopened', 'ledger-unavailable', message]);
      }
      port.close();
    }
  }

  function commit(rows: readonly WriteRow[]): void {
    if (writer === undefined) throw new TypeError('a group before the ledger was open');
    try {
      const results = writer.commit(rows);
      answer(['committed', results, ...writer.sizes()]);
    } catch (error) {
      answer(['failed', failureDetail(error)]);
      return;
    }
    writer.tidy();
  }

  port.on('message', (message: ToWriter) => {
    switch (message[0]) {
      case 'open':
        open(message[1]);
        return;
      case 'group':
        commit(message[1]);
        return;
      case 'close':
        writer?.close();
        port.close();
        return;
      default:
        message satisfies never;
    }
  });
}
