import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { NAMESPACE } from '../providers/provider-path.ts';
import { ORB_HEAD, orbRow } from './orb-text.ts';

export const orbsListVerb: Verb = {
  usage: '[TEXT]',
  count: [0, 1],
  flags: [
    { name: 'limit', value: 'N', text: 'Orbs on a page, 1 to 200 (50)' },
    { name: 'cursor', value: 'CURSOR', text: 'the next page' },
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about:
    'Your own Orbs, and those of others that your Orbisets list. TEXT is a part of id or description. What is published by anybody: orb marketplace list.',
  examples: ['{orb} list', '{orb} list mail -o name'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'orbs',
      query: {
        q: args.positionals[0],
        limit: args.one('limit'),
        cursor: args.one('cursor'),
        namespace: args.one('namespace'),
      },
      head: ORB_HEAD,
      rowOf: orbRow,
      nameOf: (item) => textAt(item, 'orb_id'),
    }),
};
