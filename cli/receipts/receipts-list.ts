import type { JsonValue } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { timeOf } from '../args/time-flag.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';

const HEAD = ['RECEIPT', 'ISSUED', 'ORB', 'OUTCOME', 'TRUST', 'RISK', 'SIGNATURE'];
const rowOf = (item: JsonValue): readonly string[] => [
  ...['receipt_id', 'timestamp', 'orb_id', 'outcome', 'trust_score', 'risk_level'].map((name) => textAt(item, name)),
  member(item, 'signature_valid') === true ? 'valid' : 'NOT VALID',
];

export const receiptsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    { name: 'limit', value: 'N', text: 'receipts on a page, 1 to 200 (50)' },
    { name: 'cursor', value: 'CURSOR', text: 'the next page' },
    { name: 'orb', value: 'ORB_ID', text: 'of this Orb' },
    {
      name: 'outcome',
      value: 'OUTCOME',
      text: 'success, orb_error, timeout, policy_denied, caller_error or platform_error',
    },
    { name: 'since', value: 'TIME', text: 'issued at this time or later: a time, or 2h for two hours ago' },
    { name: 'until', value: 'TIME', text: 'issued before this time' },
    { name: 'namespace', short: 'n', value: 'NAME', text: 'of this tenant, for keys of several' },
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  examples: ['{orb} receipts list --since 24h --outcome orb_error'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'receipts',
      query: {
        limit: args.one('limit'),
        cursor: args.one('cursor'),
        orb_id: args.one('orb'),
        outcome: args.one('outcome'),
        since: timeOf(args, 'since', io.clock.now()),
        until: timeOf(args, 'until', io.clock.now()),
        namespace: args.one('namespace'),
      },
      head: HEAD,
      rowOf,
      nameOf: (item) => textAt(item, 'receipt_id'),
    }),
};
