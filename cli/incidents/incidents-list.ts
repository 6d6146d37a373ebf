import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE, pageFlags, pageQuery } from '../args/tenant-flags.ts';
import { timeOf } from '../args/time-flag.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { textAt } from '../io/output.ts';
import { INCIDENT_HEAD, incidentRow } from './incident-text.ts';

export const incidentsListVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [
    {
      name: 'status',
      value: 'STATUS',
      text: 'with this status',
      values: ['unconfirmed', 'open', 'acknowledged', 'resolved', 'withdrawn'],
    },
    { name: 'orb', value: 'ORB_ID', text: 'about this Orb' },
    { name: 'provider', value: 'HOST', text: 'at this host of a provider' },
    { name: 'since', value: 'TIME', text: 'opened at this time or later: a time, or 2h for two hours ago' },
    ...pageFlags('incidents'),
    NAMESPACE,
    ...SERVER_FLAGS,
    OUTPUT_LIST,
  ],
  about: 'The last opened first. An unconfirmed one is told by one source of low trust, or by the publisher alone.',
  examples: ['{orb} incidents list --status open', '{orb} incidents list --orb acme.mailer@1.2.0 --since 7d'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'incidents',
      query: {
        status: args.one('status'),
        orb_id: args.one('orb'),
        provider: args.one('provider'),
        since: timeOf(args, 'since', io.clock.now()),
        ...pageQuery(args),
      },
      head: INCIDENT_HEAD,
      rowOf: incidentRow,
      nameOf: (item) => textAt(item, 'incident_id'),
    }),
};
