import type { JsonValue } from '../../core/json/json-value.ts';
import { listAt } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { table, textAt } from '../io/output.ts';
import { windowRow } from './status-text.ts';

const HEAD = ['ID', 'FROM', 'TO', 'SERVICES', 'TITLE', 'CANCELLED'];

const cancelled = (window: JsonValue): string => {
  const at = textAt(window, 'cancelled_at');
  return at === 'null' ? '' : at;
};

const rowOf = (window: JsonValue): readonly string[] => [textAt(window, 'id'), ...windowRow(window), cancelled(window)];

export const maintenanceListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [...SERVER_FLAGS, OUTPUT],
  about: 'Windows of the last 90 days and those to come, by their beginning.',
  examples: ['{orb} maintenance list'],
  run: (args, io) =>
    printAnswer(args, io, {
      method: 'GET',
      path: 'status/maintenance',
      textOf: (value) => table([HEAD, ...listAt(value, 'items').map(rowOf)]),
    }),
};
