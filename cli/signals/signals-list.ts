import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE, pageFlags, pageQuery } from '../args/tenant-flags.ts';
import { timeOf } from '../args/time-flag.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { SIGNAL_HEAD, signalRow } from './signal-text.ts';
import { SOURCE, sourceFilter } from './source-name.ts';

export const signalsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    SOURCE,
    { name: 'orb', value: 'ORB_ID', text: 'about this Orb' },
    { name: 'delivery', value: 'DELIVERY_ID', text: 'of this delivery' },
    {
      name: 'status',
      value: 'STATUS',
      text: 'with this status',
      values: ['firing', 'acknowledged', 'resolved', 'suppressed', 'info'],
    },
    { name: 'since', value: 'TIME', text: 'observed at this time or later: a time, or 2h for two hours ago' },
    ...pageFlags('signals'),
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: 'Newest first. A repeat is counted in the signal that it repeats.',
  examples: ['{orb} signals list --since 24h', '{orb} signals list --orb acme.mailer@1.2.0 --status firing'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'signals',
      query: {
        source: sourceFilter(args),
        orb_id: args.one('orb'),
        delivery_id: args.one('delivery'),
        status: args.one('status'),
        since: timeOf(args, 'since', io.clock.now()),
        ...pageQuery(args),
      },
      head: SIGNAL_HEAD,
      rowOf: signalRow,
      nameOf: (item) => textAt(item, 'signal_id'),
    }),
};
