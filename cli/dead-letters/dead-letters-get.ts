import type { JsonObject } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import { namespaceQuery, printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { table, textAt } from '../io/output.ts';
import { EXAMPLE_ID } from './dead-letter-reason.ts';

function letterText(letter: JsonObject): string {
  const headers = objectAt(letter, 'headers');
  const body = member(letter, 'body');
  const rows = [
    ['delivery', textAt(letter, 'delivery_id')],
    ['source', textAt(letter, 'source')],
    ['received', textAt(letter, 'received_at')],
    ['reason', `${textAt(letter, 'reason')}: ${textAt(letter, 'detail')}`],
    ['pointer', textAt(letter, 'pointer')],
    ['attempts', textAt(letter, 'attempts')],
    ...Object.keys(headers).map((name, at) => [
      at === 0 ? 'headers' : '',
      `${textAt({ name }, 'name')}: ${textAt(headers, name)}`,
    ]),
    ['body', typeof body === 'string' ? `${textAt(letter, 'bytes')} bytes` : 'erased, or no UTF-8'],
  ];
  const shown = typeof body === 'string' ? `\n${textAt(letter, 'body')}\n` : '';
  return `${table(rows.filter(([, value]) => value !== ''))}${shown}`;
}

export const deadLettersGetVerb: Verb = {
  usage: 'DELIVERY_ID',
  count: [1, 1],
  flags: [NAMESPACE, ...SERVER_FLAGS, OUTPUT],
  about: `POINTER says what is wrong: a place in the body, or in the OrbSignalSource. Credentials and signatures are not kept, so
they are not among the headers.`,
  examples: [`{orb} dead-letters get ${EXAMPLE_ID}`],
  run: async (args, io) =>
    printAnswer(args, io, {
      method: 'GET',
      path: `dead-letters/${encodeURIComponent(args.positionals[0] ?? '')}${namespaceQuery(args)}`,
      textOf: letterText,
    }),
};
