import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { parseDuration } from '../../core/time/duration.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { namespaceQuery, printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE } from '../args/tenant-flags.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { usage, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { printable, textAt } from '../io/output.ts';

export const EXAMPLE_ID = 'inc_01a20c0a-30b5-7d35-8f4f-7b2d3b4a3b0c';

/** Path of the incident that the first argument names, relative to the address of the API. */
export const incidentPath = (args: Args, rest = ''): string =>
  `incidents/${encodeURIComponent(args.positionals[0] ?? '')}${rest}${namespaceQuery(args)}`;

/** What a person does to an incident. */
interface Act {
  /** Last segment of the path. */
  readonly name: string;
  readonly body?: JsonObject;
}

const act = (args: Args, io: Io, { name, body }: Act): Promise<Exit> =>
  printAnswer(args, io, {
    method: 'POST',
    path: incidentPath(args, `/${name}`),
    ...(body === undefined ? {} : { body }),
    textOf: (incident) => {
      const muted = name === 'mute' ? `, muted until ${textAt(incident, 'muted_until')}` : '';
      return `${textAt(incident, 'incident_id')} is ${textAt(incident, 'status')}${muted}\n`;
    },
  });

const FLAGS: readonly Flag[] = [NAMESPACE, ...SERVER_FLAGS, OUTPUT];

export const incidentsAckVerb: Verb = {
  usage: 'INCIDENT_ID',
  count: [1, 1],
  flags: FLAGS,
  about: 'Says that somebody works on it. Needs the scope incidents:write, as every change of an incident.',
  examples: [`{orb} incidents ack ${EXAMPLE_ID}`],
  run: (args, io) => act(args, io, { name: 'ack' }),
};

export const incidentsResolveVerb: Verb = {
  usage: 'INCIDENT_ID',
  count: [1, 1],
  flags: FLAGS,
  about: 'Ends it by hand. What its sources show by then stays closed; what begins later opens an incident again.',
  examples: [`{orb} incidents resolve ${EXAMPLE_ID}`],
  run: (args, io) => act(args, io, { name: 'resolve' }),
};

/** The end of a mute: a time, or a duration from now. @throws Failure (64) */
function untilOf(args: Args, io: Io): string {
  const text = args.one('until');
  if (text === undefined) throw usage('--until TIME is missing: a time, or 2h for two hours from now');
  const ms = parseDuration(text);
  const until = ms === undefined ? Date.parse(text) : io.clock.now() + ms;
  if (Number.isNaN(until))
    throw usage(`--until ${printable(text)}: a time such as 2026-11-20T10:00:00Z, or 2h for two hours from now`);
  return new Date(until).toISOString();
}

export const incidentsMuteVerb: Verb = {
  usage: 'INCIDENT_ID',
  count: [1, 1],
  flags: [{ name: 'until', value: 'TIME', text: 'a time of the next 30 days, or 2h for two hours from now' }, ...FLAGS],
  about: 'Keeps it out of the status of its Orb until then. It goes on, and is still listed.',
  examples: [`{orb} incidents mute ${EXAMPLE_ID} --until 2h`],
  run: async (args, io) => act(args, io, { name: 'mute', body: { until: untilOf(args, io) } }),
};

export const incidentsWithdrawVerb: Verb = {
  usage: 'INCIDENT_ID',
  count: [1, 1],
  flags: [{ name: 'reason', value: 'TEXT', text: 'why; it stands in the history' }, ...FLAGS],
  about: `Takes it back for good: it was none. If it is in the log, another entry says that it is withdrawn, and scores are
computed without it.`,
  examples: [`{orb} incidents withdraw ${EXAMPLE_ID} --reason 'The probe was broken'`],
  run: async (args, io) => {
    const reason = args.one('reason');
    if (reason === undefined) throw usage('--reason TEXT is missing: it stands in the history');
    return act(args, io, { name: 'withdraw', body: { reason } });
  },
};

export const incidentsNoteVerb: Verb = {
  usage: 'INCIDENT_ID TEXT',
  count: [2, 2],
  flags: FLAGS,
  about: `Adds a line to the history. Of an incident of the platform it is public on the status page. What is written is not
erased.`,
  examples: [`{orb} incidents note ${EXAMPLE_ID} 'The provider works on it'`],
  run: (args, io) => act(args, io, { name: 'updates', body: { body: args.positionals[1] ?? '' } }),
};
