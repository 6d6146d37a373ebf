// Loaded before the program, in each of its threads: ends the process by SIGKILL where only the inside knows the moment.
// The file `armed` in the folder of KILL_POINTS names the point; `hit` then tells which run was there.
import { readFileSync, writeFileSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { StatementSync } from 'node:sqlite';
import { join } from 'node:path';

const folder = process.env['KILL_POINTS'] ?? '';

/** Place of the run id among the values of a row. */
const ROWS = [
  { table: 'INSERT INTO runs(', place: 0, name: 'start' },
  { table: 'INSERT INTO receipts(', place: 2, name: 'receipt' },
] as const;

function armed(): string {
  try {
    return readFileSync(join(folder, 'armed'), 'utf8');
  } catch {
    return '';
  }
}

function killAt(point: string, runId: string): void {
  if (armed() !== point) return;
  writeFileSync(join(folder, 'hit'), runId);
  process.kill(process.pid, 'SIGKILL');
  // Another thread may get the signal first: this one does nothing more.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Rows of the transaction that is open in this thread: what they are, and of which run. */
const written = new Map<string, string>();

const killAtAll = (moment: string): void => {
  for (const [name, runId] of written) killAt(`${name} ${moment}`, runId);
};

/** Puts a function around a method of a class. */
function around(
  prototype: object,
  name: string,
  wrap: (self: unknown, given: readonly unknown[], call: () => unknown) => unknown,
): void {
  const original: unknown = Reflect.get(prototype, name);
  if (typeof original !== 'function') throw new TypeError(`there is no method ${name}`);
  Object.defineProperty(prototype, name, {
    value(this: unknown, ...given: unknown[]): unknown {
      return wrap(this, given, () => Reflect.apply(original, this, given));
    },
  });
}

around(StatementSync.prototype, 'run', (statement, given, call) => {
  const sql = statement instanceof StatementSync ? statement.sourceSQL : '';
  const row = ROWS.find(({ table }) => sql.startsWith(table));
  if (row !== undefined) {
    const runId = String(given[row.place]);
    killAt(`${row.name} before its row`, runId);
    written.set(row.name, runId);
  }
  if (sql !== 'COMMIT') return call();
  killAtAll('before its commit');
  const result = call();
  killAtAll('after its commit');
  written.clear();
  return result;
});

around(ServerResponse.prototype, 'writeHead', (response, _, call) => {
  const request: unknown = response instanceof ServerResponse ? response.req : undefined;
  if (request instanceof IncomingMessage && request.url?.endsWith('/execute') === true)
    killAt('answer before its head', '');
  return call();
});
