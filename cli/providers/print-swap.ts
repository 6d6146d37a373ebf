import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import type { Io } from '../io/io.ts';
import { dataText, printable, table, textAt, type Format } from '../io/output.ts';

const STATUSES: Readonly<Record<string, string>> = {
  completed: 'done',
  unchanged: 'nothing to do: it is already active and pinned this way',
  dry_run: 'dry run: nothing was changed',
  accepted: 'written; the instance that answered does not see it yet',
};

function pinText(value: JsonObject, name: 'pin' | 'replaced_pin' | 'removed_pin'): string {
  if (member(value, name) === null) return '';
  const pin = objectAt(value, name);
  const reason = member(pin, 'reason');
  const why = typeof reason === 'string' ? `: ${printable(reason)}` : '';
  return `${textAt(pin, 'provider')} (${textAt(pin, 'mode')}) until ${textAt(pin, 'expires_at')}${why}`;
}

const receiptText = (value: JsonObject): string => textAt(objectAt(value, 'receipt'), 'receipt_id');

/** For people: the answer on stdout and its warnings on stderr. For machines: the whole answer on stdout. */
async function print(
  value: JsonObject,
  rows: readonly (readonly [string, string])[],
  format: Format,
  io: Io,
): Promise<void> {
  if (format === 'json' || format === 'yaml') {
    io.out(await dataText(value, format));
    return;
  }
  io.out(table(rows.filter(([, text]) => text !== '')));
  for (const warning of listAt(value, 'warnings'))
    if (typeof warning === 'string') io.err(`warning: ${printable(warning)}\n`);
}

/** Prints the answer to a swap. */
export async function printSwap(value: JsonObject, format: Format, io: Io): Promise<void> {
  const [from, to, status] = [textAt(value, 'from'), textAt(value, 'provider'), textAt(value, 'status')];
  const rows: readonly (readonly [string, string])[] = [
    ['orb', textAt(value, 'orb_id')],
    ['swap', from === to ? to : `${from} → ${to}`],
    ['status', STATUSES[status] ?? status],
    ['active', textAt(value, 'active_provider')],
    ['pin', pinText(value, 'pin')],
    ['replaced pin', pinText(value, 'replaced_pin')],
    ['receipt', receiptText(value)],
  ];
  await print(value, rows, format, io);
}

/** Prints the answer to the removal of a pin. */
export async function printRemovedPin(value: JsonObject, format: Format, io: Io): Promise<void> {
  const removed = pinText(value, 'removed_pin');
  const rows: readonly (readonly [string, string])[] = [
    ['orb', textAt(value, 'orb_id')],
    ['removed pin', removed === '' ? 'there was none' : removed],
    ['pin', pinText(value, 'pin')],
    ['active', textAt(value, 'active_provider')],
  ];
  await print(value, rows, format, io);
}
