import type { JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE, pageFlags, pageQuery } from '../args/tenant-flags.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { SOURCE, sourceFilter } from '../signals/source-name.ts';
import { REASON } from './dead-letter-reason.ts';

const HEAD = ['DELIVERY', 'RECEIVED', 'SOURCE', 'REASON', 'POINTER', 'ATTEMPTS', 'BODY'];

const rowOf = (letter: JsonValue): readonly string[] => [
  ...['delivery_id', 'received_at', 'source', 'reason', 'pointer', 'attempts'].map((name) => textAt(letter, name)),
  member(letter, 'has_body') === true ? 'kept' : 'erased',
];

export const deadLettersListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [SOURCE, REASON, ...pageFlags('dead letters'), NAMESPACE, ...SERVER_FLAGS, OUTPUT_LIST],
  about: `Deliveries that were accepted and could not be used, newest first. They are kept for 30 days. Needs the scope
ingest:admin.`,
  examples: ['{orb} dead-letters list', '{orb} dead-letters list --source acme/grafana --reason no_entity'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'dead-letters',
      query: { source: sourceFilter(args), reason: args.one('reason'), ...pageQuery(args) },
      head: HEAD,
      rowOf,
      nameOf: (letter) => textAt(letter, 'delivery_id'),
    }),
};
